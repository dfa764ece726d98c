"""Fields whose form nobody foresaw, per entity: noted where a listing brings them, forgotten where it brings them well.

Counts each field once, and names 250 of its records at most: they are read again until they can be read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cache_core.records import RecordId
from cache_core.states import SyncState, UnreadField

MOST_NAMED = 250
_MOST_FIELDS = 100


def noted(state: SyncState, seen: Sequence[RecordId], unread: Mapping[RecordId, tuple[str, ...]]) -> SyncState:
    """Return the state after these records came, with what could not be read of them."""
    if not unread and not state.unread:
        return state
    fields = {unread_field.field: unread_field for unread_field in state.unread}
    for path in dict.fromkeys(path for paths in unread.values() for path in paths):
        fields.setdefault(path, UnreadField(path, ()))
    came = set(seen)
    after = (
        _after(field, came, [row for row in seen if field.field in unread.get(row, ())]) for field in fields.values()
    )
    left = sorted((field for field in after if field.ids or field.more), key=lambda unread_field: unread_field.field)
    return replace(state, unread=tuple(left[:_MOST_FIELDS]))


def _after(before: UnreadField, came: set[RecordId], odd: list[RecordId]) -> UnreadField:
    ids = [*(record_id for record_id in before.ids if record_id not in came), *odd]
    return replace(before, ids=tuple(ids[-MOST_NAMED:]), more=before.more or len(ids) > MOST_NAMED)


def counted(state: SyncState) -> SyncState:
    """Return the state after a whole listing: a field of fewer records than are named has no others."""
    fields = (replace(unread_field, more=len(unread_field.ids) >= MOST_NAMED) for unread_field in state.unread)
    return replace(state, unread=tuple(field for field in fields if field.ids))


def to_read_again(state: SyncState, most: int) -> list[RecordId]:
    """Return records to read again; none where a form is common: it is that of the account, and does not heal."""
    rare = (unread_field for unread_field in state.unread if not unread_field.more)
    return list(dict.fromkeys(row for field in rare for row in field.ids))[:most]
