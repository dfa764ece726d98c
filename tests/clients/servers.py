"""The server as hosts start it, over stdio or HTTP, before a sandbox of its own in this process."""

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from katana_sandbox import Sandbox

type Transport = Literal["stdio", "http"]

TOKEN = "a-token-of-the-client-tests-0123456789"
_START = 120.0
"""Seconds that a server may take to start on a busy machine."""


@dataclass(frozen=True, slots=True)
class Site:
    """A sandbox, and how to reach a server before it.

    Attributes:
        sandbox: what the server reads and writes.
        command: what starts the server over stdio.
        environment: of that command.
        home: an empty folder, its working directory.
        url: where it is served over HTTP; empty over stdio.
    """

    sandbox: Sandbox
    command: tuple[str, ...]
    environment: Mapping[str, str]
    home: Path
    url: str = ""

    def connection(self) -> dict[str, object]:
        """Return how a driver connects."""
        if self.url:
            return {"url": self.url, "token": TOKEN}
        program, *arguments = self.command
        return {"command": program, "args": arguments, "env": dict(self.environment), "cwd": str(self.home)}

    def rows(self, collection: str) -> Iterator[dict[str, Any]]:
        """Return what Katana has, without what was deleted or archived."""
        rows = self.sandbox.tenant("default").all(collection)
        return (dict(row) for row in rows if not row.get("deleted_at") and not row.get("archived_at"))

    def customers(self, name: str) -> int:
        """Return how many customers have this name in Katana."""
        return sum(row["name"] == name for row in self.rows("customers"))


@asynccontextmanager
async def site(transport: Transport, *flags: str) -> AsyncGenerator[Site]:
    """Run a sandbox, and over HTTP a server before it; over stdio each client starts its own.

    Every tool is listed: some clients call only what is.
    """
    sandbox = Sandbox()
    with tempfile.TemporaryDirectory(prefix="katana-clients-") as folder:
        async with sandbox.serve(port=0) as url:
            command = (sys.executable, "-m", "katana_mcp", "serve", "--sandbox", "--base-url", url, "--toolsets", "all")
            environment = {
                "PATH": os.environ["PATH"],
                "HOME": folder,
                "KATANA_API_KEY": sandbox.default_key,
                "KATANA_CACHE_DIR": f"{folder}/cache",
                "KATANA_MCP_LOG_LEVEL": "ERROR",
            }
            here = Site(sandbox, (*command, *flags), environment, Path(folder))
            if transport == "stdio":
                yield here
                return
            async with served(here) as address:
                yield Site(sandbox, (), {}, Path(folder), address)


@asynccontextmanager
async def served(here: Site, *flags: str) -> AsyncGenerator[str]:
    """Serve over HTTP on a free port; give the URL.

    Raises:
        RuntimeError: it did not start.
    """
    process = await asyncio.create_subprocess_exec(
        *(*here.command, "--http", "--port", "0", *flags),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**here.environment, "KATANA_MCP_HTTP_TOKEN": TOKEN},
        cwd=here.home,
    )
    assert process.stderr is not None
    said: list[bytes] = []
    try:
        async with asyncio.timeout(_START):
            while not (found := re.search(rb"serves MCP on (\S+)", b"".join(said))):
                line = await process.stderr.readline()
                if not line:
                    raise RuntimeError(f"the server did not start: {b''.join(said).decode()}")
                said.append(line)
        draining = asyncio.create_task(process.stderr.read())
        yield found[1].decode()
        draining.cancel()
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@dataclass(slots=True)
class Driver:
    """A client in a process of its own that does what it is told, line by line."""

    process: asyncio.subprocess.Process
    asked: int = 0
    waiting: dict[int, asyncio.Future[dict[str, Any]]] = field(default_factory=dict)

    def tell(self, do: str, **more: object) -> asyncio.Future[dict[str, Any]]:
        """Tell it to do something; what it saw comes later."""
        assert self.process.stdin is not None
        self.asked += 1
        future = self.waiting[self.asked] = asyncio.get_running_loop().create_future()
        self.process.stdin.write(json.dumps({"id": self.asked, "do": do, **more}).encode() + b"\n")
        return future

    async def do(self, do: str, **more: object) -> dict[str, Any]:
        """Tell it to do something; return what it saw.

        Raises:
            TimeoutError: it saw nothing for two minutes.
        """
        return await asyncio.wait_for(self.tell(do, **more), _START)

    async def call(self, tool: str, *, answer: str = "decline", **arguments: object) -> dict[str, Any]:
        """Call a tool; return what the client saw, `answer` is what the person says when asked."""
        return await self.do("call", tool=tool, arguments=arguments, answer=answer)

    async def listen(self) -> None:
        """Pass on what it says until it ends."""
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            seen = json.loads(line)
            self.waiting.pop(seen["id"]).set_result(seen)
        for future in self.waiting.values():
            future.set_result({"thrown": "the client's process ended"})


@asynccontextmanager
async def driver(command: tuple[str, ...], connection: Mapping[str, object]) -> AsyncGenerator[Driver]:
    """Start a client and have it connect.

    Raises:
        RuntimeError: it could not connect.
    """
    process = await asyncio.create_subprocess_exec(
        *(*command, json.dumps(connection)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**24,
    )
    client = Driver(process)
    listening = asyncio.create_task(client.listen())
    try:
        connected = await client.do("connect")
        if "thrown" in connected:
            raise RuntimeError(f"it could not connect: {connected['thrown']}")
        yield client
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), 20)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        listening.cancel()
