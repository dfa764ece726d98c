"""Calls over HTTP by so many clients at once, each with a connection: the server beside one that does nothing.

Latency is that of the clock, whatever the timer is: the work is done in other processes. Clients are plain sockets,
which take little of the processor from the servers that are measured.
"""

import asyncio
import json
import os
import secrets
import statistics
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import lines
from bench.figures import Figure
from bench.report import FLOOR
from bench.serving import OURS

ROUNDS = 5
_SECONDS = 1.5
_WARM_AFTER = 120
"""Seconds that a first listing may take."""
_NOTHING = {"name": "nothing", "arguments": {"text": "00.4021.018.003"}}
_SEARCH = {"name": "search_items", "arguments": {"query": "00.4021.018.003"}}
_NOOP = (str(Path(__file__).with_name("noop_server.py")), "http")
_SERVE = ("-m", "katana_mcp", "serve", "--sandbox", "--http", "--port", "0", "--fresh-for", "86400")


@dataclass(frozen=True, slots=True)
class Server:
    """A server in a process of its own.

    Attributes:
        process: its number.
        port: where it listens.
        token: what it asks for.
        call: the call that it is measured by.
    """

    process: int
    port: int
    token: str
    call: Mapping[str, object]

    def spent(self) -> float:
        """Return the seconds of the processor that it has taken."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Taken:
    """What a server was measured to take.

    Attributes:
        calls: milliseconds of each call.
        processor: seconds of the processor for all of them.
    """

    calls: list[float]
    processor: float = 0.0


class Caller:
    """A client with a session over one connection."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._server = server
        self._reader = reader
        self._writer = writer
        self._session = ""

    async def open(self) -> None:
        """Begin a session, and make the first call."""
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        head, _ = await self._request({"id": 1, "method": "initialize", "params": about})
        self._session = f"Mcp-Session-Id: {head['mcp-session-id']}\r\n"
        await self._request({"method": "notifications/initialized"})
        await self.call()

    async def call(self) -> bytes:
        """Make the call; anything but an answer ends the measurement."""
        _, body = await self._request({"id": 2, "method": "tools/call", "params": self._server.call})
        assert b'"structuredContent":' in body, body[:500]
        assert b'"isError":true' not in body, body[:500]
        return body

    async def answer(self) -> dict[str, object]:
        """Return the tool that is called, as it is listed, and its answer once nothing is missing in it any more."""
        _, listed = await self._request({"id": 3, "method": "tools/list"})
        tools = _result(listed)["tools"]
        (tool,) = [one for one in tools if one["name"] == self._server.call["name"]]
        for _ in range(_WARM_AFTER):
            answer = _result(await self.call())
            if "warming" not in answer["structuredContent"]:
                return {"tool": tool, "answer": answer}
            await asyncio.sleep(1)
        raise AssertionError("the first listing does not end")

    async def reconnect(self) -> None:
        """Go on over a new connection: a server closes one that was idle for seconds, while others had their turn."""
        self._writer.close()
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._server.port)

    def close(self) -> None:
        """Leave."""
        self._writer.close()

    async def _request(self, message: Mapping[str, object]) -> tuple[Mapping[str, str], bytes]:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._writer.write(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._server.port}\r\n"
            f"Authorization: Bearer {self._server.token}\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
            f"{self._session}Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        status, *header_lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        head = {name.lower(): value for name, _, value in (line.partition(": ") for line in header_lines)}
        answer = await self._body(head)
        assert status.split()[1] in {"200", "202"}, (status, answer)
        return head, answer

    async def _body(self, head: Mapping[str, str]) -> bytes:
        if "content-length" in head:
            return await self._reader.readexactly(int(head["content-length"]))
        chunks: list[bytes] = []
        while length := int(await self._reader.readuntil(b"\r\n"), 16):
            chunks.append((await self._reader.readexactly(length + 2))[:-2])
        await self._reader.readexactly(2)
        return b"".join(chunks)


def _result(body: bytes) -> dict[str, Any]:
    """Return the result of an answer, which comes as JSON or as the last of some events."""
    *_, data = [line.removeprefix(b"data: ") for line in body.splitlines() if line.startswith((b"data: {", b"{"))]
    result: dict[str, Any] = json.loads(data)["result"]
    return result


async def calls(_size: int, directory: Path) -> list[Figure]:
    """Measure calls by 1, 8, 32 and 100 clients at once, in turn on every server."""
    figures: list[Figure] = []
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(_served(directory, _SERVE, _SEARCH))
        given = directory / "answer.json"
        async with _clients(ours, 1) as (caller,):
            given.write_text(json.dumps(await caller.answer()), "utf-8")
        servers = {
            OURS: ours,
            lines.SAME: await stack.enter_async_context(_served(directory, (*_NOOP, str(given)), _SEARCH)),
            FLOOR: await stack.enter_async_context(_served(directory, _NOOP, _NOTHING)),
        }
        for number in lines.CLIENTS:
            taken = await _side_by_side(servers, number)
            of: dict[str, dict[str, float]] = {
                lines.LATENCY: {name: statistics.median(measured.calls) for name, measured in taken.items()},
                lines.SPREAD: {name: _spread(measured.calls) for name, measured in taken.items()},
                lines.PER_PROCESSOR: {
                    name: len(measured.calls) / measured.processor for name, measured in taken.items()
                },
            }
            figures += [Figure(topic=lines.HTTP, what=what, size=number, values=of[what]) for what in of]
    return figures


def _spread(calls: Sequence[float]) -> float:
    """Return how many times the median the time is that 99 of 100 calls stay below."""
    return statistics.quantiles(calls, n=100)[-1] / statistics.median(calls)


async def _side_by_side(servers: Mapping[str, Server], number: int) -> dict[str, Taken]:
    taken = {name: Taken([]) for name in servers}
    async with AsyncExitStack() as stack:
        callers = {name: await stack.enter_async_context(_clients(target, number)) for name, target in servers.items()}
        for _ in range(ROUNDS):
            for name, server in servers.items():
                await asyncio.gather(*(caller.reconnect() for caller in callers[name]))
                before = server.spent()
                end = time.monotonic() + _SECONDS
                for durations in await asyncio.gather(*(_called(caller, end) for caller in callers[name])):
                    taken[name].calls += durations
                taken[name].processor += server.spent() - before
    return taken


async def _called(caller: Caller, end: float) -> list[float]:
    """Call until the time is over; return how long each call took, in milliseconds."""
    took: list[float] = []
    while (began := time.monotonic()) < end:
        await caller.call()
        took.append((time.monotonic() - began) * 1_000)
    return took


@asynccontextmanager
async def _clients(server: Server, number: int) -> AsyncGenerator[Sequence[Caller]]:
    callers = [Caller(server, *await asyncio.open_connection("127.0.0.1", server.port)) for _ in range(number)]
    try:
        for caller in callers:
            await caller.open()
        yield callers
    finally:
        for caller in callers:
            caller.close()


@asynccontextmanager
async def _served(directory: Path, command: Sequence[str], call: Mapping[str, object]) -> AsyncGenerator[Server]:
    token = secrets.token_hex()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *command),
        stderr=asyncio.subprocess.PIPE,
        cwd=directory,
        env={**os.environ, "KATANA_MCP_HTTP_TOKEN": token, "KATANA_MCP_LOG_LEVEL": "ERROR"},
    )
    assert process.stderr is not None
    try:
        said = (await process.stderr.readline()).decode()
        yield Server(process.pid, int(said.rpartition(":")[2].partition("/")[0]), token, call)
    finally:
        process.kill()
        await process.wait()
