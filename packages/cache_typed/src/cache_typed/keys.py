"""Record ids and primary keys: an integer id is the key itself, any other id gets a negative one.

Refuses to take 42 and "42" for the same record.
"""

from collections.abc import Iterable, Sequence
from itertools import batched

from cache_core.records import RecordId
from cache_typed.columns import fits_whole, is_storable
from cache_typed.dialect import CHUNK, Connection
from cache_typed.mapping import Layout


def written(value: RecordId) -> str:
    """Return an id as text that keeps its kind: `i42`, `s42`."""
    return f"s{value}" if isinstance(value, str) else f"i{value}"


def read_back(text: str) -> RecordId:
    """Return the id that `written` wrote."""
    return text[1:] if text.startswith("s") else int(text[1:])


def sortable(value: RecordId) -> tuple[bool, RecordId]:
    """Order ids: numbers by value, before texts."""
    return (isinstance(value, str), value)


def is_primary_key(layout: Layout, value: RecordId) -> bool:
    """Return whether the id itself is the primary key."""
    return layout.id_is_pk and isinstance(value, int) and fits_whole(value) and value >= 0


def keys_of(db: Connection, layout: Layout, ids: Iterable[RecordId]) -> dict[RecordId, int]:
    """Return the primary keys of ids; one that is its own key is there whether or not it is stored."""
    asked = list(dict.fromkeys(ids))
    keys = {record_id: int(record_id) for record_id in asked if is_primary_key(layout, record_id)}
    others = {written(record_id): record_id for record_id in asked if record_id not in keys}
    for chunk in batched((text for text in others if is_storable(text)), CHUNK):
        sql = f"SELECT cache_id, {layout.pk} FROM {layout.name} WHERE cache_id IN ({marks(chunk)})"
        keys.update((others[text], nr) for text, nr in db.execute(sql, chunk))
    return keys


def lowest_key(db: Connection, layout: Layout) -> int:
    """Return the lowest key, at most 0: the keys below it are unused."""
    row: tuple[int | None] = db.execute(f"SELECT min({layout.pk}) FROM {layout.name}").fetchone()
    return min(row[0] or 0, 0)


def marks(values: Sequence[object]) -> str:
    """Return as many placeholders as there are values."""
    return ", ".join("?" * len(values))
