"""The protocol's conformance suite before the server over HTTP.

What may fail stands in `conformance.toml` with its reason; an exception that is no longer needed fails too.
"""

import asyncio
import re
import tomllib
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager, suppress

from clients.sdks import HERE, NPM, version_of
from clients.servers import TOKEN, served, site
from clients.table import Row

PACKAGE = "@modelcontextprotocol/conformance"
SUITE = NPM / "node_modules" / PACKAGE / "dist" / "index.js"
SCENARIO = "conformance"
_LONGEST = 600.0


async def conformance(node: str) -> Row:
    """Run the suite."""
    async with site("stdio") as here, with_token() as (listening, forward):
        there = f"localhost:{listening}"
        async with served(here, "--allowed-hosts", there) as url:
            forward(int(url.split(":")[-1].removesuffix("/mcp")))
            process = await asyncio.create_subprocess_exec(
                *(node, str(SUITE), "server", "--url", f"http://{there}/mcp"),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                cwd=here.home,
            )
            said, _ = await asyncio.wait_for(process.communicate(), _LONGEST)
    lawful = exceptions()
    name = f"conformance suite {version_of(PACKAGE)}, {len(lawful)} exceptions"
    return Row(name, "http", {SCENARIO: verdict(said.decode(), lawful)})


def exceptions() -> dict[str, str]:
    """Return the scenarios that may fail, with the reason of each.

    Raises:
        ValueError: one has no reason.
    """
    lawful: dict[str, str] = tomllib.loads((HERE / "conformance.toml").read_text())["exceptions"]
    if bare := [name for name, reason in lawful.items() if not reason.strip()]:
        raise ValueError(f"conformance.toml gives no reason for {', '.join(bare)}")
    return lawful


def verdict(said: str, lawful: Collection[str]) -> str:
    """Return "ok" when those fail that may, and no others.

    The suite has a list of expected failures too, but passes over names in it that it does not know.
    """
    ended = {name: mark for mark, name in _ENDED.findall(said.rpartition("=== SUMMARY ===")[2])}
    if not ended:
        return f"it did not come to an end: {said[-1_000:]}"
    failed = {name for name, mark in ended.items() if mark == "\N{BALLOT X}"}
    faults = [f"{name} fails" for name in sorted(failed - set(lawful))]
    faults += [f"{name} is an exception and does not fail" for name in sorted(set(lawful) - failed)]
    return "; ".join(faults) or "ok"


_ENDED = re.compile(r"^\W*?([\N{CHECK MARK}\N{BALLOT X}])\W*? ([a-z][\w/-]*): ", re.MULTILINE)


@asynccontextmanager
async def with_token() -> AsyncGenerator[tuple[int, "Forward"]]:
    """Listen on a port, and pass on what comes with the token, which the suite cannot send; Host and Origin stay."""
    forward = Forward()
    async with asyncio.TaskGroup() as passing:
        listener = await asyncio.start_server(
            lambda *streams: passing.create_task(forward.connected(*streams)) and None, "127.0.0.1", 0
        )
        async with listener:
            yield listener.sockets[0].getsockname()[1], forward
            forward.end()


class Forward:
    """Passes connections on to a port, one request each."""

    def __init__(self) -> None:
        self._port = 0
        self._ended = asyncio.Event()

    def __call__(self, port: int) -> None:
        """Pass on to this port from now on."""
        self._port = port

    def end(self) -> None:
        """Let go of streams that are still open."""
        self._ended.set()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass a connection on."""
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
            lines[1:1] = [f"Authorization: Bearer {TOKEN}".encode(), b"Connection: close"]
            there, back = await asyncio.open_connection("127.0.0.1", self._port)
            back.write(b"\r\n".join(lines))
            ends = [_pipe(reader, back), _pipe(there, writer), self._ended.wait()]
            tasks = [asyncio.ensure_future(end) for end in ends]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            back.close()
        writer.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
