"""Rows that a connection has read, kept as records as long as their digest says that they are still the same.

The digest is of the whole record, so no write needs to say what it changed: another process's is seen like our own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import batched
from typing import NamedTuple
from weakref import WeakKeyDictionary

from cache_core.protocol import Stored
from cache_typed.columns import Cell
from cache_typed.dialect import CHUNK, Connection
from cache_typed.keys import marks
from cache_typed.mapping import Layout

MOST = 4_000
"""Objects that a connection keeps, rows of documents among them: some 15 MB."""
MOST_AT_ONCE = 1_000
"""Rows that one read has at most for them to be kept; what reads more goes through the whole table."""

type Head = tuple[Cell, ...]
"""Everything that stands of a row beside its record, and the digest of that."""


class MadeRow(NamedTuple):
    """A row that was read.

    Attributes:
        nr: its primary key.
        head: the cells that stand before those of its record.
        size: how many objects it was made of: itself, and the rows of its parts.
        stored: what it was made into.
    """

    nr: int
    head: Head
    size: int
    stored: Stored


@dataclass(slots=True)
class Remembered:
    """What a connection keeps of the rows of each layout, and how many objects that are."""

    by_layout: dict[Layout, dict[int, tuple[Head, Stored]]] = field(
        default_factory=dict[Layout, dict[int, tuple[Head, Stored]]]
    )
    size: int = 0

    def add(self, layout: Layout, rows: Iterable[MadeRow]) -> None:
        """Keep rows; where these are too many, all are forgotten."""
        kept = self.by_layout.setdefault(layout, {})
        for row in rows:
            kept[row.nr] = row.head, row.stored
            self.size += row.size
        if self.size > MOST:
            self.by_layout, self.size = {}, 0


_REMEMBERED: WeakKeyDictionary[Connection, Remembered] = WeakKeyDictionary()


def remembered(db: Connection) -> Remembered:
    """Return what this connection keeps."""
    found = _REMEMBERED.get(db)
    if found is None:
        found = _REMEMBERED[db] = Remembered()
    return found


def still_same(db: Connection, layout: Layout, nrs: Sequence[int]) -> dict[int, Stored]:
    """Return those of these rows that were read before and have not changed since; who gets them leaves them so."""
    kept = remembered(db).by_layout.get(layout, {})
    found: dict[int, Stored] = {}
    for chunk in batched([nr for nr in nrs if nr in kept], CHUNK):
        sql = f"SELECT {layout.head} FROM {layout.name} WHERE {layout.pk} IN ({marks(chunk)})"
        found |= same_as(db, layout, db.execute(sql, chunk))
    return found


def same_as(db: Connection, layout: Layout, heads: Iterable[Head]) -> dict[int, Stored]:
    """Return the rows that were read before and had these heads, by their keys."""
    kept = remembered(db).by_layout.get(layout, {})
    found: dict[int, Stored] = {}
    for head in heads:
        nr = head[0]
        if isinstance(nr, int) and nr in kept and kept[nr][0] == head:
            found[nr] = kept[nr][1]
    return found
