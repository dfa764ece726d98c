"""Search mode: a few tools are listed, the others are found by what they are for and called through one."""

from collections.abc import Collection
from typing import Any

from fastmcp.server.transforms.search import BM25SearchTransform, serialize_tools_for_output_markdown
from fastmcp.tools.base import Tool
from mcp.types import CallToolRequestParams, ToolAnnotations

FIND, CALL = "search_tools", "call_tool"
LISTED = ("search_items", "search_sales_orders", "check_inventory", "get_variant_details", "cache_status")
"""The tools of everyday questions, listed as far as they are served."""
_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)
_FINDS = (
    "Find tools by what they are for: items, stock, customers, sales, purchase and manufacturing orders, transfers, "
    "adjustments; search, list with filters, get one. Returns names, descriptions and arguments."
)
_CALLS = f"Call a tool that `{FIND}` found, by its name, with its arguments."


class ToolFinder(BM25SearchTransform):
    """Lists a few tools, one that finds the others and one that calls them."""

    def __init__(self) -> None:
        super().__init__(
            always_visible=list(LISTED),
            search_tool_name=FIND,
            call_tool_name=CALL,
            search_result_serializer=serialize_tools_for_output_markdown,
        )

    def _make_search_tool(self) -> Tool:
        return _told(super()._make_search_tool(), _FINDS, open_world=False)

    def _make_call_tool(self) -> Tool:
        return _told(super()._make_call_tool(), _CALLS, open_world=True)


def _told(tool: Tool, description: str, *, open_world: bool) -> Tool:
    annotations = _READS.model_copy(update={"open_world_hint": open_world})
    return tool.model_copy(update={"description": description, "annotations": annotations})


def meant(request: CallToolRequestParams, known: Collection[str]) -> str:
    """Return the tool that a call is for: the one that it is passed on to, where it is."""
    arguments: dict[str, Any] = request.arguments or {}
    inner = arguments.get("name")
    return inner if request.name == CALL and request.name in known and isinstance(inner, str) else request.name
