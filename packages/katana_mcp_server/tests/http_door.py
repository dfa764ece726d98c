"""The HTTP door on real sockets: a server behind it, and requests with exactly the headers that are given."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.server.application import application
from katana_mcp.server.mcp.transports import serve
from katana_mcp.server.wiring import Environment

TOKEN = "canary-http-token-0123456789"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True)
class Door:
    """A served address."""

    port: int

    async def knock(self, headers: Mapping[str, str], body: object = HELLO) -> tuple[int, str]:
        """POST with exactly these headers; return status and body."""
        return await self.request("POST", headers, json.dumps(body).encode())

    async def request(
        self, method: str, headers: Mapping[str, str], content: bytes = b"", path: str = "/mcp"
    ) -> tuple[int, str]:
        """Send with exactly these headers; return status, and head and body as they came."""
        fixed = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Content-Length": str(len(content)),
            "Connection": "close",
        }
        lines = [f"{name}: {value}" for name, value in {**fixed, **headers}.items()]
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write("\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode() + content)
        await writer.drain()
        answer = (await reader.read()).decode()
        writer.close()
        await writer.wait_closed()
        return int(answer.split(" ", 2)[1]), answer


@asynccontextmanager
async def opened(own: OwnSandbox, capsys: pytest.CaptureFixture[str], **flags: object) -> AsyncGenerator[Door]:
    """Serve over HTTP on a free port."""
    usual: dict[str, object] = {"http_token": TOKEN, "port": 0, "toolsets": ("all",)}
    settings = load(_env_file=None, sandbox=True, api_key=own.api_key, http=True, **(usual | flags))
    outside = Environment(transport=own.transport(), clock=own.sandbox.clock, in_memory="cache_dir" not in flags)
    serving = asyncio.create_task(serve(application(settings, outside), settings))
    try:
        said = ""
        while not (found := re.search(r"serves MCP on http://[\d.]+:(\d+)/mcp", said)):
            await asyncio.wait({serving}, timeout=0.01)
            assert not serving.done(), serving
            said += capsys.readouterr().err
        yield Door(int(found[1]))
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
