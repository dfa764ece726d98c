"""A client of the Python SDK 2.x; its argument is, as JSON, how to connect (see `Connection` in drivers.py)."""

import asyncio
import json
import sys
from typing import Any

import httpx2
import mcp_types as mt
from deeds import Deeds, seen_of
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

CONNECTION = json.loads(sys.argv[1])
DEEDS = Deeds()


async def asked(_: object, params: mt.ElicitRequestParams) -> mt.ElicitResult:
    """Answer for the person."""
    DEEDS.questions.append(params.message)
    accepted = DEEDS.answer == "accept"
    return mt.ElicitResult(action=DEEDS.answer, content={"confirm": True} if accepted else None)


def _server() -> Any:  # noqa: ANN401 - a transport, whose type the SDK does not export
    if "url" in CONNECTION:
        headers = {"Authorization": f"Bearer {CONNECTION['token']}"}
        return streamable_http_client(CONNECTION["url"], http_client=httpx2.AsyncClient(headers=headers, timeout=120))
    program = {name: CONNECTION[name] for name in ("command", "args", "env", "cwd")}
    return stdio_client(StdioServerParameters(**program))


async def main() -> None:
    """Connect, and do what is told."""
    person = asked if CONNECTION["person"] else None
    mode = CONNECTION["era"]
    async with Client(_server(), mode=mode, elicitation_callback=person, read_timeout_seconds=120) as client:

        async def list_tools() -> list[str]:
            return [tool.name for tool in (await client.list_tools()).tools]

        async def call(tool: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
            result = await client.call_tool(tool, arguments, progress_callback=DEEDS.reported)
            return seen_of(list(result.content), is_error=result.is_error)

        async def cancel() -> None:
            """Nothing is to be said: a call whose task is cancelled is withdrawn by the SDK."""

        await DEEDS.run(list_tools, call, cancel)


asyncio.run(main())
