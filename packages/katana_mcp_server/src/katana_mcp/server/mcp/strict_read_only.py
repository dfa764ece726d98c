"""A request that asks to read only: what changes something is neither listed nor called for it."""

from collections.abc import Sequence
from typing import Any

from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import Tool, ToolResult
from mcp.types import CallToolRequestParams

from katana_mcp.server.mcp.caller import READ_ONLY, caller
from katana_mcp.server.mcp.finder import CALL, meant
from katana_mcp.server.mcp.hooks import Hooks
from katana_mcp.server.mcp.tool import refused
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, blocking


class Tightening(Hooks):
    """Neither lists nor calls a tool that is not known to only read, where the request asks to read only."""

    async def on_list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        """List what only reads, where the request asks for it."""
        listed = await call_next(context)
        return [tool for tool in listed if _only_reads(tool)] if caller().read_only else listed

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Refuse a tool that changes something, where the request asks to read only."""
        if not caller().read_only or context.fastmcp_context is None:
            return await call_next(context)
        name = meant(context.message, {CALL})
        tool = await context.fastmcp_context.fastmcp.get_tool(name)
        if tool is None or _only_reads(tool):
            return await call_next(context)
        message = f"this request came with {READ_ONLY}, so {name} is refused: nothing was written"
        return refused(Refused(blocking(warning_codes.READ_ONLY, message)))


def _only_reads(tool: Tool) -> bool:
    return tool.annotations is not None and bool(tool.annotations.read_only_hint)
