"""Tools under the names that earlier releases had for them: not listed any more, and called as ever."""

from collections.abc import Mapping
from typing import Any

from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp.types import CallToolRequestParams

from katana_mcp.server.mcp.finder import CALL, meant
from katana_mcp.server.mcp.hooks import Hooks

RENAMED: Mapping[str, str] = {}
"""By the name of a release, the name of today. What was released once stays here; nothing was renamed so far."""


class Renamed(Hooks):
    """Calls a tool that is named as it was once, by itself or through `call_tool`."""

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call the tool of today."""
        asked, given = context.message.name, context.message.arguments or {}
        update: dict[str, Any] = {}
        if asked in RENAMED:
            update = {"name": RENAMED[asked]}
        elif (inner := meant(context.message, {CALL})) in RENAMED:
            update = {"arguments": {**given, "name": RENAMED[inner]}}
        if not update:
            return await call_next(context)
        return await call_next(context.copy(message=context.message.model_copy(update=update)))
