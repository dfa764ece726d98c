"""What a search after a miss may do: its steps and rows are counted, and words are looked into for a part of one."""

import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from bench.data import NOON, product
from bench.data import words as vocabulary
from typed_orders import only_file

from cache_core.indexing import prepare
from cache_core.protocol import Batch
from cache_core.specs.products import PRODUCT
from cache_typed import dialect, trigrams
from cache_typed.backend import TypedBackend
from cache_typed.dialect import Connection
from cache_typed.trigrams import Budget, holding, words_lack

type Tick = Callable[[], int] | None


class Counted:
    """A connection that gives one row for each thousand steps, and is interrupted where its handler says so."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.set: list[tuple[bool, int]] = []
        self._tick: Tick = None

    def set_progress_handler(self, handler: Tick, steps: int) -> None:
        """Keep the handler."""
        self._tick = handler
        self.set.append((handler is not None, steps))

    def execute(self, sql: str, values: object) -> Iterator[tuple[int]]:
        """Yield the rows."""
        assert (sql, values) == ("SELECT", (5,))
        for number in range(self.rows):
            assert self._tick is not None
            if self._tick():
                error = sqlite3.OperationalError("interrupted")
                error.sqlite_errorcode = sqlite3.SQLITE_INTERRUPT
                raise error
            yield (number,)


def rows(budget: Budget, db: Counted, most: int = 100) -> int:
    """Return how many rows a statement gave."""
    return len(budget.rows(cast("Connection", db), "SELECT", (5,), most))


@pytest.mark.parametrize(("steps", "found"), [(0, 0), (999, 0), (1_000, 1), (1_999, 1), (2_000, 2), (3_000, 3)])
def test_so_many_steps_are_taken_and_what_was_found_until_then_is_kept(steps: int, found: int) -> None:
    budget, db = Budget(steps), Counted(3)
    assert budget.spent is False
    assert (rows(budget, db), budget.spent, db.set) == (found, found < 3, [(True, 1_000), (False, 0)])


def test_statements_share_a_budget() -> None:
    budget = Budget(3_000)
    assert [(rows(budget, Counted(2)), budget.spent) for _ in range(3)] == [(2, False), (1, True), (0, True)]


@pytest.mark.parametrize(("most", "found", "is_spent"), [(2, 2, True), (3, 3, False), (4, 3, False)])
def test_so_many_rows_are_taken(most: int, found: int, *, is_spent: bool) -> None:
    budget, db = Budget(9_000), Counted(3)
    assert (rows(budget, db, most), budget.spent, db.set[-1]) == (found, is_spent, (False, 0))


def test_another_error_is_raised_and_the_connection_left_as_it_was(db: Connection) -> None:
    budget = Budget(1_000_000)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        budget.rows(db, "SELECT * FROM nowhere", (), 1)
    assert (budget.spent, budget.rows(db, "VALUES (1), (2)", (), 2)) == (False, [(1,), (2,)])


@pytest.fixture
async def db(tmp_path: Path) -> AsyncGenerator[Connection]:
    """Return a raw connection to a cache of two products."""
    cache = TypedBackend(tmp_path)
    await cache.open()
    prepared = await prepare(PRODUCT, [product(nr, vocabulary(200)) for nr in (1, 2)], cache)
    await cache.apply(Batch(entity="product", at=NOON, upserts=prepared.rows))
    await cache.close()
    with closing(dialect.connect(str(only_file(tmp_path)))) as connection:
        connection.execute("DELETE FROM product_word")
        words = [(word,) for word in ("wood", "woody", "softwood", "doow")]
        connection.executemany("INSERT INTO product_word(word) VALUES (?)", words)
        yield connection


@pytest.mark.parametrize(
    ("token", "most", "found"),
    [
        ("wood", 3, ["softwood", "wood", "woody"]),
        ("wood", 4, ["softwood", "wood", "woody"]),
        ("ood", 3, ["softwood", "wood", "woody"]),
        ("woody", 1, ["woody"]),
        ("wo", 3, []),
    ],
)
def test_words_are_looked_into_for_a_part(db: Connection, token: str, most: int, found: list[str]) -> None:
    budget = Budget(trigrams.MAX_STEPS)
    assert (sorted(holding(db, "product", token, budget, most)), budget.spent) == (found, False)


def test_more_words_than_are_taken_spend_the_budget(db: Connection) -> None:
    budget = Budget(trigrams.MAX_STEPS)
    assert (len(holding(db, "product", "wood", budget, 2)), budget.spent) == (2, True)


def test_a_word_that_is_not_known_is_missed(db: Connection) -> None:
    assert db.execute(words_lack("product")).fetchone() is not None
    for statement in trigrams.refill_words("product"):
        db.execute(statement)
    assert db.execute(words_lack("product")).fetchall() == []
