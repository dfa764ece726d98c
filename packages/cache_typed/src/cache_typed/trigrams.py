"""The words of an entity, each once: what a search after a miss asks instead of the records.

A table of words that triggers fill, an index of their three-letter runs, and a budget for asking them. A word outlives
its last record until the sidecar is made again: it then proposes nothing. The words that a typo was compared with are
kept in memory, for each connection, until there are others.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from cache_core.search_rules import SHORTEST_PART, is_number, reach
from cache_core.suggest import closest
from cache_typed.code_fragments import runs_of
from cache_typed.columns import Cell
from cache_typed.dialect import IN_LIST, TEXT_COLUMNS, Connection, SchemaObject, in_list, trigger

MAX_WORDS = 50_000
"""Words that one typo is compared with at most: about 30 ms."""

MAX_STEPS = 1_000_000
"""Steps of SQLite's machine that one search after a miss may take: 12 ms of counting, 300 ms of full-text rows."""

MAX_KEPT = 2 * MAX_WORDS
"""Words that a connection keeps in memory at most, some 70 bytes each: 7 MB."""

_TICK = 1_000
# Words that hold something else than digits: a number is never a typo, see `text.is_number`.
_SPELT = "word GLOB '*[^0-9]*'"


class Budget:
    """The work that one search after a miss may still do, counted in steps: the same on every machine.

    Attributes:
        spent: whether something was left out.
        left: the steps that may still be taken, in thousands; below 0 where there were too few.
    """

    def __init__(self, steps: int) -> None:
        """Begin with this many steps."""
        self.spent = False
        self.left = steps // _TICK

    def rows(
        self, db: Connection, sql: str, values: Sequence[Cell] | dict[str, Cell], most: int
    ) -> list[tuple[Cell, ...]]:
        """Return at most this many rows of a statement, or those that it found before the budget was spent."""
        found: list[tuple[Cell, ...]] = []
        db.set_progress_handler(self._tick, _TICK)
        try:
            for row in db.execute(sql, values):
                if len(found) == most:
                    self.spent = True
                    break
                found.append(row)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            self.spent = True
        finally:
            db.set_progress_handler(None, 0)
        return found

    def take(self, thousands: int) -> bool:
        """Count steps that need not be taken again; return whether there were enough for them."""
        self.left -= thousands
        self.spent = self.spent or self.left < 0
        return self.left >= 0

    def _tick(self) -> int:
        self.left -= 1
        return int(self.left < 0)


def word_objects(table: str) -> Iterator[SchemaObject]:
    """Yield the words of a table, the index of their runs, and the triggers that keep them."""
    word = f"{table}_word"
    yield SchemaObject("table", word, f"CREATE TABLE {word} (nr INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE)")
    name = f"ix_{word}_size"
    yield SchemaObject("index", name, f"CREATE INDEX {name} ON {word} (length(word), word) WHERE {_SPELT}")
    yield SchemaObject(
        "table",
        f"{table}_run",
        f"CREATE VIRTUAL TABLE {table}_run USING fts5(word, content='{word}', content_rowid='nr',"
        " tokenize='trigram case_sensitive 1', detail=none, columnsize=0)",
    )
    added = f"INSERT INTO {table}_run(rowid, word) VALUES (new.nr, new.word);"
    dropped = f"INSERT INTO {table}_run({table}_run, rowid, word) VALUES ('delete', old.nr, old.word);"
    learnt = f"{_learn(table, 'new')};"
    changed = " OR ".join(f"old.{column} IS NOT new.{column}" for column in TEXT_COLUMNS)
    for name, event, body in (
        (f"{word}_added", f"INSERT ON {word}", added),
        (f"{word}_dropped", f"DELETE ON {word}", dropped),
        (f"{word}_insert", f"INSERT ON {table}", learnt),
        (f"{word}_text", f"UPDATE ON {table} WHEN {changed}", learnt),
    ):
        yield trigger(name, event, body)


def refill_words(table: str) -> tuple[str, ...]:
    """Return the statements that make the words of a table again from its rows."""
    return (f"DELETE FROM {table}_word", _learn(table, table, f"{table}, "))


def words_check(table: str) -> str:
    """Return the statement that fails unless the index of runs and the words say the same."""
    return f"INSERT INTO {table}_run({table}_run, rank) VALUES ('integrity-check', 1)"


def _learn(table: str, row: str, source: str = "") -> str:
    # A look for each word before it is added would be a second one: its index refuses what is there.
    words = f"SELECT value FROM {source}{_each(row)} WHERE value <> ''"
    return f"INSERT INTO {table}_word(word) {words} ON CONFLICT DO NOTHING"


def words_lack(table: str) -> str:
    """Return the statement that gives a row if a word of the table is not among its words."""
    learned = f"SELECT 1 FROM {table}_word WHERE word = value"
    return f"SELECT value FROM {table}, {_each(table)} WHERE value <> '' AND NOT EXISTS ({learned}) LIMIT 1"


def _each(row: str) -> str:
    # The texts are words joined by spaces: quoted as one JSON text, a space becomes the border of two.
    text = " || ' ' || ".join(f"{row}.{column}" for column in TEXT_COLUMNS)
    listed = f"""'[' || replace(json_quote({text}), ' ', '","') || ']'"""
    return f"json_each({listed})"


def holding(db: Connection, table: str, token: str, budget: Budget, most: int) -> list[str]:
    """Return words inside which a token stands."""
    if len(token) < SHORTEST_PART:
        return []
    sql = (
        f"SELECT {table}_word.word FROM {table}_run CROSS JOIN {table}_word ON nr = {table}_run.rowid"
        f" WHERE {table}_run MATCH ? AND instr({table}_word.word, ?) LIMIT ?"
    )
    return [str(word) for (word,) in budget.rows(db, sql, (runs_of(token), token, most + 1), most)]


def whole(db: Connection, table: str, texts: Sequence[str]) -> set[str]:
    """Return those of a few texts that are words."""
    sql = f"SELECT word FROM {table}_word WHERE word {IN_LIST.format('?')}"
    return {word for (word,) in db.execute(sql, (in_list(texts),))} if texts else set()


def near(db: Connection, table: str, tokens: Sequence[str], budget: Budget, most: int) -> dict[str, list[str]]:
    """Return, for each token that can be a typo, the words it may stand for, nearest first."""
    spelt = [token for token in tokens if reach(token) and not is_number(token)]
    words = _of_sizes(db, table, _likeliest_sizes(spelt), budget)
    return {token: _nearest(token, words, budget, most) for token in spelt}


def _likeliest_sizes(tokens: Sequence[str]) -> list[int]:
    """Return how long the words may be that the tokens stand for: first those as long as a token."""
    far = ((abs(more), len(token) + more) for token in tokens for more in range(-reach(token), reach(token) + 1))
    return list(dict.fromkeys(size for _, size in sorted(far)))


def _of_sizes(db: Connection, table: str, sizes: Sequence[int], budget: Budget) -> list[str]:
    """Return the words of these lengths."""
    kept = _KEPT.setdefault(db, _KeptWords())
    kept.keep_only(table, _edition(db, table))
    words: list[str] = []
    for size in sizes:
        left = MAX_WORDS - len(words)
        found = _of_size(db, table, size, left + 1, budget)
        budget.spent = budget.spent or len(found) > left
        words += found[:left]
    return words


def _of_size(db: Connection, table: str, size: int, most: int, budget: Budget) -> list[str]:
    """Return the first words of a length: those that are kept, for the budget that it took to read them."""
    kept = _KEPT[db]
    known = kept.get(table, size)
    if known is not None and (known.is_all or len(known.words) >= most):
        return known.words[:most] if budget.take(known.cost_of(most)) else []
    # They are read as one text: a fourth of the time of a row for each.
    listed = f"SELECT word FROM {table}_word WHERE length(word) = ? AND {_SPELT} LIMIT ?"
    before = budget.left
    words: list[str] = []
    for (text,) in budget.rows(db, f"SELECT group_concat(word, ' ') FROM ({listed})", (size, most), 1):
        words = [] if text is None else str(text).split(" ")
        kept.put(table, size, _SizeWords(words, len(words) < most, before - budget.left))
    return words


class _SizeWords(NamedTuple):
    """The first words of a length in the order of their index, whether these are all, and what it took to read them."""

    words: list[str]
    is_all: bool
    thousands: int

    def cost_of(self, most: int) -> int:
        """Return the thousands of steps that it takes to read so many of them."""
        return self.thousands if most >= len(self.words) else self.thousands * most // len(self.words)


class _KeptWords:
    """The words that a connection has read, `MAX_KEPT` at most: those used last."""

    def __init__(self) -> None:
        self._lists: dict[tuple[str, int], _SizeWords] = {}
        self._editions: dict[str, _Edition] = {}

    def keep_only(self, table: str, edition: "_Edition") -> None:
        """Forget the words of a table unless they are of this edition."""
        if self._editions.get(table) != edition:
            self._editions[table] = edition
            self._lists = {key: listed for key, listed in self._lists.items() if key[0] != table}

    def get(self, table: str, size: int) -> _SizeWords | None:
        """Return the words of a length that are kept."""
        found = self._lists.pop((table, size), None)
        if found is not None:
            self._lists[table, size] = found
        return found

    def put(self, table: str, size: int, listed: _SizeWords) -> None:
        """Keep words in the place of those used longest ago."""
        self._lists[table, size] = listed
        kept = sum(len(other.words) for other in self._lists.values())
        for key in list(self._lists)[:-1]:
            if kept <= MAX_KEPT:
                break
            kept -= len(self._lists.pop(key).words)


_KEPT: WeakKeyDictionary[Connection, _KeptWords] = WeakKeyDictionary()


class _Edition(NamedTuple):
    """What tells whether a table has the same words: they are only added, unless the table itself is made again."""

    schema: int
    last: int | None


def _edition(db: Connection, table: str) -> _Edition:
    (schema,) = db.execute("PRAGMA schema_version").fetchone()
    (last,) = db.execute(f"SELECT max(nr) FROM {table}_word").fetchone()
    return _Edition(schema, last)


def _nearest(token: str, words: list[str], budget: Budget, most: int) -> list[str]:
    found = closest(token, words, most + 1)
    budget.spent = budget.spent or len(found) > most
    return found[:most]
