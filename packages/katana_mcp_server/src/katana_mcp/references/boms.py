"""Bills of materials as they are cached, level by level."""

from collections.abc import Collection, Iterable, Sequence

from cache_core.conditions import OneOf, Order
from cache_core.protocol import Selection, Stored
from cache_core.records import Record
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import first_rows
from katana_mcp.references.services import Services
from katana_mcp.values import get_int

_MOST_ROWS = 20_000


async def rows_by_level(
    asked: Sequence[int], ends: tuple[str, str], levels: int, services: Services, fields: Collection[str] | None = None
) -> tuple[dict[int, list[Record]], bool]:
    """Return by variant the BOM rows of these variants and of what stands below them; whether some lack."""
    found, more = await bom_rows(asked, ends, levels, services, fields)
    return by_end(found, ends[0]), more


def by_end(rows: Iterable[Stored], end: str) -> dict[int, list[Record]]:
    """Return BOM rows by the variant at this end of theirs, in their order."""
    found: dict[int, list[Record]] = {}
    for record in sorted([row.record for row in rows], key=_place):
        found.setdefault(get_int(record, end) or 0, []).append(record)
    return found


async def bom_rows(
    asked: Sequence[int], ends: tuple[str, str], levels: int, services: Services, fields: Collection[str] | None = None
) -> tuple[list[Stored], bool]:
    """Return the BOM rows of these variants and of what stands below them, one read per level; whether some lack.

    Of each row these fields are read, besides both ends and its place; all of it without any.
    """
    above, below = ends
    read = None if fields is None else frozenset((*ends, "id", "rank", *fields))
    found: list[Stored] = []
    seen, frontier, left, more = set(asked), list(asked), _MOST_ROWS, False
    for _ in range(levels):
        if not frontier or more:
            break
        selection = Selection((OneOf(above, tuple(frontier)),), Order("id"), left, fields=read)
        stored, more = await first_rows(services, "bom_row", selection)
        left -= len(stored)
        found += stored
        ends_below = dict.fromkeys([get_int(row.record, below) for row in stored])
        frontier = [number for number in ends_below if number is not None and number not in seen]
        seen.update(frontier)
    return found, more


def _place(row: Record) -> tuple[int, str]:
    return get_int(row, "rank") or 0, text(row, "id") or ""
