"""Who works in a story: asks, plans and applies, in this process or through a client of a real one."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from katana_mcp.testing import Stage, text_of

type Call = Callable[[str, dict[str, object]], Awaitable[dict[str, Any]]]


@dataclass
class Clerk:
    """Who works: asks, shows a plan, has it applied, and keeps what became of each."""

    call: Call
    rest: Callable[[], None]
    written: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def asks(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return an answer."""
        return await self.call(tool, arguments)

    async def does(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Plan, apply, and return the outcome: everything was applied, once."""
        self.rest()
        return await self.carries_out(await self.asks(tool, **arguments))

    async def carries_out(self, preview: dict[str, Any]) -> dict[str, Any]:
        """Apply what was shown, and return the outcome: everything was applied, once."""
        assert "plan_token" in preview, preview["message"]
        return await self.applies(preview["plan_token"])

    async def applies(self, token: str) -> dict[str, Any]:
        """Apply a plan twice: the second time tells what the first one did."""
        (outcome,) = (await self.asks("apply_plan", plan_tokens=[token]))["outcomes"]
        again = (await self.asks("apply_plan", plan_tokens=[token]))["outcomes"][0]
        assert (outcome["failed"], outcome["unknown"], outcome["not_tried"]) == (0, 0, 0), outcome
        assert again["entry"] == outcome["entry"]
        self.written.append(outcome)
        return outcome


@asynccontextmanager
async def over_stdio(url: str, key: str, home: Path) -> AsyncGenerator[Client[Any]]:
    """Connect a client to a real process that works on the sandbox behind an address."""
    environment = {"KATANA_SANDBOX": "true", "KATANA_BASE_URL": url, "KATANA_API_KEY": key}
    arguments = ["-m", "katana_mcp", "serve", "--toolsets", "all", "--cache-dir", str(home)]
    transport = StdioTransport(sys.executable, arguments, env=environment, cwd=str(home))
    async with Client(transport) as client:
        yield client


def direct(stage: Stage) -> Call:
    """Return a way to call tools of a server in this process."""

    async def call(tool: str, arguments: dict[str, object]) -> dict[str, Any]:
        return await stage.call(tool, **arguments)

    return call


def patient(client: Client[Any]) -> Call:
    """Return a way to call tools of a client that waits where Katana's requests of the minute are used up."""

    async def call(tool: str, arguments: dict[str, object]) -> dict[str, Any]:
        while True:
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            answer = json.loads(text_of(result))
            codes = {warning["code"] for warning in answer["warnings"]}
            if not codes & {"katana_unavailable", "stock_unknown", "plan_running"}:
                assert not result.is_error, answer
                return answer
            await asyncio.sleep(20)  # Katana takes 60 requests a minute: the answer says so, and goes on

    return call
