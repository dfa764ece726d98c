"""Tells a client that the list of tools changed, on the way of its next request: nothing can be pushed between two."""

from collections.abc import Sequence
from typing import Any

from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import Tool, ToolResult
from mcp.types import CallToolRequestParams, ToolListChangedNotification

from katana_mcp.server.mcp.caller import caller
from katana_mcp.server.mcp.confirming import is_modern
from katana_mcp.server.mcp.gateway import CatalogProvider
from katana_mcp.server.mcp.hooks import Hooks

_MOST_SESSIONS = 1_000


class ListChanges(Hooks):
    """Notes which list a session has seen, and says at a call that there is another one by now.

    Where requests stand for themselves, all that come with one token count as one session.
    """

    def __init__(self, provider: CatalogProvider) -> None:
        self._provider = provider
        self._seen: dict[str, int] = {}

    async def on_list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        """List, and note what this session has seen."""
        self._note(context)
        return await call_next(context)

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Call, after saying that the list changed."""
        if self._note(context) and context.fastmcp_context is not None:
            await context.fastmcp_context.send_notification(ToolListChangedNotification())
        return await call_next(context)

    def _note(self, context: MiddlewareContext[Any]) -> bool:
        """Note the list that there is now; return whether the session had seen another one."""
        request = context.fastmcp_context
        session = caller().principal if request is None or is_modern(request) else request.session_id
        now = self._provider.upstreams.live.generation
        before = self._seen.pop(session, now)
        self._seen[session] = now
        if len(self._seen) > _MOST_SESSIONS:
            self._seen.pop(next(iter(self._seen)))
        return before != now
