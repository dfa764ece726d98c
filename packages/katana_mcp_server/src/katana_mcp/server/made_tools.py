"""Every tool, made by two loops over entities and operations, the workflows beside them, and the one tool that writes.

To load them costs 18 MB and most of a start, so hosts are shown what is kept of them (`kept_tools`) until one is
called.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from katana_mcp.configuration.backend_flags import Flag, guesses
from katana_mcp.entities import ENTITIES
from katana_mcp.surface.descriptor import AnyTool
from katana_mcp.surface.factory_days import dated
from katana_mcp.surface.operations import OPERATIONS
from katana_mcp.surface.operations.apply import apply_tool
from katana_mcp.surface.operations.planning import changes_of, workflow_tools
from katana_mcp.surface.operations.search import search_tool
from katana_mcp.workflows import CHANGES, WORKFLOWS
from katana_mcp.workflows.absent import ABSENT
from katana_mcp.workflows.replenish import replenish_tool


@cache
def tools() -> tuple[AnyTool, ...]:
    """Return every tool, in the order in which they are listed."""
    made = (
        tool
        for entity in ENTITIES
        for tool in (*(make(entity) for _, make in OPERATIONS), *workflow_tools(entity), *entity.more)
    )
    changes = {**changes_of(ENTITIES), **CHANGES}
    every = (*(tool for tool in made if tool is not None), *WORKFLOWS, replenish_tool(changes), apply_tool(changes))
    return tuple(map(dated, every))


@cache
def by_name() -> Mapping[str, AnyTool]:
    """Return every tool by its name."""
    return {tool.name: tool for tool in tools()}


def never_there() -> dict[str, str]:
    """Return why tools are not there that somebody may look for, and what there is instead, by their names."""
    verbs = (
        (f"{verb}_{entity.plural if verb in _OF_MANY else entity.name}", reason)
        for entity in ENTITIES
        for verb, reason in entity.absent.items()
    )
    return {**dict(verbs), **ABSENT}


_OF_MANY = ("search", "list")


def without_guesses(flags: Mapping[str, Flag]) -> dict[str, AnyTool]:
    """Return the searches that promise no guesses, for entities of which not every backend can make them."""
    return {
        made.name: made
        for entity in ENTITIES
        if entity.forgiving and not all(guesses(flags.get(source)) for source in entity.sources)
        if (made := search_tool(replace(entity, forgiving=False))) is not None
    }
