"""The demo and the command line as people use them: a pipe that closes, Ctrl-C, terminals without colour."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from typing import Self, get_args

import pytest
import structlog
from fastmcp.client.client import CallToolResult
from mcp.types import TextContent, Tool

from katana_mcp.commands import first_sync
from katana_mcp.commands.cli import ChapterName
from katana_mcp.commands.demo import show
from katana_mcp.commands.demo.buying import BUYING
from katana_mcp.commands.demo.chapters import CHAPTERS
from katana_mcp.commands.demo.show import environment as server_environment
from katana_mcp.commands.demo.show import requests
from katana_mcp.commands.demo.step import Chapter, Step, always, by_row
from katana_mcp.configuration.logs import configure, takes_color


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


@pytest.mark.parametrize(
    ("environment", "colored"), [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({}, True)]
)
def test_what_is_logged_on_a_terminal_has_the_colours_that_are_wanted(
    monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str], *, colored: bool
) -> None:
    screen = Terminal()
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", screen)
    configure("INFO")
    try:
        structlog.get_logger("katana_mcp").info("told", what="nothing")
    finally:
        structlog.reset_defaults()
    assert "told" in screen.getvalue()
    assert ("\x1b" in screen.getvalue()) is colored


def test_the_server_of_the_demo_logs_without_colours_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATANA_CACHE_BACKEND", "typed")
    monkeypatch.setenv("KATANA_API_KEY", "of no account of the demo")
    assert server_environment(color=True) == {"KATANA_CACHE_BACKEND": "typed"}
    assert server_environment(color=False) == {"KATANA_CACHE_BACKEND": "typed", "NO_COLOR": "1"}


@pytest.mark.parametrize("arguments", [pytest.param(["tools"], marks=pytest.mark.soak), ["tools", "--json"]])
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


@pytest.mark.parametrize(
    "module",
    ["katana_mcp.commands.cli", "pydantic", "katana_mcp.configuration.settings", "katana_mcp.server.catalogue"],
)
def test_ctrl_c_while_modules_are_imported_ends_it_without_a_word(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, module]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_search_without_a_hit_says_which_records_it_looked_through() -> None:
    (step,) = [candidate for candidate in BUYING.steps if candidate.title == "The same with a typo"]
    lines = step.lines({"empty": {"records": 153, "searched": "00", "did_you_mean": ["01"]}})
    assert lines[0] == "nothing among 153 records that are neither deleted nor archived matches '00'"


@pytest.mark.parametrize(("count", "words"), [(0, "0 API requests"), (1, "1 API request"), (2, "2 API requests")])
def test_requests_are_counted_in_words(count: int, words: str) -> None:
    assert requests(count) == words


def test_a_short_stock_says_where_and_by_how_much() -> None:
    (step,) = [candidate for candidate in BUYING.steps if candidate.tool == "check_inventory"]
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


def test_the_command_line_names_the_chapters_that_there_are() -> None:
    assert get_args(ChapterName.__value__) == (*(chapter.name for chapter in CHAPTERS), "all")


class Slow:
    """A client of a server whose first sync goes on for so many calls."""

    def __init__(self, early: int) -> None:
        self.early = early
        self.calls = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None: ...

    async def list_tools(self) -> list[Tool]:
        return [Tool(name="search_items", input_schema={})]

    async def call_tool(self, tool: str, arguments: Mapping[str, object], **more: object) -> CallToolResult:
        del tool, arguments, more
        self.calls += 1
        answer: dict[str, object] = (
            {"rows": [], "warming": f"{self.calls}/7"} if self.calls <= self.early else {"rows": [], "total": 3}
        )
        content = TextContent(type="text", text=json.dumps(answer))
        return CallToolResult(content=[content], structured_content=None, meta=None, is_error=False)


@pytest.mark.parametrize(
    ("early", "patience", "code", "said"),
    [
        (
            2,
            60.0,
            0,
            ["the first sync goes on, 1/7: asked again", "the first sync goes on, 2/7: asked again", "3 in all"],
        ),
        (9, 0.0, 1, ["wrong: {'message': 'the first sync takes longer than 0 s'}"]),
    ],
)
async def test_a_step_asks_again_while_the_first_sync_goes_on_and_gives_up_in_the_end(
    monkeypatch: pytest.MonkeyPatch, early: int, patience: float, code: int, said: list[str]
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(show, "Screen", partial(show.Screen, write=shown.append))
    slow = Slow(early)

    def client(*_: object, **__: object) -> Slow:
        return slow

    monkeypatch.setattr(show, "Client", client)
    monkeypatch.setattr(first_sync, "AGAIN", 0.0)
    monkeypatch.setattr(first_sync, "PATIENCE", patience)
    step = Step("What is there?", "search_items", always(), lambda _: None, by_row("{sku}"))
    assert await show.run([Chapter("one", "One", (step,))], color=False) == code
    lines = [line.strip() for line in shown]
    asked = lines[lines.index("> search_items()") + 1 :]
    assert asked[: len(said)] == said
