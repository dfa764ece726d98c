"""The demo whole, as `make demo` runs it, without a terminal."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from katana_mcp.commands import cli
from katana_mcp.commands.demo.chapters import CHAPTERS
from katana_mcp.commands.demo.lines import PART
from katana_mcp.commands.demo.step import Chapter

README = Path(__file__).parents[2] / "README.md"
FIGURE = re.compile(r"(?<=plan_tokens=\[')[\w-]+|\d+(?:[.:T-]\d+)*Z?|(?<=API request)s")
"""What moves with the day and the machine: tokens of plans, numbers and moments."""


def words_of(text: str) -> list[str]:
    """Return the lines of an output without figures, blank lines and the progress of the sync."""
    lines = [" ".join(FIGURE.sub("", line).split()) for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("syncing")]


def sample() -> str:
    """Return the session that the README shows."""
    return README.read_text("utf-8").partition("```\nKatana MCP: ")[2].partition("```")[0]


def shown(directory: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the whole demo without a terminal, in a directory of its own."""
    command = [sys.executable, "-m", "katana_mcp", "demo", *words]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KATANA")}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=directory, env=kept | environment, check=False, timeout=100
    )


@pytest.mark.parametrize(
    ("name", "chapters"),
    [(CHAPTERS[0].name, CHAPTERS[:1]), pytest.param("all", CHAPTERS, marks=pytest.mark.soak)],
    ids=["first", "all"],
)
def test_the_demo_is_right_whatever_the_env_file_beside_it_says(
    tmp_path: Path, name: str, chapters: Sequence[Chapter]
) -> None:
    beside = (
        "KATANA_API_KEY=of-a-real-account",
        "KATANA_BASE_URL=https://katana.example/v1",
        "KATANA_MCP_TOOLSETS=sales",
    )
    (tmp_path / ".env").write_text("\n".join(beside))
    done = shown(tmp_path, name, "--no-color")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr, lines[-1]) == (0, "", "every step was right")
    assert {line[2:].partition("(")[0] for line in lines if line.startswith("> ")} == {
        step.tool for chapter in chapters for step in chapter.steps
    }
    assert any(PART in line and "FSKT-35M" in line for line in lines)
    assert "\033" not in done.stdout
    assert "of-a-real-account" not in done.stdout
    printed = iter(words_of(done.stdout.removeprefix("Katana MCP: ")))
    # Each search goes on where the one before it ended, so the order is held too.
    assert [line for line in words_of(sample()) if line not in printed] == []


@pytest.mark.soak
def test_a_step_that_goes_wrong_is_told_and_ends_it_with_exit_code_1(tmp_path: Path) -> None:
    broken = """
import dataclasses, sys
from katana_mcp import __main__
from katana_mcp.commands.demo import chapters

chapter, *_ = chapters.CHAPTERS
first, *_, last = chapter.steps
failing = dataclasses.replace(last, arguments=lambda _: {"query": ""})
wrong = dataclasses.replace(first, wrong=lambda _: "not what was meant")
steps = (dataclasses.replace(first, repeats=True), wrong, failing)
chapters.CHAPTERS = (dataclasses.replace(chapter, steps=steps),)
sys.argv = ["katana-mcp", "demo"]
__main__.main()
"""
    command = [sys.executable, "-c", broken]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=100)
    assert (done.returncode, done.stderr) == (1, "")
    assert "  wrong: the answer is another one, or Katana was asked again\n" in done.stdout
    assert "  wrong: not what was meant\n" in done.stdout
    assert done.stdout.endswith("\n3 of 3 steps went wrong\n")


@pytest.mark.soak
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
@pytest.mark.parametrize("tell", [os.kill, os.killpg])
def test_told_to_stop_it_ends_without_a_word_and_leaves_nothing(
    tmp_path: Path, tell: Callable[[int, int], None], number: int, code: int
) -> None:
    (tmp_path / "kept").mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KATANA")}
    with subprocess.Popen(
        [sys.executable, "-m", "katana_mcp", "demo"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment | {"TMPDIR": str(tmp_path / "kept")},
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert any(line.startswith("> ") for line in process.stdout)
        assert list((tmp_path / "kept").iterdir())
        tell(process.pid, number)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err, list((tmp_path / "kept").iterdir())) == (code, "", [])


@pytest.mark.parametrize(("name", "value"), [("KATANA_CACHE_BACKEND", "bad"), ("KATANA_SANDBX", "1")])
def test_a_wrong_setting_ends_it_with_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], name: str, value: str
) -> None:
    for variable in [key for key in os.environ if key.startswith("KATANA")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["katana-mcp", "demo"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    said = capfd.readouterr()
    assert (end.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert name in said.err
