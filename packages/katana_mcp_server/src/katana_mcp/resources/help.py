"""`katana://help`: how to work with this server, rendered from the tools that are really there."""

from collections.abc import Sequence

from katana_mcp.descriptor import AnyTool
from katana_mcp.resources.reference import REFERENCE

EXAMPLES: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("Find a part by any part of its code", "search_items", {"query": "00.4021.018.003"}),
    ("See what is in stock, many at once", "check_inventory", {"skus_or_variant_ids": ["FSKT-35M", "FSKT-32M"]}),
    ("Orders that are late", "list_sales_orders", {"overdue": True, "order_by": "delivery_date", "limit": 5}),
    ("Find a customer", "search_customers", {"query": "bike"}),
)
"""Title, tool and arguments; each is run against the sandbox by a test."""


def overview(tools: Sequence[AnyTool]) -> str:
    """Return the help page: what there is, worked examples, and how to read an answer."""
    names = {tool.name for tool in tools}
    lines = [
        "# Katana: what this server can do",
        "",
        "Reads come from a local cache that is brought up to date before each answer; `as_of` says how current it",
        "is, `stale` why it could not be refreshed, `warming` that the first sync is still running.",
        "A `source` of `sandbox` means that the data is invented.",
        "",
        "## Tools",
        *(f"- `{tool.name}`: {tool.description.splitlines()[0]}" for tool in tools),
        "",
        "## Examples",
        *(f"- {title}: `{call(tool, arguments)}`" for title, tool, arguments in EXAMPLES if tool in names),
        "",
        "## Resources",
        *(f"- `{resource.uri}`: {resource.title}" for resource in REFERENCE),
        "- `katana://help/tools`: every argument of every tool",
        "",
        "## Warnings",
        "Each has `severity` (blocking: fix it first; advisory: know it; info), `message`, `field_path`, `code`.",
    ]
    return "\n".join(lines)


def tool_reference(tools: Sequence[AnyTool]) -> str:
    """Return every tool with its description and its arguments."""
    parts = ["# Tools", ""]
    for tool in tools:
        parts += [f"## {tool.name}", "", tool.description, ""]
        for name, field in tool.request.model_fields.items():
            needed = "required" if field.is_required() else "optional"
            parts.append(f"- `{name}` ({needed}): {' '.join((field.description or '').split())}")
        parts.append("")
    return "\n".join(parts)


def call(tool: str, arguments: dict[str, object]) -> str:
    """Return a call as people write it: `search_items(query='x')`."""
    return f"{tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"
