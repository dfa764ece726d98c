"""Fields whose form nobody foresaw: what an answer says that filters by them, orders by them or adds them up."""

from collections.abc import Iterable, Mapping

from cache_core.conditions import Where
from cache_core.states import UnreadField
from katana_mcp.references.services import Current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory

type Used = Mapping[str, Iterable[str]]
"""Paths of fields by the cache entity that has them."""

_NAMED = 3


def unread_warnings(now: Current, used: Used) -> list[ToolWarning]:
    """Return a warning for each field used that could not be read of some records: they may lack, or be misplaced."""
    return [
        advisory(
            warning_codes.UNREAD_FIELD,
            f"incomplete: {entity}.{unread_message(unread_field)} could not be read, so "
            f"filters, order and sums leave it out",
        )
        for entity in used
        for unread_field in now.unread_fields.get(entity, ())
        if any(_touches(unread_field.field, path) for path in used[entity])
    ]


def fields_of(where: Where) -> list[str]:
    """Return the paths that conditions ask."""
    return [condition.field for condition in where]


def unread_message(unread: UnreadField) -> str:
    """Return a field with how many records it could not be read of, and the first of them."""
    first = ", ".join(map(str, unread.ids[:_NAMED]))
    more = ", …" if unread.more or len(unread.ids) > _NAMED else ""
    count = f"{len(unread.ids)} or more" if unread.more else str(len(unread.ids))
    return f"{unread.field} of {count} ({first}{more})"


def _touches(unread: str, used: str) -> bool:
    """Return whether a path is that of an unread field, or leads through one."""
    return used == unread or used.startswith((f"{unread}.", f"{unread}[]")) or f"{used}[]" == unread
