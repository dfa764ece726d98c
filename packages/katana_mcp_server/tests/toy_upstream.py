"""A toy MCP server on the Python SDK, for shipping or accounting: what it lists and answers stands in a file.

The file is read anew at each request, so that a test changes the server while it runs. Over stdio, or over HTTP where a
port is given.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import mcp.types as mt
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


def behaviour() -> dict[str, Any]:
    text = Path(sys.argv[1]).read_text("utf-8")
    given = {
        "$TOY_SECRET": os.environ.get("TOY_SECRET", ""),
        "$VARIABLES": " ".join(os.environ),
        "$PID": str(os.getpid()),
    }
    for name, value in given.items():
        text = text.replace(name, value)
    return json.loads(text)


async def list_tools(ctx: object, params: object) -> mt.ListToolsResult:
    return mt.ListToolsResult(tools=[mt.Tool.model_validate(tool) for tool in behaviour()["tools"]])


async def call_tool(ctx: ServerRequestContext[Any], params: mt.CallToolRequestParams) -> mt.CallToolResult:
    answer = behaviour()["answers"].get(params.name)
    await asyncio.sleep(behaviour()["slow"].get(params.name, 0))
    if answer is None:
        payload: dict[str, Any] = {"arguments": params.arguments}
        if params.name == "headers" and ctx.request is not None:
            payload["headers"] = dict(ctx.request.headers)
        answer = {"content": [{"type": "text", "text": json.dumps(payload)}], "structuredContent": payload}
    return mt.CallToolResult.model_validate(answer)


server: Server[Any] = Server("toy", version="1.0", on_list_tools=list_tools, on_call_tool=call_tool)


async def over_stdio() -> None:
    sys.stderr.write(f"toy started with {os.environ.get('TOY_SECRET')}\n")
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    if len(sys.argv) > 2:
        uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
    else:
        asyncio.run(over_stdio())
