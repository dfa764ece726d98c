"""Keeps the cache fresh from when a client has been answered until it is idle: nothing of it delays an answer."""

from collections.abc import Collection, Sequence
from typing import Any

from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import Tool, ToolResult
from mcp.types import CallToolRequestParams

from katana_mcp.references.services import TenantDoor
from katana_mcp.server.mcp.hooks import Hooks


class Waking(Hooks):
    """Wakes the tenant after each listing of the tools and each call."""

    def __init__(self, tenant: TenantDoor, entities: Collection[str]) -> None:
        self._tenant = tenant
        self._entities = entities

    async def on_list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        """List the tools, then wake the tenant."""
        listed = await call_next(context)
        self._tenant.wake(self._entities)
        return listed

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call the tool, then wake the tenant."""
        result = await call_next(context)
        self._tenant.wake(self._entities)
        return result
