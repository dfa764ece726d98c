"""The page of the tools is the one that the tools of today make."""

from pathlib import Path

from katana_mcp.adapter.catalogue import as_reference
from katana_mcp.surface import tools

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tools.md"
HOW = "run `katana-mcp tools --markdown > docs/reference/tools.md`"


def test_the_reference_of_the_tools_is_current() -> None:
    assert PAGE.read_text("utf-8") == as_reference(tools()), HOW
