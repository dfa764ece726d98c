"""The way to tools that are served and not listed: one tool finds them by a plain question, one calls them.

Refuses to call what is not annotated as read-only: a host asks for permission by the annotations of the tool that it
lists, and those of the one that calls say that nothing is written.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, Self, override

from fastmcp.server.dependencies import get_context
from fastmcp.server.transforms.catalog import CatalogTransform
from fastmcp.tools.base import Tool, ToolResult
from mcp.types import CallToolRequestParams, TextContent, ToolAnnotations
from pydantic import Field, PrivateAttr

from katana_mcp.references.display_names import titled
from katana_mcp.resources.help import tool_section
from katana_mcp.server.mcp.arguments import validated
from katana_mcp.server.mcp.schemas import input_schema
from katana_mcp.server.mcp.tool import refused
from katana_mcp.server.mcp.tool_ranking import DescribedTool, not_there, ranked
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, blocking

FIND, CALL = "search_tools", "call_tool"

_FINDS = (
    "Find a tool by what it is for: a plain question about items, stock, customers, sales, purchase and manufacturing "
    f"orders, transfers, adjustments or this server.\n\nGives the best tools with their arguments; `{CALL}` calls one "
    "that is not listed."
)
_CALLS = f"Call a tool that only reads or plans, as `{FIND}` found it. Tools that write are listed themselves."
_OVERVIEW = re.compile(
    r"\W*(?:help|what can you do|(?:which|what|list)(?: all)? tools(?: are there)?)\W*", re.IGNORECASE
)
_NOTHING = "No tool matches: say in English what you want to do."
_SHOWN_WHOLE, _NAMED = 3, 4


class SearchToolsRequest(Request):
    """Arguments of `search_tools`."""

    query: Annotated[str, Field(min_length=1, max_length=1_000)]
    """What you want to do, in plain words."""


class CallToolRequest(Request):
    """Arguments of `call_tool`."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    """Its name, as found."""
    arguments: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Its arguments."""


class ToolFinder(CatalogTransform):
    """Lists all but some tools, and two through which those are found and called.

    Args:
        is_unlisted: whether a tool is not listed, by its name.
        absent: why others are not there, and what to do instead.
    """

    def __init__(self, is_unlisted: Callable[[str], bool], absent: Mapping[str, str]) -> None:
        super().__init__()
        self.absent = absent
        self._is_unlisted = is_unlisted
        self._own: dict[str, Tool] = {
            FIND: _SearchTools.of(self, FIND, _FINDS, SearchToolsRequest),
            CALL: _CallTool.of(self, CALL, _CALLS, CallToolRequest),
        }

    @override
    async def transform_tools(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """List what is listed, then the two."""
        return [*(tool for tool in tools if self.is_listed(tool.name)), *self._own.values()]

    @override
    async def get_tool(self, name: str, call_next: Callable[..., Any], *, version: object = None) -> Tool | None:
        """Return one of the two, or what is there by this name."""
        return self._own.get(name) or await call_next(name, version=version)

    @property
    def own_tools(self) -> Sequence[Tool]:
        """The two."""
        return tuple(self._own.values())

    async def catalog(self) -> dict[str, Tool]:
        """Return every tool that this caller may use, but the two, by name."""
        return {tool.name: tool for tool in await self.get_tool_catalog(get_context())}

    def is_listed(self, name: str) -> bool:
        """Return whether a tool is listed by itself."""
        return not self._is_unlisted(name)


class _OwnTool(Tool):
    """A tool about the other tools: it needs no account."""

    _finder: ToolFinder = PrivateAttr()

    @classmethod
    def of(cls, finder: ToolFinder, name: str, description: str, request: type[Request]) -> Self:
        tool = cls(
            name=name,
            title=titled(name).capitalize(),
            description=description,
            parameters=input_schema(request),
            annotations=ToolAnnotations(
                read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=name == CALL
            ),
        )
        tool._finder = finder
        return tool

    @abstractmethod
    async def answer(self, arguments: Mapping[str, object]) -> ToolResult:
        """Return the result for arguments of a client; Refused where they are wrong."""

    @override
    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        try:
            return await self.answer(arguments)
        except Refused as refusal:
            return refused(refusal)


class _SearchTools(_OwnTool):
    @override
    async def answer(self, arguments: Mapping[str, object]) -> ToolResult:
        query = validated(SearchToolsRequest, self.parameters, arguments).query
        tools = await self._finder.catalog()
        found = [] if _OVERVIEW.fullmatch(query) else ranked(query, [_described(tool) for tool in tools.values()])
        missing = not_there(query, tools, self._finder.absent)[:_SHOWN_WHOLE]
        notes = [f"Not there: `{name}`: {self._finder.absent[name]}" for name in missing]
        if not found:
            return _text("\n\n".join(notes) or f"{_NOTHING} There are {', '.join(sorted(tools))}.")
        best = [self._tool_text(tools[name]) for name in found[:_SHOWN_WHOLE]]
        others = [f"- {name}: {_purpose(tools[name])}" for name in found[_SHOWN_WHOLE : _SHOWN_WHOLE + _NAMED]]
        return _text("\n\n".join([*notes, *best, *(["\n".join(["Less likely:", *others])] if others else [])]))

    def _tool_text(self, tool: Tool) -> str:
        """Return all that is needed to call a tool; of one that is listed, the client knows it."""
        if self._finder.is_listed(tool.name):
            return f"## {tool.name}\n\n{_purpose(tool)} It is listed: call it by itself."
        called = f"Call it by `{CALL}(name={tool.name!r}, arguments={{…}})`."
        return f"{tool_section(tool.name, tool.description or '', tool.parameters).rstrip()}\n\n{called}"


class _CallTool(_OwnTool):
    @override
    async def answer(self, arguments: Mapping[str, object]) -> ToolResult:
        request = validated(CallToolRequest, self.parameters, arguments)
        if request.name in {FIND, CALL}:
            raise _by_itself(f"{request.name} is a listed tool")
        server = get_context().fastmcp
        tool = (await self._finder.catalog()).get(request.name) or await server.get_tool(request.name)
        if tool is None:
            message = f"no tool that can be called here is named {request.name!r}; {FIND} finds what there is"
            raise Refused(blocking(warning_codes.UNKNOWN_TOOL, message))
        if tool.annotations is None or not tool.annotations.read_only_hint:
            raise _by_itself(f"{tool.name} changes something")
        return await server.call_tool(tool.name, request.arguments)


def _by_itself(reason: str) -> Refused:
    message = f"{reason}, so it is not called through {CALL}: call the listed tool itself; nothing was done"
    return Refused(blocking(warning_codes.CALL_DIRECTLY, message, "name"))


def _described(tool: Tool) -> DescribedTool:
    properties: Mapping[str, Mapping[str, object]] = tool.parameters.get("properties", {})
    arguments = " ".join(f"{name} {schema.get('description', '')}" for name, schema in properties.items())
    return DescribedTool(tool.name, tool.description or "", arguments)


def _purpose(tool: Tool) -> str:
    return (tool.description or "").partition("\n")[0]


def _text(text: str) -> ToolResult:
    return ToolResult([TextContent(type="text", text=text)])


def meant(request: CallToolRequestParams, tools: Collection[str]) -> str:
    """Return the tool that a call is for: the one that it is passed on to, where it is."""
    arguments: dict[str, Any] = request.arguments or {}
    inner = arguments.get("name")
    return inner if request.name == CALL and request.name in tools and isinstance(inner, str) else request.name
