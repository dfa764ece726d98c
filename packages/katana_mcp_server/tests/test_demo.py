"""The demo and the command line as people use them: a pipe that closes, Ctrl-C, terminals without colour."""

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from katana_mcp.demo.show import takes_color
from katana_mcp.demo.steps import PART, STEPS


class Terminal(io.StringIO):
    """A screen that people look at."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.mark.parametrize(
    ("environment", "colored"),
    [
        ({}, True),
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
    ],
)
def test_colours_are_for_terminals_that_want_them(environment: Mapping[str, str], *, colored: bool) -> None:
    assert takes_color(Terminal(), environment) is colored
    assert takes_color(io.StringIO(), environment) is False


@pytest.mark.parametrize("arguments", [["tools"], ["tools", "--json"]])
def test_a_reader_that_leaves_early_ends_it_without_a_word(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        command = [sys.executable, "-m", "katana_mcp", *arguments]
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (141, b"")


INTERRUPTED = """
import os, signal, sys
from katana_mcp import __main__


WANTED = sys.argv[1]


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == WANTED:
            os.kill(os.getpid(), signal.SIGINT)


sys.meta_path.insert(0, Finder())
sys.argv = ["katana-mcp", "tools"]
__main__.main()
"""


@pytest.mark.parametrize("module", ["katana_mcp.cli", "pydantic", "katana_mcp.settings", "katana_mcp.surface"])
def test_ctrl_c_while_modules_are_imported_ends_it_without_a_word(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, module]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_short_stock_says_where_and_by_how_much() -> None:
    (step,) = [each for each in STEPS if each.tool == "check_inventory"]
    figures = {"in_stock": 42, "committed": 9, "expected": 0, "available": 33}
    places = [
        {"location_id": 1, "location": "Main workshop", "missing_or_excess": -16},
        {"location_id": 2, "missing_or_excess": -0.5},
        {"location_id": 3, "location": "Shop", "missing_or_excess": 4},
    ]
    enough = {**figures, "sku": "B", "locations": [{"location_id": 1, "missing_or_excess": 0}, {"location_id": 2}]}
    lines = step.lines({"stock": [{**figures, "sku": "A", "short": True, "locations": places}, enough]})
    assert lines[1].endswith("33  SHORT by 16 at Main workshop, by 0.5 at 2")
    assert lines[2].endswith("33")


def shown(directory: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the whole demo without a terminal, in a directory of its own."""
    command = [sys.executable, "-m", "katana_mcp", "demo", *words]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KATANA")}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=directory, env=kept | environment, check=False, timeout=100
    )


def test_the_whole_demo_is_right_whatever_the_env_file_beside_it_says(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KATANA_API_KEY=of-a-real-account\nKATANA_MCP_TOOLSETS=sales\n")
    done = shown(tmp_path, "--no-color")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr, lines[-1]) == (0, "", "every step was right")
    assert {line[2:].partition("(")[0] for line in lines if line.startswith("> ")} == {step.tool for step in STEPS}
    assert any(PART in line and "FSKT-35M" in line for line in lines)
    assert "\033" not in done.stdout
    assert "of-a-real-account" not in done.stdout


def test_a_step_that_goes_wrong_is_told_and_ends_it_with_exit_code_1(tmp_path: Path) -> None:
    broken = """
import dataclasses, sys
from katana_mcp import __main__
from katana_mcp.demo import show

first, *_, last = show.STEPS
failing = dataclasses.replace(last, arguments=lambda _: {"query": ""})
show.STEPS = (dataclasses.replace(first, wrong=lambda _: "not what was meant"), failing)
sys.argv = ["katana-mcp", "demo"]
__main__.main()
"""
    command = [sys.executable, "-c", broken]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=100)
    assert (done.returncode, done.stderr) == (1, "")
    assert "  wrong: not what was meant\n" in done.stdout
    assert done.stdout.endswith("\n2 of 2 steps went wrong\n")


def test_a_wrong_setting_ends_it_with_one_sentence(tmp_path: Path) -> None:
    for environment in ({"KATANA_CACHE_BACKEND": "bad"}, {"KATANA_SANDBX": "1"}):
        done = shown(tmp_path, **environment)
        (name,) = environment
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert name in done.stderr
