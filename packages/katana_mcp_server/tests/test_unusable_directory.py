"""A cache directory that cannot be used is told where the page on troubleshooting says it is, in its words."""

import json
from pathlib import Path

import pytest
from command_line import Ran, Run

PAGE = Path(__file__).parents[3] / "docs" / "guides" / "troubleshooting.md"


@pytest.fixture
def page() -> str:
    _, _, rest = PAGE.read_text("utf-8").partition("\n## The cache directory cannot be used\n")
    return rest.partition("\n## ")[0]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file in the place of the cache directory."""
    path = tmp_path / "file"
    path.touch()
    return path


def test_the_page_quotes_what_each_command_prints(command_line: Run, file: Path, page: str) -> None:
    def run(*arguments: str) -> Ran:
        ran = command_line(*arguments, "--cache-dir", str(file))
        return Ran(ran.code, ran.out.replace(str(file), "…"), ran.err.replace(str(file), "…"))

    status = run("call", "cache_status")
    (notice,) = status.data["notices"]
    assert f"`{notice}`" in page
    assert "cache in memory" not in status.err
    logged = map(json.loads, run("call", "cache_status", "--log-level", "WARNING").err.splitlines())
    (line,) = [line for line in logged if line["event"] == "cache in memory"]
    shown = json.dumps({name: line[name] for name in ("reason", "event", "level")}, ensure_ascii=False)
    assert f"`{shown.removesuffix('}')}, …}}`" in page
    assert f"`{run('sync').err.strip()}`" in page
    (cache,) = [check for check in run("doctor", "--json").data["checks"] if check["check"] == "cache"]
    assert f"`{cache['found']}`" in page


def test_the_page_quotes_why_nothing_is_written(command_line: Run, file: Path, page: str) -> None:
    link = file.with_name("link")
    link.symlink_to(file.parent)
    (warning,) = command_line("call", "create_customer", "name=Zed", "--cache-dir", str(link)).data["warnings"]
    assert f'"code": "{warning["code"]}"\n"{warning["message"].replace(str(link), "…")}"\n' in page
