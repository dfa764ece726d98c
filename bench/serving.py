"""The server against a FastMCP server with one tool that does nothing: calls, start, idle memory."""

import os
import resource
import sys
from functools import partial
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from bench.figures import Figure, Spread, spread
from bench.noop_server import server as noop_server
from katana_mcp.logs import configure
from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import Stage, staged

CALLS: dict[str, dict[str, object]] = {
    "search_items": {"query": "00.4021.018.003"},
    "get_variant_details": {"skus_or_variant_ids": ["00.4021.018.003"]},
    "check_inventory": {"skus_or_variant_ids": ["00.4021.018.003"]},
    "search_sales_orders": {"query": "SO"},
    "list_sales_orders": {"limit": 20},
    "search_customers": {"query": "a"},
    "cache_status": {},
}
STARTS = 5


async def warm_calls() -> list[Figure]:
    """Measure each tool warm, in memory, beside the call that does nothing; and the requests it sends."""
    configure("ERROR")
    async with Client(noop_server()) as client:
        await client.list_tools()
        least = await spread(lambda _: client.call_tool("nothing", {"text": "00.4021.018.003"}), 200)
    figures: list[Figure] = []
    async with staged(OwnSandbox()) as stage:
        offered = {tool.name for tool in await stage.client.list_tools()}
        for tool, arguments in CALLS.items():
            assert tool in offered, tool
            figures += await _warm(stage, tool, arguments, least)
    return figures


async def _warm(stage: Stage, tool: str, arguments: dict[str, object], least: Spread) -> list[Figure]:
    await stage.call(tool, **arguments)
    before = stage.requests()
    took = await spread(lambda _: stage.call(tool, **arguments), 100)
    asked = (stage.requests() - before) / 100
    figure = partial(Figure, topic="Warm tool calls, in-memory client", size=0)
    return [
        figure(what=f"{tool}, p50", value=took.p50, unit="ms", floor=least.p50, goal=least.p50 + 5),
        figure(what=f"{tool}, requests to Katana", value=asked, unit="requests", goal=0),
    ]


async def starts() -> list[Figure]:
    """Measure process start to `tools/list` over stdio, in seconds of the processor, and memory after it."""
    root = Path(__file__).parent.parent
    noop = await _started([str(root / "bench" / "noop_server.py")])
    ours = await _started(["-m", "katana_mcp", "serve", "--sandbox", "--log-level", "ERROR"])
    figure = partial(Figure, topic="Start over stdio", size=0)
    goal = "twice a FastMCP server with one tool"
    return [
        figure(what="start → tools/list", value=ours[0], unit="s CPU", floor=noop[0], goal=2 * noop[0], note=goal),
        figure(what="memory after tools/list", value=ours[1], unit="MB", floor=noop[1], goal=2 * noop[1], note=goal),
    ]


async def _started(arguments: list[str]) -> tuple[float, float]:
    """Return the least seconds of the processor of some starts, and the resident memory of the last."""
    spent: list[float] = []
    memory = 0.0
    for _ in range(STARTS):
        before = _children()
        transport = StdioTransport(sys.executable, arguments, env=dict(os.environ), keep_alive=False)
        async with Client(transport) as client:
            await client.list_tools()
            memory = _resident_of_children()
        spent.append(_children() - before)
    return min(spent), memory


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
