"""The two forms of a field: as a request sets it, and as the record holds it, in its one entry or as a moment."""

from collections.abc import Mapping, Sequence

from cache_core.records import is_set
from katana_mcp.documents.declaration import Field
from katana_mcp.documents.transition import State
from katana_mcp.values import EMPTY, rows
from katana_mcp.writing.actions import SOME


def as_set(fields: Sequence[Field], record: State) -> dict[str, object]:
    """Return a record with each field under its own name too, as a request would set it."""
    entries = {field.inside: next(iter(rows(record, field.inside)), EMPTY) for field in fields if field.inside}
    own = {
        field.name: entry[field.name] for field in fields if field.name in (entry := entries.get(field.inside, EMPTY))
    }
    flags = {field.name: is_set(record, field.since) for field in fields if field.since}
    return {**record, **own, **flags}


def as_held(fields: Sequence[Field], values: Mapping[str, object]) -> dict[str, object]:
    """Return what a record holds once these values are set: of a flag only that it has a moment, or none."""
    apart = {field.name for field in fields if field.inside or field.since}
    plain = {name: value for name, value in values.items() if name not in apart}
    moments = {
        field.since: SOME if values[field.name] else None for field in fields if field.since and field.name in values
    }
    return {**plain, **moments, **{name: [entry] for name, entry in _entries(fields, values).items() if entry}}


def entries(fields: Sequence[Field], values: Mapping[str, object]) -> dict[str, list[State]]:
    """Return the lists of one entry in which a new document sends fields; there is one though it holds nothing."""
    return {name: [entry] for name, entry in _entries(fields, values).items()}


def _entries(fields: Sequence[Field], values: Mapping[str, object]) -> dict[str, State]:
    return {
        held: {field.name: values[field.name] for field in fields if field.inside == held and field.name in values}
        for held in dict.fromkeys(field.inside for field in fields if field.inside)
    }
