"""From stored rows to the rows of an answer, with names looked up once for all of them."""

from collections.abc import Callable, Sequence

from cache_core.protocol import Stored
from cache_core.records import values_at
from katana_mcp.descriptor import View
from katana_mcp.names import look_up
from katana_mcp.services import Services
from katana_mcp.tools.answers import Answer

type Sourced = tuple[str, Stored]
"""A stored row and the cache entity that it comes from."""


async def shown(view: Callable[[str], View], rows: Sequence[Sourced], services: Services) -> list[Answer]:
    """Return the rows of the answer in the order of the stored rows."""
    names = await look_up(services.cache, _wanted(view, rows), rows)
    return [view(source).row(row, names, services) for source, row in rows]


def _wanted(view: Callable[[str], View], rows: Sequence[Sourced]) -> dict[str, list[object]]:
    """Return the ids that need names, per cache entity."""
    wanted: dict[str, list[object]] = {}
    for source, row in rows:
        for entity, paths in view(source).names.items():
            ids = (value for path in paths for value in values_at(row.record, path))
            wanted.setdefault(entity, []).extend(ids)
    return wanted
