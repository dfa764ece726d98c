"""Our own tools, each looked up by its first call: every later one runs it at once.

For each call FastMCP looks a tool up through providers, transforms and the rules of a session, in a context and a span
of their own. None of it changes a tool of ours, and it takes a tenth of a call (ADR-0153).
"""

from collections.abc import Collection
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import Tool, ToolResult
from mcp.types import CallToolRequestParams

from katana_mcp.server.mcp.hooks import Hooks


class OwnTools(Hooks):
    """Runs a tool of ours, and passes on what is none of them; no other middleware comes after it.

    Args:
        server: what serves them.
        names: what they are called.
    """

    def __init__(self, server: FastMCP[Any], names: Collection[str]) -> None:
        self._server = server
        self._names = frozenset(names)
        self._found: dict[str, Tool] = {}

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Run the tool, whatever version is asked for: ours have none."""
        asked = context.message
        tool = await self._tool(asked.name) if asked.name in self._names else None
        return await (call_next(context) if tool is None else tool.run(asked.arguments or {}))

    async def _tool(self, name: str) -> Tool | None:
        if name not in self._found and (tool := await self._server.get_tool(name)) is not None:
            self._found[name] = tool
        return self._found.get(name)
