"""What a connection has read, as long as nothing is written: each call asks anew how all that it reads stands.

Refuses what a transaction that writes has read: that may be taken back.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import cast
from weakref import WeakKeyDictionary

from cache_typed import dialect
from cache_typed.dialect import Connection

_MOST = 500


@dataclass(slots=True)
class _Kept:
    """What a connection has read at one edition of the database, by what was asked."""

    edition: tuple[int, int]
    answers: dict[Hashable, object] = field(default_factory=dict[Hashable, object])


_KEPT: WeakKeyDictionary[Connection, _Kept] = WeakKeyDictionary()


def unchanged[T](db: Connection, asked: Hashable, read: Callable[[], T]) -> T:
    """Return what was read for this question before, or read it, where others or this connection wrote since.

    It is asked inside of a transaction that only reads, and who gets the answer leaves it as it is.
    """
    (others,) = db.execute(dialect.EDITION).fetchone()
    edition = (others, db.total_changes)
    kept = _KEPT.get(db)
    if kept is None or kept.edition != edition or len(kept.answers) >= _MOST:
        kept = _KEPT[db] = _Kept(edition)
    if asked not in kept.answers:
        kept.answers[asked] = read()
    return cast("T", kept.answers[asked])
