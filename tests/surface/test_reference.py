"""The page of the tools is the one that the tools of today make."""

from pathlib import Path

import pytest

from katana_mcp.commands.cli import app

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tools.md"
HOW = "run `katana-mcp tools --toolsets all --markdown > docs/reference/tools.md`"


def test_the_reference_of_the_tools_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    app(["tools", "--toolsets", "all", "--markdown"], exit_on_error=False, result_action="return_value")
    assert PAGE.read_text("utf-8") == capsys.readouterr().out, HOW
