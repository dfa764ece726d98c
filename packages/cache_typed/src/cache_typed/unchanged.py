"""What a connection has read, as long as nothing is written: calls that follow each other ask much of the same.

Of short reads alone: what is done in a thread took long, and is timed. What a transaction that writes has read is not
kept: it may be taken back.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from typing import NamedTuple, cast
from weakref import WeakKeyDictionary

from cache_core.conditions import Below, Condition, Missing, Scalar, Where, Within
from cache_typed import dialect
from cache_typed.dialect import Connection
from cache_typed.remembered import MOST_AT_ONCE
from cache_typed.transactions import is_short

MOST = 20_000
"""Values of questions that a connection keeps, and rows of their answers, which are kept in `remembered` already.

Each answer counts as one more.
"""
_NOT_READ = object()


class Question(NamedTuple):
    """What is asked, and how many values it names: one of very many is not kept."""

    about: tuple[Hashable, ...]
    values: int = 0


@dataclass(slots=True)
class _Kept:
    """What a connection has read at one edition of the database, by what was asked."""

    edition: tuple[int, int]
    answers: dict[Hashable, object] = field(default_factory=dict[Hashable, object])
    size: int = 0


_KEPT: WeakKeyDictionary[Connection, _Kept] = WeakKeyDictionary()


def unchanged[T](
    db: Connection, asked: Question | None, read: Callable[[], T], rows: Callable[[T], int] = lambda _: 0
) -> T:
    """Return what was read for this question before, or read it, where others or this connection wrote since.

    Who gets the answer leaves it as it is.

    Args:
        db: the connection.
        asked: the question; None where it is read in any case, as is one of very many values.
        read: reads the answer.
        rows: tells how many rows an answer has; one that has more than are remembered of one read is not kept.
    """
    if asked is None or asked.values > MOST_AT_ONCE or not is_short():
        return read()
    (others,) = db.execute(dialect.EDITION).fetchone()
    edition = (others, db.total_changes)
    kept = _KEPT.get(db)
    if kept is None or kept.edition != edition or kept.size > MOST:
        kept = _KEPT[db] = _Kept(edition)
    found = kept.answers.get(asked, _NOT_READ)
    if found is not _NOT_READ:
        return cast("T", found)
    answer = read()
    has = rows(answer)
    if has <= MOST_AT_ONCE:
        kept.answers[asked] = answer
        kept.size += 1 + has + asked.values
    return answer


def known(db: Connection, asked: Sequence[Question | None]) -> list[object] | None:
    """Return what was read for each of these questions; None where one was not, or somebody wrote since.

    It needs no transaction: what is kept was all read of one state, and that state is looked up last.
    """
    kept = _KEPT.get(db)
    if kept is None:
        return None
    try:
        found = [kept.answers[each] for each in asked]
    except KeyError:
        return None
    (others,) = db.execute(dialect.EDITION).fetchone()
    return found if kept.edition == (others, db.total_changes) else None


def forget(db: Connection) -> None:
    """Keep no answer of this connection, nor the one that is being read: its rows are no longer remembered."""
    _KEPT.pop(db, None)


def question(where: Where, *more: Hashable) -> Question | None:
    """Return what tells a question with conditions from all others; None of many values, or about an amount.

    `True` and 1 are equal and no condition holds of both; of amounts that are no number some have no hash.
    """
    values = list(map(_values, where))
    if sum(map(len, values)) > MOST_AT_ONCE:
        return None
    types = tuple(map(type, chain.from_iterable(values)))
    return None if Decimal in types else Question((where, types, *more), len(types))


def _values(condition: Condition) -> Sequence[Scalar | None]:
    match condition:
        case Within(_, low, high):
            return low, high
        case Below(_, limit):
            return (limit,)
        case Missing():
            return ()
        case _:
            return condition.values
