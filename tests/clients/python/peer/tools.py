"""Calls the tools of the foreign server, one JSON line each: `{"tool", "args"}` in, `{"error", "text"}` out."""

import asyncio
import json
import os
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


def say(result: dict[str, object]) -> None:
    """A line for the judge."""
    sys.stdout.write(json.dumps(result) + "\n")
    sys.stdout.flush()


async def accept(_message: str, response_type: type | None, _params: object, _context: object) -> object:
    """Whatever the server asks is confirmed."""
    return response_type(value=True) if response_type is not None else {}


async def main() -> None:
    """Serve until standard input ends."""
    transport = StdioTransport(sys.executable, ["-m", "katana_mcp"], env=dict(os.environ))
    loop = asyncio.get_running_loop()
    async with Client(transport, elicitation_handler=accept) as client:
        names = [tool.name for tool in await client.list_tools()]
        say({"tools": names})
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            asked = json.loads(line)
            try:
                done = await client.call_tool(asked["tool"], asked["args"], raise_on_error=False, timeout=60)
                text = "\n".join(getattr(part, "text", "") for part in done.content)
                found = {"error": done.is_error, "text": text + json.dumps(done.structured_content, default=str)}
            except Exception as problem:  # noqa: BLE001 - each is a result
                found = {"error": True, "text": repr(problem)}
            say(found)


asyncio.run(main())
