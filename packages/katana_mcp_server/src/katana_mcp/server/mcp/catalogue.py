"""The tools as hosts see them, rendered without key, cache or network: for snapshots, docs and token counts."""

import json
import textwrap
from collections.abc import Collection, Sequence
from typing import Any

from fastmcp.tools.base import Tool

from katana_mcp.references.services import Services
from katana_mcp.resources.help import tool_reference
from katana_mcp.server.kept_tools import kept_tools
from katana_mcp.server.mcp.answer_schemas import referred
from katana_mcp.server.mcp.beside import Beside
from katana_mcp.server.mcp.finder import CALL, FIND, ToolFinder
from katana_mcp.server.mcp.server import build_server
from katana_mcp.server.mcp.tool import RequestTool
from katana_mcp.surface.descriptor import ListedTool
from katana_mcp.tools.answers import so_many


class _Nobody:
    """A tenant that is never asked: the catalogue is rendered without key, cache or network."""

    async def services(self) -> Services:
        raise RuntimeError("the catalogue has no services")

    def wake(self, entities: Collection[str]) -> None:
        raise RuntimeError("the catalogue has no cache")

    async def recover(self) -> None:
        raise RuntimeError("the catalogue has no cache")

    async def close(self) -> None:
        """Release nothing."""


def catalogue(specs: Sequence[ListedTool] | None = None) -> list[dict[str, Any]]:
    """Return each tool, of all or of these, as it is listed: name, description, schemas, annotations."""
    return [_listed(RequestTool.of(spec, _Nobody())) for spec in (kept_tools() if specs is None else specs)]


async def listing(
    specs: Sequence[ListedTool], unlisted: Collection[str], beside: Beside | None = None
) -> list[dict[str, Any]]:
    """Return what a host is told where these tools are served, and some of them not listed."""
    server = build_server(specs, _Nobody(), unlisted=unlisted, beside=beside)
    return [_listed(tool) for tool in await server.list_tools(run_middleware=False)]


def finder_listing() -> list[dict[str, Any]]:
    """Return the two tools through which unlisted ones are found and called, as they are listed."""
    return list(map(_listed, ToolFinder(frozenset[str]().__contains__, {}).own_tools))


def _listed(tool: Tool) -> dict[str, Any]:
    listed = tool.to_mcp_tool().model_dump(mode="json", by_alias=True, exclude_none=True)
    listed.pop("_meta", None)
    return listed


def tokens(tool: dict[str, Any]) -> int:
    """Return what a listed tool costs the model, in tokens of four bytes: name, description, input schema."""
    seen = {key: tool[key] for key in ("name", "description", "inputSchema") if key in tool}
    return len(json.dumps(seen, ensure_ascii=False, separators=(",", ":")).encode()) // 4


def as_reference(specs: Sequence[ListedTool]) -> str:
    """Return the page of the tools: what each costs the model, its description and its arguments."""
    listed = catalogue(specs)
    costs = [
        f"| `{tool['name']}` | {spec.toolset} | {tokens(tool)} |" for spec, tool in zip(specs, listed, strict=True)
    ]
    table = [
        "| tool | toolset | tokens |",
        "|---|---|---:|",
        *costs,
        f"| {so_many(len(costs), 'tool')} | | {sum(map(tokens, listed))} |",
    ]
    pages = tool_reference([referred(spec) for spec in specs])
    head = (
        "Made by `katana-mcp tools --toolsets all --markdown`. Tokens are what a host gives the model, four bytes each."
    )
    return pages.replace("# Tools\n", "\n".join(["# Tools", "", head, "", *table, ""]), 1).rstrip() + "\n"


def as_listed(listed: Sequence[dict[str, Any]], unlisted: Collection[str]) -> str:
    """Return listed tools as a table for people, and the names of those that are found by a search."""
    rows = [(tool["name"], tokens(tool), tool["description"].splitlines()[0]) for tool in listed]
    width = max(len(name) for name, _, _ in rows)
    lines = [f"{name:<{width}}  {cost:>5}  {textwrap.shorten(text, 90)}" for name, cost, text in rows]
    head = f"{'tool':<{width}}  tokens  purpose"
    total = f"{so_many(len(rows), 'tool')}, {sum(row[1] for row in rows)} tokens"
    others = f"{len(unlisted)} more through `{FIND}` and `{CALL}`: {', '.join(sorted(unlisted))}"
    return "\n".join([head, *lines, total, *([others] if unlisted else [])])
