"""An operator's catalogue in a directory, a toy server for it, and our server before both."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fastmcp import Client, FastMCP
from fastmcp.client.client import CallToolResult
from fastmcp.client.messages import MessageHandler

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.gateway.live import LiveCatalog
from katana_mcp.server.application import application
from katana_mcp.server.mcp.gateway import CatalogProvider
from katana_mcp.server.mcp.upstreams import Upstreams
from katana_mcp.server.wiring import Environment

TOY = Path(__file__).with_name("toy_upstream.py")

QUOTE: dict[str, Any] = {
    "name": "quote",
    "description": "Price of a parcel.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "kg": {"type": "number", "description": "Weight."},
            "unit": {"type": "string"},
            "note": {"type": ["string", "null"]},
        },
        "required": ["kg"],
    },
    "outputSchema": {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]},
    "annotations": {"readOnlyHint": True},
}
BOOK: dict[str, Any] = {
    "name": "book",
    "description": "Book a parcel.",
    "inputSchema": {"type": "object", "properties": {"kg": {"type": "number"}}, "required": ["kg"]},
    "annotations": {"destructiveHint": True},
}
TRACK: dict[str, Any] = {
    "name": "track",
    "description": "Where a parcel is.",
    "inputSchema": {"type": "object", "properties": {"number": {"type": "string"}, "order": {"type": "string"}}},
}
ANSWERS: dict[str, Any] = {"quote": {"content": [{"type": "text", "text": "9.5"}], "structuredContent": {"price": 9.5}}}


@dataclass
class Toy:
    """What a toy server lists and answers, in the file that it reads."""

    path: Path
    tools: dict[str, dict[str, Any]] = field(default_factory=lambda: {t["name"]: t for t in (QUOTE, BOOK, TRACK)})
    answers: dict[str, Any] = field(default_factory=lambda: dict(ANSWERS))
    slow: dict[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        self.says()

    def says(self, tool: str = "", **parts: object) -> None:
        """Change parts of a tool; a part that is None goes, and a tool without parts too."""
        if tool and not parts:
            del self.tools[tool]
        elif tool:
            changed = {**self.tools[tool], **parts}
            self.tools[tool] = {key: value for key, value in changed.items() if value is not None}
        payload = {"tools": list(self.tools.values()), "answers": self.answers, "slow": self.slow}
        self.path.write_text(json.dumps(payload), "utf-8")

    def answers_with(self, tool: str, *texts: str, structured: object = None) -> None:
        """Have a tool answer so from now on."""
        content = [{"type": "text", "text": text} for text in texts]
        self.answers[tool] = {"content": content} | ({} if structured is None else {"structuredContent": structured})
        self.says()


class ServedToy:
    """A toy server over HTTP, in a process of its own that is killed and started again."""

    def __init__(self, toy: Toy) -> None:
        self.toy = toy
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it unless it runs, and wait until it answers."""
        if self._process is not None:
            return
        command = [sys.executable, str(TOY), str(self.toy.path), str(self.port)]
        self._process = subprocess.Popen(command, env={**os.environ, "TOY_SECRET": ""}, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise AssertionError

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def running_toy(directory: Path) -> Generator[ServedToy]:
    """Run a toy server over HTTP."""
    served = ServedToy(Toy(directory / "toy.json"))
    served.start()
    try:
        yield served
    finally:
        served.kill()


@dataclass(frozen=True)
class Site:
    """A directory with a catalogue, and its state.

    Attributes:
        home: holds `catalog.toml` and, below `kept`, the state.
        own: the factory behind our server.
    """

    home: Path
    own: OwnSandbox

    @property
    def written(self) -> Path:
        return self.home / "catalog.toml"

    @property
    def state(self) -> Path:
        return self.home / "kept" / "catalog"

    def write(self, *lines: str) -> None:
        self.written.write_text("\n".join(lines), "utf-8")

    def json(self, name: str) -> dict[str, Any]:
        return json.loads((self.state / name).read_text("utf-8"))

    def settings(self, **flags: object) -> dict[str, object]:
        """Return what our server is started with; of our own tools two are served."""
        usual: dict[str, object] = {
            "sandbox": True,
            "api_key": self.own.api_key,
            "cache_dir": self.home / "kept",
            "catalog_file": self.written,
            "catalog": "enforce",
            "tools": ("cache_status", "search_items"),
        }
        return usual | flags

    def server(self, **flags: object) -> FastMCP[Any]:
        outside = Environment(transport=self.own.transport(), clock=self.own.sandbox.clock, in_memory=True)
        return application(load(**self.settings(**flags)), outside)

    @asynccontextmanager
    async def served(
        self, era: Literal["auto", "legacy"] = "auto", handler: MessageHandler | None = None, **flags: object
    ) -> AsyncGenerator["Host"]:
        """Serve, connect, and wait until each server was looked at once."""
        server = self.server(**flags)
        (provider,) = [candidate for candidate in server.providers if isinstance(candidate, CatalogProvider)]
        async with Client(server, mode=era, message_handler=handler) as client:
            host = Host(client, provider.upstreams)
            await host.looked()
            yield host


@dataclass(frozen=True)
class Host:
    """A client of our server, and what our server knows of others."""

    client: Client[Any]
    upstreams: Upstreams

    @property
    def live(self) -> LiveCatalog:
        return self.upstreams.live

    async def looked(self) -> None:
        """Wait for the first look at each server."""
        async with asyncio.timeout(60):
            while {"starting"} & {server.get("state") for server in self.live.snapshot()["servers"].values()}:
                if any(server.get("reason") for server in self.live.snapshot()["servers"].values()):
                    return
                await asyncio.sleep(0.01)

    async def check(self, times: int = 1) -> None:
        for _ in range(times):
            await self.upstreams.check()

    async def names(self) -> set[str]:
        return {tool.name for tool in await self.client.list_tools()}

    async def listed(self) -> dict[str, dict[str, Any]]:
        definitions = [
            tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in await self.client.list_tools()
        ]
        return {tool["name"]: {key: value for key, value in tool.items() if key != "_meta"} for tool in definitions}

    async def call(self, tool: str, **arguments: object) -> CallToolResult:
        return await self.client.call_tool(tool, arguments, raise_on_error=False)

    async def refusal(self, tool: str, **arguments: object) -> dict[str, Any]:
        result = await self.call(tool, **arguments)
        assert result.is_error, result
        return json.loads(getattr(result.content[0], "text", ""))


def toml_of(name: str, **fields: object) -> str:
    """Return a table of an upstream."""
    return "\n".join([f"[upstreams.{name}]", *(f"{key} = {json.dumps(value)}" for key, value in fields.items())])


def kinds(drift: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Return differences without what is old and new."""
    return [(change["kind"], change["tool"], change["part"]) for change in drift]
