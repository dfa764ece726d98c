"""The floor of a tool call and of a start: a FastMCP server with one tool that does nothing.

Beside it one whose tools give the answers of others again: what an answer costs FastMCP and its client by its size.
"""

import json
import socket
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Self

import mcp.types as mt
from fastmcp import FastMCP
from fastmcp.client.client import CallToolResult
from fastmcp.tools.base import Tool, ToolResult
from pydantic import PrivateAttr


def server() -> FastMCP[Any]:
    """Return the server."""
    mcp: FastMCP[Any] = FastMCP("noop")

    @mcp.tool
    def nothing(text: str) -> dict[str, str]:
        """Give the text back."""
        return {"text": text}

    return mcp


class Repeating(Tool):
    """A tool that gives one answer, whatever is asked; what has to ask others for it asks them first."""

    _answer: ToolResult = PrivateAttr()
    _ask: Callable[[], Awaitable[object]] | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, tool: mt.Tool, answer: CallToolResult, ask: Callable[[], Awaitable[object]] | None = None) -> Self:
        """Return a tool that looks like this one, and answers so after it has asked."""
        return cls.again(tool, answer.content, answer.structured_content, ask)

    @classmethod
    def again(
        cls,
        tool: mt.Tool,
        content: list[mt.ContentBlock],
        structured: dict[str, Any] | None,
        ask: Callable[[], Awaitable[object]] | None = None,
    ) -> Self:
        """Return a tool that looks like this one, and answers with this content after it has asked."""
        repeating = cls(name=tool.name, parameters=tool.input_schema, output_schema=tool.output_schema)
        repeating._answer, repeating._ask = ToolResult(content=content, structured_content=structured), ask
        return repeating

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Give the answer."""
        del arguments
        if self._ask is not None:
            await self._ask()
        return self._answer


def _given(file: Path) -> Repeating:
    """Return the tool of a file that holds its `tool`, as it was listed, and the `answer` to give."""
    given = json.loads(file.read_text("utf-8"))
    answer = mt.CallToolResult.model_validate(given["answer"])
    return Repeating.again(mt.Tool.model_validate(given["tool"]), answer.content, answer.structured_content)


def repeating(tools: Iterable[Repeating]) -> FastMCP[Any]:
    """Return a server of such tools."""
    return FastMCP("repeating", tools=list(tools))


def main() -> None:
    """Serve over stdio, or with `http` on a free port, which stderr tells; a file of an answer is given again."""
    if sys.argv[1:2] != ["http"]:
        server().run(show_banner=False)
        return
    serving = repeating([_given(Path(file)) for file in sys.argv[2:]]) if sys.argv[2:] else server()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sys.stderr.write(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp\n")
        sys.stderr.flush()
        quiet = {"access_log": False, "log_level": "warning"}
        serving.run(transport="http", show_banner=False, sockets=[listener], uvicorn_config=quiet)


if __name__ == "__main__":
    main()
