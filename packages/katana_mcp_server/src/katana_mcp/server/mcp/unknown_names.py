"""Names that nothing has: answered with the nearest that there is, never with the framework's bare refusal.

What is not our own may come from a server that was mounted or from a provider: FastMCP is asked for it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from fastmcp import FastMCP
from fastmcp.prompts import PromptResult
from fastmcp.resources import ResourceResult
from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CallToolRequestParams, GetPromptRequestParams, ReadResourceRequestParams

from katana_mcp.resources.prompts import WorkPrompt
from katana_mcp.server.mcp.finder import meant as tool_meant
from katana_mcp.server.mcp.hooks import Hooks
from katana_mcp.server.mcp.tool import refused
from katana_mcp.tools import warning_codes
from katana_mcp.tools.hints import LONGEST_NAME, meant, quoted, unknown_tool
from katana_mcp.tools.warnings import Refused, blocking

_LONGEST_URI = 9 * LONGEST_NAME
"""Characters of a URI that are read: one that is not ASCII takes up to twelve."""


class UnknownNames(Hooks):
    """Refuses calls of tools, reads of resources, and prompts and arguments of prompts that are not there.

    Args:
        tools: our own tools.
        absent: why others are not there, and what to do instead.
        prompts: our own prompts.
        resources: the URIs of our own resources, and their URI templates.
    """

    def __init__(
        self,
        tools: Collection[str],
        absent: Mapping[str, str],
        prompts: Sequence[WorkPrompt],
        resources: tuple[Collection[str], Collection[str]],
    ) -> None:
        self._tools = tools
        self._absent = absent
        self._prompts = {prompt.name: prompt for prompt in prompts}
        self._resources, templates = resources
        self._one = frozenset(template.partition("{")[0] for template in templates)

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Refuse a tool that is not served."""
        name = tool_meant(context.message, self._tools)
        server = _server(context)
        if name in self._tools or await server.get_tool(name) is not None:
            return await call_next(context)
        listed = await server.list_tools(run_middleware=False)
        changing = {tool.name for tool in listed if not (tool.annotations and tool.annotations.read_only_hint)}
        existing = (*self._tools, *(tool.name for tool in listed))
        message = unknown_tool(name, existing, self._absent, changing)
        return refused(Refused(blocking(warning_codes.UNKNOWN_TOOL, message)))

    async def on_read_resource(
        self,
        context: MiddlewareContext[ReadResourceRequestParams],
        call_next: CallNext[ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        """Refuse a resource that does not exist."""
        uri = str(context.message.uri)
        collection, slash, record_id = uri.rpartition("/")
        ours = uri in self._resources or bool(record_id and collection + slash in self._one)
        if ours or await _has_resource(_server(context), uri):
            return await call_next(context)
        data: dict[str, Any] = {"uri": uri}
        of_one = collection in self._resources and len(uri) <= LONGEST_NAME
        existing = [f"{one}{record_id}" for one in sorted(self._one)] if of_one else self._resources
        raise MCPError(INVALID_PARAMS, _message("resource", unquote(uri[:_LONGEST_URI]), existing), data)

    async def on_get_prompt(
        self,
        context: MiddlewareContext[GetPromptRequestParams],
        call_next: CallNext[GetPromptRequestParams, PromptResult],
    ) -> PromptResult:
        """Refuse a prompt that is not served, an argument that it does not have, and one that it needs and lacks."""
        name, given = context.message.name, context.message.arguments or {}
        if name not in self._prompts:
            if await _server(context).get_prompt(name) is not None:
                return await call_next(context)
            raise MCPError(INVALID_PARAMS, _message("prompt", name, self._prompts))
        arguments = self._prompts[name].arguments
        existing = [argument.name for argument in arguments]
        for argument in given:
            if argument not in existing:
                raise MCPError(INVALID_PARAMS, _message(f"argument of {name}", argument, existing))
        for declared in arguments:
            if declared.required and not given.get(declared.name, "").strip():
                raise MCPError(INVALID_PARAMS, f"{name} needs {declared.name}: {declared.description}")
        return await call_next(context)


def _server(context: MiddlewareContext[Any]) -> FastMCP[Any]:
    assert context.fastmcp_context is not None, "FastMCP gives each request its context"
    return context.fastmcp_context.fastmcp


async def _has_resource(server: FastMCP[Any], uri: str) -> bool:
    return await server.get_resource(uri) is not None or await server.get_resource_template(uri) is not None


def _message(kind: str, name: str, existing: Collection[str]) -> str:
    return f"no {kind} is called {quoted(name)}; {meant(name, existing)}"
