"""Rows that a connection has read, kept as records as long as their digest says that they are still the same.

The digest is of the whole record, so no write needs to say what it changed: another process's is seen like our own.
What was kept of tables that were made anew is forgotten: they may be so because a row was damaged under its digest.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import batched
from weakref import WeakKeyDictionary

from cache_core.protocol import Stored
from cache_typed import dialect
from cache_typed.columns import Cell
from cache_typed.dialect import CHUNK, Connection
from cache_typed.keys import marks
from cache_typed.mapping import Layout

MOST = 4_000
"""Objects that a connection keeps, rows of documents among them, and each thousand characters of theirs: some 5 MB."""
MOST_AT_ONCE = 1_000
"""Rows that one read has at most for them to be kept; what reads more goes through the whole table."""
_CHARACTERS = 1_000

type Head = tuple[int, *tuple[Cell, ...]]
"""The key of a row, everything that stands of it beside its record, and the digest of that."""


@dataclass(slots=True)
class Remembered:
    """What a connection keeps of the rows of each layout.

    Attributes:
        tables: the number that the file's tables have as they were when it was read.
        by_layout: by key, what stands beside the record, and the row.
        size: how many objects that are.
    """

    tables: int
    by_layout: dict[Layout, dict[int, tuple[Head, Stored]]] = field(
        default_factory=dict[Layout, dict[int, tuple[Head, Stored]]]
    )
    size: int = 0

    def of(self, layout: Layout) -> Mapping[int, tuple[Head, Stored]]:
        """Return what is kept of the rows of a layout."""
        return self.by_layout.get(layout, {})

    def add(self, layout: Layout, nr: int, head: Head, stored: Stored, size: int) -> None:
        """Keep a row."""
        self.by_layout.setdefault(layout, {})[nr] = head, stored
        self.size += size

    def bound(self) -> bool:
        """Forget all where it is too much; return whether it was."""
        if self.size <= MOST:
            return False
        self.by_layout, self.size = {}, 0
        return True


_REMEMBERED: WeakKeyDictionary[Connection, Remembered] = WeakKeyDictionary()


def remembered(db: Connection) -> Remembered:
    """Return what this connection keeps."""
    (tables,) = db.execute(dialect.TABLES).fetchone()
    found = _REMEMBERED.get(db)
    if found is None or found.tables != tables:
        found = _REMEMBERED[db] = Remembered(tables)
    return found


def heads_of(db: Connection, layout: Layout, nrs: Sequence[int]) -> Iterator[Head]:
    """Yield the heads of these rows."""
    for chunk in batched(nrs, CHUNK):
        yield from db.execute(f"SELECT {layout.head} FROM {layout.name} WHERE {layout.pk} IN ({marks(chunk)})", chunk)


def still_same(kept: Remembered, layout: Layout, heads: Iterable[Head]) -> dict[int, Stored]:
    """Return, by key, the rows that are kept with these heads; who gets them leaves them as they are."""
    rows = kept.of(layout)
    found: dict[int, Stored] = {}
    for head in heads:
        nr = head[0]
        if nr in rows and rows[nr][0] == head:
            found[nr] = rows[nr][1]
    return found


def size_of(cells: Sequence[Cell], parts: Iterable[Sequence[Sequence[Cell]]]) -> int:
    """Return how many objects a row counts as: itself, the rows of its parts, and more where texts are long."""
    objects = [cells, *(row for rows in parts for row in rows)]
    return len(objects) + sum([len(cell) for row in objects for cell in row if type(cell) is str]) // _CHARACTERS
