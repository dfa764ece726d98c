"""A client of the Python SDK 1.x; its argument is, as JSON, how to connect (see `Connection` in drivers.py)."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import mcp.types as mt
from deeds import Deeds, seen_of
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client

CONNECTION = json.loads(sys.argv[1])
DEEDS = Deeds()


async def asked(_: object, params: mt.ElicitRequestParams) -> mt.ElicitResult:
    """Answer for the person."""
    DEEDS.questions.append(params.message)
    accepted = DEEDS.answer == "accept"
    return mt.ElicitResult(action=DEEDS.answer, content={"confirm": True} if accepted else None)


async def _session(stack: AsyncExitStack) -> ClientSession:
    if "url" in CONNECTION:
        headers = {"Authorization": f"Bearer {CONNECTION['token']}"}
        streams = await stack.enter_async_context(streamablehttp_client(CONNECTION["url"], headers))
    else:
        program = {name: CONNECTION[name] for name in ("command", "args", "env", "cwd")}
        streams = await stack.enter_async_context(stdio_client(StdioServerParameters(**program)))
    person = asked if CONNECTION["person"] else None
    session = ClientSession(streams[0], streams[1], timedelta(seconds=120), elicitation_callback=person)
    await stack.enter_async_context(session)
    await session.initialize()
    return session


async def main() -> None:
    """Connect, and do what is told."""
    async with AsyncExitStack() as stack:
        session = await _session(stack)

        async def list_tools() -> list[str]:
            return [tool.name for tool in (await session.list_tools()).tools]

        async def call(tool: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
            result = await session.call_tool(tool, arguments, progress_callback=DEEDS.reported)
            return seen_of(list(result.content), is_error=result.isError)

        async def cancel() -> None:
            request = session._request_id - 1  # noqa: SLF001 - 1.x tells a request's id nowhere else
            params = mt.CancelledNotificationParams(requestId=request, reason="not wanted any more")
            await session.send_notification(mt.ClientNotification(mt.CancelledNotification(params=params)))

        await DEEDS.run(list_tools, call, cancel)


asyncio.run(main())
