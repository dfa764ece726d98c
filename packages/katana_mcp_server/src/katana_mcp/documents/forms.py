"""The two forms of a field: as a request sets it, and as the record holds it, in its one entry or as a moment."""

from collections.abc import Mapping, Sequence

from cache_core.records import is_set
from katana_mcp.documents.declaration import Field
from katana_mcp.documents.transition import State
from katana_mcp.values import NOTHING, rows
from katana_mcp.writing.actions import SOME


def as_set(fields: Sequence[Field], record: State) -> dict[str, object]:
    """Return a record with each field under its own name too, as a request would set it."""
    entries = {each.inside: next(iter(rows(record, each.inside)), NOTHING) for each in fields if each.inside}
    own = {each.name: entry[each.name] for each in fields if each.name in (entry := entries.get(each.inside, NOTHING))}
    flags = {each.name: is_set(record, each.since) for each in fields if each.since}
    return {**record, **own, **flags}


def as_held(fields: Sequence[Field], values: Mapping[str, object]) -> dict[str, object]:
    """Return what a record holds once these values are set: of a flag only that it has a moment, or none."""
    apart = {each.name for each in fields if each.inside or each.since}
    plain = {name: value for name, value in values.items() if name not in apart}
    moments = {each.since: SOME if values[each.name] else None for each in fields if each.since and each.name in values}
    return {**plain, **moments, **{name: [entry] for name, entry in _entries(fields, values).items() if entry}}


def entries(fields: Sequence[Field], values: Mapping[str, object]) -> dict[str, list[State]]:
    """Return the lists of one entry in which a new document sends fields; there is one though it holds nothing."""
    return {name: [entry] for name, entry in _entries(fields, values).items()}


def _entries(fields: Sequence[Field], values: Mapping[str, object]) -> dict[str, State]:
    return {
        held: {each.name: values[each.name] for each in fields if each.inside == held and each.name in values}
        for held in dict.fromkeys(each.inside for each in fields if each.inside)
    }
