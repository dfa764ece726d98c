"""A search for one word, or for what it may stand for: what matches many rows is ranked without reading them.

Columns of the full-text index tell the class that a word stands in; a narrow table tells what is hidden, and the order.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from cache_core.conditions import Visibility
from cache_core.protocol import Search
from cache_core.search_rules import WeightClass
from cache_typed import dialect
from cache_typed.columns import Cell
from cache_typed.compiling import compiled
from cache_typed.dialect import SchemaObject
from cache_typed.indexes import HIDING
from cache_typed.mapping import Layout

FEW = 100
"""Matches of which it takes less to read the rows than to ask for each class."""

_LEAST = -(2**63)
_RANKED = (*HIDING, "cache_sort")
_HIDDEN = "{row}cache_deleted = 1 OR {row}cache_archived = 1"


def rank_objects(table: str, pk: str) -> Iterator[SchemaObject]:
    """Yield the table of what hits of equal standing are ordered by, its index of hidden rows, and its triggers.

    Narrow rows, each found by its key alone: to look into an index of the same values takes twice the time.
    """
    rank, hidden = _rank(table), _hidden_index(table)
    yield SchemaObject("table", rank, f"CREATE TABLE {rank} ({pk} INTEGER PRIMARY KEY, {', '.join(_RANKED)})")
    columns = ", ".join((pk, *HIDING))
    yield SchemaObject("index", hidden, f"CREATE INDEX {hidden} ON {rank} ({columns}) WHERE {_HIDDEN.format(row='')}")
    added = f"INSERT INTO {rank} VALUES ({', '.join(f'new.{column}' for column in (pk, *_RANKED))});"
    dropped = f"DELETE FROM {rank} WHERE {pk} = old.{pk};"
    changed = " OR ".join(f"old.{column} IS NOT new.{column}" for column in (pk, *_RANKED))
    for suffix, event, body in (
        ("insert", f"INSERT ON {table}", added),
        ("delete", f"DELETE ON {table}", dropped),
        ("update", f"UPDATE ON {table} WHEN {changed}", f"{dropped} {added}"),
    ):
        yield dialect.trigger(f"{rank}_{suffix}", event, body)


def refill_rank(table: str, pk: str) -> tuple[str, ...]:
    """Return the statements that make the table of the order again from the rows."""
    return f"DELETE FROM {_rank(table)}", f"INSERT INTO {_rank(table)} SELECT {_ordered(pk)} FROM {table}"


def rank_differs(table: str, pk: str) -> str:
    """Return the statement that gives a row unless the table of the order is that of the rows."""
    kept, due = (f"SELECT {_ordered(pk)} FROM {name}" for name in (_rank(table), table))
    return dialect.differ(kept, due)


def _ordered(pk: str) -> str:
    return ", ".join((pk, *_RANKED))


type Rows = Callable[[str, dict[str, Cell]], Iterable[tuple[Cell, ...]]]
"""Gives the rows of a statement; it may give up, and then says so itself."""


class Best(NamedTuple):
    """A row that matches: its key, and the class in which it does."""

    nr: int
    place: WeightClass


def one_of(words: Iterable[str]) -> str:
    """Return the full-text expression for one of these words."""
    return " OR ".join(map(dialect.term, words))


def best_of_many(
    rows: Rows, layout: Layout, levels: Sequence[str], request: Search, most: int
) -> tuple[list[Best], int] | None:
    """Return the best visible rows that match one of these expressions, and how many there are up to one over `most`.

    Best are those that match the first expression, in the first class. Of more than `most`, those with the greatest
    keys are ranked. None where few rows match: their texts tell sooner; and where `rows` gives up.
    """
    name, row_id = layout.name, dialect.text_id(layout.name)
    match = dialect.text_matches(name, ":match")
    matching = f"SELECT {row_id} AS nr FROM {name}_fts WHERE {match}{_not_hidden(layout, request.visibility)}"
    every: dict[str, Cell] = {"match": " OR ".join(levels), "most": most + 1}
    total = _number(rows, f"SELECT count(*) FROM ({matching} LIMIT :most)", every)
    if total is None or total <= FEW:
        return ([], 0) if total == 0 else None
    least: int | None = _LEAST
    if total > most:
        newest = f"{matching} ORDER BY {dialect.newest_text_first(name)} LIMIT :most"
        least = _number(rows, f"SELECT min(nr) FROM ({newest})", {**every, "most": most})
    sql = (
        f"SELECT {row_id} FROM {name}_fts CROSS JOIN {_rank(name)} AS {name} ON {name}.{layout.pk} = {row_id}"
        f" WHERE {compiled(layout, (), request.visibility).sql(match)} AND {row_id} >= :least"
        f" ORDER BY {name}.cache_sort, {row_id} LIMIT :limit"
    )
    found: dict[int, Best] = {}
    for expression, (place, column) in product(levels, enumerate(dialect.TEXT_COLUMNS)):
        if len(found) < request.limit:
            # A class that has fewer rows than asked for is known whole: its rows that come again are no others.
            values: dict[str, Cell] = {
                "match": f"{{{column}}} : ({expression})",
                "least": least,
                "limit": request.limit,
            }
            for nr in map(_whole, rows(sql, values)):
                found.setdefault(nr, Best(nr, WeightClass(place)))
    return list(found.values())[: request.limit], total


def _number(rows: Rows, sql: str, values: dict[str, Cell]) -> int | None:
    """Return the number that a statement gives; None where `rows` gave up."""
    return next(map(_whole, rows(sql, values)), None)


def _whole(row: tuple[Cell, ...]) -> int:
    return int(str(row[0]))


def _not_hidden(layout: Layout, visibility: Visibility) -> str:
    """Return the condition, to be added to others, that a row of the full-text index is one that the search sees."""
    flags = {"cache_deleted": visibility.deleted, "cache_archived": visibility.archived}
    unseen = " OR ".join(f"hidden.{flag} = 1" for flag, is_seen in flags.items() if not is_seen)
    if not unseen:
        return ""
    # The first of the conditions is that of the index: what it does not hold is seen without a look at the row.
    return (
        f" AND NOT EXISTS (SELECT 1 FROM {_rank(layout.name)} AS hidden INDEXED BY {_hidden_index(layout.name)}"
        f" WHERE ({_HIDDEN.format(row='hidden.')}) AND ({unseen})"
        f" AND hidden.{layout.pk} = {dialect.text_id(layout.name)})"
    )


def _hidden_index(table: str) -> str:
    return f"ix_{table}_hidden"


def _rank(table: str) -> str:
    return f"{table}_rank"
