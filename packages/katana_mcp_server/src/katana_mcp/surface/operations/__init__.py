"""What can be done with an entity: one module per verb, each written once for all entities."""

from collections.abc import Callable
from functools import partial

from katana_mcp.surface.descriptor import AnyTool, Entity, Verb
from katana_mcp.surface.operations.get import get_tool
from katana_mcp.surface.operations.list import list_tool
from katana_mcp.surface.operations.planning import WRITING, write_tool
from katana_mcp.surface.operations.search import search_tool

OPERATIONS: tuple[tuple[Verb, Callable[[Entity], AnyTool | None]], ...] = (
    ("search", search_tool),
    ("list", list_tool),
    ("get", get_tool),
    *((verb, partial(write_tool, verb)) for verb in WRITING),
)
"""Each verb with the function that makes its tool for an entity, or None where the entity has none."""
