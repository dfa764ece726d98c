"""Names that are not served: answered with the nearest that is, never with the framework's bare refusal."""

from collections.abc import Collection
from typing import Any

from fastmcp.resources import ResourceResult
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolRequestParams, ReadResourceRequestParams

from katana_mcp.adapter.finder import meant
from katana_mcp.adapter.tool import refused
from katana_mcp.tools import limits, warning_codes
from katana_mcp.tools.warnings import Refused, blocking

_MAX_NAME = 60


class UnknownNames(Middleware):
    """Refuses calls of tools and reads of resources that are not there."""

    def __init__(self, tools: Collection[str], resources: Collection[str], templates: Collection[str]) -> None:
        self._tools = tools
        self._resources = resources
        self._one = frozenset(each.removesuffix("{id}") for each in templates)

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Refuse a tool that is not served."""
        name = meant(context.message, self._tools)
        if name in self._tools:
            return await call_next(context)
        return refused(Refused(blocking(warning_codes.UNKNOWN_TOOL, _told("tool", name, self._tools))))

    async def on_read_resource(
        self,
        context: MiddlewareContext[ReadResourceRequestParams],
        call_next: CallNext[ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        """Refuse a resource that does not exist."""
        uri = str(context.message.uri)
        collection, slash, record_id = uri.rpartition("/")
        if uri in self._resources or (record_id and collection + slash in self._one):
            return await call_next(context)
        data: dict[str, Any] = {"uri": uri}
        raise MCPError(INVALID_PARAMS, _told("resource", uri, self._resources), data)


def _told(kind: str, name: str, known: Collection[str]) -> str:
    return f"no {kind} is called {name[:_MAX_NAME]!r}; {limits.meant(name, known)}"
