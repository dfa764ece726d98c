"""Which tools a server has: those that the settings choose, listed or found, as an operator's catalogue shows them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from katana_mcp.configuration.backend_flags import DEFAULTS, Flag, guesses
from katana_mcp.configuration.settings import Choice, SettingsError
from katana_mcp.server.kept_tools import kept_absent, kept_tools
from katana_mcp.surface.descriptor import APPLY, ListedTool
from katana_mcp.tools.hints import MOST_NAMES, all_meant

if TYPE_CHECKING:
    from katana_mcp.gateway.model import Override


def absent_tools(served: Collection[str]) -> dict[str, str]:
    """Return why tools are not there that somebody may look for, and what there is instead, by their names.

    Args:
        served: the tools that are there; of ours, the others were left out when the server was started.
    """
    left_out = {tool.name: _LEFT_OUT for tool in kept_tools() if tool.name not in served}
    return {**kept_absent(), **left_out}


_LEFT_OUT = "it was left out when this server was started, by its toolsets, its tools, its catalogue or --read-only"


def chosen(only: Collection[str], toolsets: Collection[str], excluded: Collection[str]) -> tuple[ListedTool, ...]:
    """Return the tools of a configuration.

    Args:
        only: tool names; with any, only these and those of `toolsets` are served.
        toolsets: groups of tools, `sales`, `read` or `all`; with any, only these and those of `only` are served.
        excluded: tool names that are never served.

    Raises:
        ValueError: a name that no tool or toolset has, the message names the known ones; or no tool is left.
    """
    every = kept_tools()
    names, groups = {tool.name for tool in every}, {group for tool in every for group in tool.groups}
    _check_names("tool", {*only, *excluded}, names)
    _check_names("toolset", {*toolsets}, groups)
    selected = {tool.name for tool in every if tool.name in set(only) or tool.groups & set(toolsets)}
    asked = selected if only or toolsets else {tool.name for tool in every if not tool.on_request}
    if any(tool.plans for tool in every if tool.name in asked):
        asked = asked | {APPLY}  # a plan that nothing can apply is of no use
    left = tuple(tool for tool in every if tool.name in asked - set(excluded))
    if not left:
        raise ValueError("together they leave no tool to serve")
    return left


def served(choice: Choice) -> tuple[ListedTool, ...]:
    """Return the tools that the settings choose.

    Raises:
        SettingsError: a name that nothing has, or no tool is left.
    """
    try:
        left = chosen(choice.tools, choice.toolsets, choice.exclude_tools)
    except ValueError as error:
        raise SettingsError(f"KATANA_MCP_TOOLS, KATANA_MCP_TOOLSETS, KATANA_MCP_EXCLUDE_TOOLS: {error}") from None
    allowed = tuple(tool for tool in left if tool.read_only or not choice.read_only)
    if not allowed:
        raise SettingsError("KATANA_MCP_READ_ONLY (--read-only): none of the chosen tools only reads")
    return allowed


EVERYDAY = frozenset(
    (
        *("search_items", "get_item", "get_variant_details", "check_inventory", "list_low_stock_items"),
        *("search_purchase_orders", "list_purchase_orders", "get_purchase_order"),
        *("create_purchase_order", "modify_purchase_order"),
        *("receive_purchase_order", "verify_order_document", "replenish"),
        *("search_sales_orders", "list_sales_orders", "get_sales_order"),
        *("create_sales_order", "modify_sales_order", "fulfill_order"),
        *("search_manufacturing_orders", "list_manufacturing_orders", "get_manufacturing_order"),
        *("list_blocking_ingredients", "search_customers", "get_customer", "create_stock_transfer", "trace"),
        *("list_reference", "cache_status"),
    )
)
"""What is listed where nothing is chosen, as far as it is there; the rest is found through `search_tools`."""

FEW = frozenset(("search_items", "search_sales_orders", "check_inventory", "get_variant_details", "cache_status"))
"""What is listed in search mode."""


def unlisted(specs: Sequence[ListedTool], choice: Choice) -> frozenset[str]:
    """Return the served tools that are found and called through two others, instead of being listed.

    Whoever chooses tools or toolsets has them listed. What changes something always is: a host asks for permission by
    what it lists.
    """
    if choice.search_mode:
        listed = FEW
    elif choice.tools or choice.toolsets:
        return frozenset()
    else:
        listed = EVERYDAY
    return frozenset(spec.name for spec in specs if spec.read_only and spec.name not in listed)


def presented(
    specs: Sequence[ListedTool], overrides: "Mapping[str, Override]"
) -> tuple[tuple[ListedTool, ...], dict[str, str]]:
    """Return our tools as an operator's catalogue has them, and the new names of those that it renames.

    Raises:
        SettingsError: a name that none of our tools has, or no tool is left.
    """
    try:
        _check_names("tool", set(overrides), {tool.name for tool in kept_tools()})
    except ValueError as error:
        raise SettingsError(f"KATANA_MCP_CATALOG_FILE (--catalog-file): tools.katana: {error}") from None
    renamed = {name: override.name for name, override in overrides.items() if override.name is not None}
    shown = tuple(_shown(spec, overrides.get(spec.name)) for spec in specs)
    left = tuple(spec for spec in shown if spec is not None)
    if not left:
        raise SettingsError("KATANA_MCP_CATALOG_FILE (--catalog-file): tools.katana leaves no tool to serve")
    return left, renamed


def _shown(spec: ListedTool, override: "Override | None") -> ListedTool | None:
    if override is None:
        return spec
    if not override.enabled:
        return None
    return replace(spec, name=override.name or spec.name, description=override.description or spec.description)


def promised(specs: Sequence[ListedTool], flags: Mapping[str, Flag]) -> tuple[ListedTool, ...]:
    """Return the tools with searches that promise guesses only where every backend that answers can make them."""
    if flags.keys() >= DEFAULTS.keys() and all(map(guesses, flags.values())):
        return tuple(specs)
    from katana_mcp.server.made_tools import without_guesses  # noqa: PLC0415 - loads what every tool does

    plain = without_guesses(flags)
    return tuple(plain.get(spec.name, spec) for spec in specs)


def _check_names(kind: str, asked: set[str], existing: set[str]) -> None:
    unknown = sorted(asked - existing)
    if unknown:
        named = ", ".join(unknown[:MOST_NAMES])
        raise ValueError(f"no {kind} is called {named}; {all_meant(unknown, sorted(existing))}")
