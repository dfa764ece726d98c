"""The server against a FastMCP server with one tool that does nothing: calls, start, idle memory."""

import os
import resource
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, cast

import httpx
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from tests.surface.matrix import matrix
from tests.surface.prepared import prepared

from bench import lines
from bench.caches import FLOOR
from bench.figures import Figure, Work, p50, side_by_side
from bench.noop_server import Repeating, repeating
from bench.noop_server import server as noop_server
from cache_typed import dialect
from katana_mcp.caches.backends import BACKENDS
from katana_mcp.configuration.logs import configure
from katana_mcp.testing import Setup, Stage, staged
from katana_sandbox import JournalEntry, ManualClock

STARTS = 5
OURS = "ours"


TYPED, _WRITTEN = "typed", "written"
_CALLS = 50
_IN_A_MINUTE = 10
"""Requests that calls send while time stands still: what is read live has some 30 a minute."""


async def warm_calls(_size: int, _directory: Path) -> list[Figure]:
    """Measure each tool warm, in memory, beside the call that does nothing; and the requests it sends."""
    configure("ERROR")
    figures: list[Figure] = []
    async with AsyncExitStack() as stack:
        plain = await stack.enter_async_context(Client(noop_server()))
        stages: dict[str, Stage] = {}
        for name in BACKENDS:
            # Time stands still: what is measured is a warm call, not a refresh that falls due meanwhile.
            own = prepared(ManualClock(auto=False))
            stages[name] = await stack.enter_async_context(staged(own, Setup(flags={"cache_backend": name})))
        first = next(iter(stages.values()))
        katana = await stack.enter_async_context(_katana(first))
        same = await stack.enter_async_context(Client(repeating(await _answers(first, katana))))
        for tool in lines.READ_TOOLS:
            least: dict[str, Work] = {
                lines.SAME: lambda _, tool=tool: same.call_tool(tool),
                FLOOR: lambda _: plain.call_tool("nothing", {"text": "00.4021.018.003"}),
            }
            figures += await _warm(tool, stages, least)
    return figures


async def after_writes(_size: int, directory: Path) -> list[Figure]:
    """Measure all tools that ask Katana nothing: warm, and with something written to the cache before each call.

    What was read is read again then, and rows that are still the same are not made anew.
    """
    configure("ERROR")
    taken: list[Mapping[str, float]] = []
    async with AsyncExitStack() as stack:
        setup = Setup(cache_dir=directory, flags={"cache_backend": TYPED})
        stage = await stack.enter_async_context(staged(prepared(ManualClock(auto=False)), setup))
        katana = await stack.enter_async_context(_katana(stage))
        same = await stack.enter_async_context(Client(repeating(await _answers(stage, katana))))
        writer = stack.enter_context(closing(sqlite3.connect(_only_file(directory), isolation_level=None)))
        for tool in lines.READ_TOOLS:
            if tool not in lines.NOT_CACHED:
                _a_minute_later(stage)
                taken.append(await _after_writes(tool, stage, same, writer))
    return [
        Figure(
            topic=lines.CALLS, what=what, size=0, values={TYPED: _sum(taken, side), lines.SAME: _sum(taken, lines.SAME)}
        )
        for what, side in ((lines.IN_ALL, TYPED), (lines.IN_ALL_AFTER_WRITES, _WRITTEN))
    ]


async def _after_writes(tool: str, stage: Stage, same: Client[Any], writer: sqlite3.Connection) -> Mapping[str, float]:
    warm = partial(_called, stage, tool, _usual(stage, tool))

    async def write(repeat: int) -> object:
        return writer.execute(dialect.REMEMBER_STATE, ("nothing", str(repeat)))

    await warm(0)
    works: dict[str, Work] = {TYPED: warm, "a write": write, _WRITTEN: warm, lines.SAME: lambda _: same.call_tool(tool)}
    return p50(await side_by_side(works, _CALLS // 2))


def _only_file(directory: Path) -> Path:
    (file,) = directory.rglob(f"{TYPED}-*.db")
    return file


def _sum(taken: Sequence[Mapping[str, float]], side: str) -> float:
    return sum(times[side] for times in taken)


def _katana(stage: Stage) -> httpx.AsyncClient:
    own = stage.own
    key = {"Authorization": f"Bearer {own.api_key}"}
    return httpx.AsyncClient(transport=own.transport(), base_url="https://api.katanamrp.com", headers=key)


async def _answers(stage: Stage, katana: httpx.AsyncClient) -> list[Repeating]:
    """Return tools that give the answers of an everyday warm call again, after the requests that it sends."""
    by_name = {list_tool.name: list_tool for list_tool in await stage.client.list_tools()}
    found: list[Repeating] = []
    for tool in lines.READ_TOOLS:
        _a_minute_later(stage)
        await stage.result(tool, _usual(stage, tool))
        before = stage.requests()
        answer = await stage.result(tool, _usual(stage, tool))
        found.append(Repeating.of(by_name[tool], answer, partial(_asked, katana, stage.own.sandbox.journal[before:])))
    return found


async def _asked(katana: httpx.AsyncClient, entries: Sequence[JournalEntry]) -> None:
    """Send requests to Katana again, one after the other, and read the answers."""
    for entry in entries:
        answer = await katana.request(entry.method, entry.path, params=tuple(entry.query))
        answer.raise_for_status().json()


def _a_minute_later(stage: Stage) -> None:
    """Give what is read next the requests of a minute of its own."""
    clock = stage.own.sandbox.clock
    assert isinstance(clock, ManualClock)
    clock.advance(61)


async def _warm(tool: str, stages: dict[str, Stage], least: dict[str, Work]) -> list[Figure]:
    works: dict[str, Work] = {}
    before: dict[str, int] = {}
    for name, stage in stages.items():
        works[name] = partial(_called, stage, tool, _usual(stage, tool))
        _a_minute_later(stage)
        await works[name](0)
        before[name] = stage.requests()
    live = lines.NOT_CACHED.get(tool, 0)
    repeats = min(_CALLS, _IN_A_MINUTE // live) if live else _CALLS
    took = p50(await side_by_side(works | least, repeats))
    asked = {name: (stage.requests() - before[name]) / repeats for name, stage in stages.items()}
    return [
        Figure(topic=lines.CALLS, what=f"{tool}, p50", size=0, values=took),
        Figure(topic=lines.CALLS, what=f"{tool}, requests to Katana", size=0, values=asked),
    ]


def _usual(stage: Stage, tool: str) -> dict[str, object]:
    """Return the arguments of an everyday call: pages as long as they are when nobody says how long, and one SKU."""
    given = dict(matrix(stage.own.sandbox.tenant())[tool].arguments)
    given.pop("limit", None)
    if "skus_or_variant_ids" in given:
        given["skus_or_variant_ids"] = cast("list[object]", given["skus_or_variant_ids"])[:1]
    return given


async def _called(stage: Stage, tool: str, arguments: dict[str, object], _: int) -> object:
    return await stage.call(tool, **arguments)


async def starts(_size: int, directory: Path) -> list[Figure]:
    """Measure process start to `tools/list` over stdio, in seconds of the processor, and memory after it."""
    # As a host starts it; nobody answers there, and nothing is asked before the first call.
    account = {"KATANA_API_KEY": "a-key-of-nobody", "KATANA_BASE_URL": "http://127.0.0.1:9/v1"}
    ours = ["-m", "katana_mcp", "serve", "--cache-dir", str(directory), "--log-level", "ERROR"]
    noop = [str(Path(__file__).with_name("noop_server.py"))]
    starts = [(await _started(ours, account), await _started(noop, {})) for _ in range(STARTS)]
    own, floor = zip(*starts, strict=True)
    figure = partial(Figure, topic=lines.START, size=0)
    return [
        figure(what="start", values={OURS: min(own)[0], FLOOR: min(floor)[0]}),
        figure(what="memory, idle", values={OURS: own[-1][1], FLOOR: floor[-1][1]}),
    ]


async def _started(arguments: list[str], more: Mapping[str, str]) -> tuple[float, float]:
    """Return the seconds of the processor of a start, and the resident memory after it."""
    before = _children()
    transport = StdioTransport(sys.executable, arguments, env={**os.environ, **more}, keep_alive=False)
    async with Client(transport) as client:
        await client.list_tools()
        memory = _resident_of_children()
    return _children() - before, memory


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _resident_of_children() -> float:
    """Return the resident memory of this process's children, in MB."""
    pages = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == os.getpid():
                pages += int((stat.parent / "statm").read_text().split()[1])
        except (OSError, IndexError):
            continue  # it ended meanwhile
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
