"""What only SQLite understands: pragmas, upsert, triggers, full text, lists as parameters, errors.

The rest of it are the words of `cache_typed.trigrams`. Another database follows by other modules with these names.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import text
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import Index, Table

Error = sqlite3.Error
DatabaseError = sqlite3.DatabaseError

TEXT_COLUMNS = ("cache_keys", "cache_names", "cache_extras", "cache_related")
"""The searchable columns in the order of `WeightClass`."""

BUSY_MILLISECONDS = 5_000
"""How long a writer waits for another process."""

CHUNK = 500
"""Values bound by one statement at most; every SQLite build takes 999."""

# Everything but separators and controls belongs to a token: the texts arrive as tokens joined by spaces.
_TOKENIZE = "unicode61 remove_diacritics 0 categories ''L* N* M* Co Cn S* P*''"
_PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -8000",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA journal_size_limit = 16000000",
)
WITHOUT_ROWID = {"sqlite_with_rowid": False}
"""What a table declares whose rows stand in the order of its primary key."""

_QUOTING = sqlite.dialect().identifier_preparer
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_DAMAGE_SOUNDS = ("Could not decode", "malformed JSON", "invalid fts5 file format")
_FIRST_BYTE = 0xFF


class Connection(sqlite3.Connection):
    """A connection; what was read through it may be kept as long as it is (`weakref` takes none of SQLite's own)."""


class Damage(sqlite3.DatabaseError):
    """A file that SQLite opens, and whose own check it fails."""


@dataclass(frozen=True, slots=True)
class SchemaObject:
    """One object of the schema: its type and name, and the statement that makes it."""

    kind: str
    name: str
    sql: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its type, whether every row must have a value, and its place in the primary key from 1, or 0."""

    name: str
    type: str
    required: bool
    key: int


def connect(path: str, patience: int = BUSY_MILLISECONDS) -> Connection:
    """Return a connection to a file or to `:memory:`; transactions are begun and ended explicitly."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256, factory=Connection)
    try:
        db.execute(f"PRAGMA busy_timeout = {patience}")
        for pragma in _PRAGMAS:
            db.execute(pragma)
    except BaseException:
        db.close()
        raise
    return db


def load_image(image: bytes, connection: Connection) -> None:
    """Make an empty database equal to the image of another one."""
    with closing(sqlite3.connect(":memory:")) as source:
        source.deserialize(image)
        source.backup(connection)


def with_wal_header(image: bytes) -> bytes:
    """Return an image with the write-ahead log turned on: to turn it on in the file flushes the whole file."""
    return b"".join((image[:18], b"\2\2", image[20:]))


def only_read(connection: Connection) -> None:
    """Refuse whatever would change the file."""
    connection.execute("PRAGMA query_only = ON")


def use_write_ahead_log(connection: Connection) -> None:
    """Let readers and the writer of several processes go on beside each other."""
    connection.execute("PRAGMA journal_mode = WAL")


def page_size(connection: Connection) -> int:
    """Return the bytes of a page of the file."""
    return int(connection.execute("PRAGMA page_size").fetchone()[0])


def check(connection: Connection, *, whole: bool) -> None:
    """Refuse a damaged file; `whole` reads all of it, otherwise the first page of each table.

    Raises:
        sqlite3.DatabaseError: it is damaged, as `is_damage` tells.
    """
    if whole:
        verdict: str = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise Damage(verdict)
        return
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
    for (name,) in tables.fetchall():
        connection.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()


def inconsistencies(connection: Connection) -> Iterator[str]:
    """Yield what is wrong with pages, indexes and the links of rows to their documents, a sentence each."""
    yield from (text for (text,) in connection.execute("PRAGMA integrity_check(20)") if text != "ok")
    orphans = 'SELECT "table", count(*) FROM pragma_foreign_key_check GROUP BY "table"'
    for table, count in connection.execute(orphans).fetchall():
        yield f"rows of {table} that belong to no document: {count}"


def is_damage(error: Exception) -> bool:
    """Return whether the error says that the file itself is broken."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    is_ours = isinstance(error, Damage | UnicodeDecodeError)
    return is_ours or code & _FIRST_BYTE in _DAMAGED or str(error).startswith(_DAMAGE_SOUNDS)


def is_put_off(error: Error) -> bool:
    """Return whether another process is at the file just now, or the statement was interrupted."""
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_INTERRUPT"))


def is_damage_at_open(error: Exception) -> bool:
    """Return the same of an error at the opening, where SQL that fails means a schema that nobody wrote so."""
    return is_damage(error) or getattr(error, "sqlite_errorcode", 0) & _FIRST_BYTE == sqlite3.SQLITE_ERROR


@lru_cache(maxsize=1024)
def quoted(name: str) -> str:
    """Return a column's name as SQL writes it: `default` and `values` are words of SQL too."""
    return _QUOTING.quote(name)


def index_of_given(table: str, column: str) -> Index:
    """Return the index of a column that many rows leave empty and no list is sorted by: it holds the other rows."""
    return Index(f"ix_{table}_{column}", column, sqlite_where=text(f"{quoted(column)} IS NOT NULL"))


def sidecar_objects(table: str, pk: str) -> Iterator[SchemaObject]:
    """Yield a table's full-text index, its terms, its exact codes, and the triggers that keep them true."""
    names = ", ".join(TEXT_COLUMNS)
    yield SchemaObject(
        "table",
        f"{table}_fts",
        f"CREATE VIRTUAL TABLE {table}_fts USING fts5({names}, content='{table}', content_rowid='{pk}',"
        f" tokenize='{_TOKENIZE}', prefix='1 2', columnsize=0, detail=column)",
    )
    terms = f"{table}_terms"
    yield SchemaObject("table", terms, f"CREATE VIRTUAL TABLE {terms} USING fts5vocab({table}_fts, row)")
    yield SchemaObject(
        "table",
        f"{table}_code",
        f"CREATE TABLE {table}_code (code TEXT NOT NULL, nr INTEGER NOT NULL, place INTEGER NOT NULL,"
        " PRIMARY KEY (code, nr, place)) WITHOUT ROWID",
    )
    yield from _triggers(table, pk, names)


def _triggers(table: str, pk: str, names: str) -> Iterator[SchemaObject]:
    def row(which: str) -> str:
        return ", ".join(f"{which}.{name}" for name in TEXT_COLUMNS)

    added = f"INSERT INTO {table}_fts(rowid, {names}) VALUES (new.{pk}, {row('new')});"
    dropped = f"INSERT INTO {table}_fts({table}_fts, rowid, {names}) VALUES ('delete', old.{pk}, {row('old')});"
    # The statement that fires a trigger overrules OR IGNORE in it, but not ON CONFLICT: a record may have a code twice.
    coded = (
        f"INSERT INTO {table}_code(code, nr, place) SELECT json_extract(value, '$[0]'), new.{pk},"
        " json_extract(value, '$[1]') FROM json_each(new.cache_codes) WHERE 1 ON CONFLICT DO NOTHING;"
    )
    uncoded = (
        f"DELETE FROM {table}_code WHERE nr = old.{pk} AND code IN"
        " (SELECT json_extract(value, '$[0]') FROM json_each(old.cache_codes));"
    )
    text_changed = " OR ".join(f"old.{name} IS NOT new.{name}" for name in (pk, *TEXT_COLUMNS))
    codes_changed = f"old.{pk} IS NOT new.{pk} OR old.cache_codes IS NOT new.cache_codes"
    for suffix, event, body in (
        ("insert", "INSERT", f"{added} {coded}"),
        ("delete", "DELETE", f"{dropped} {uncoded}"),
        ("text", f"UPDATE ON {table} WHEN {text_changed}", f"{dropped} {added}"),
        ("codes", f"UPDATE ON {table} WHEN {codes_changed}", f"{uncoded} {coded}"),
    ):
        yield trigger(f"{table}_fts_{suffix}", event if " ON " in event else f"{event} ON {table}", body)


def trigger(name: str, event: str, body: str) -> SchemaObject:
    """Return a trigger that runs the statements of `body` after an event: `INSERT ON` a table."""
    return SchemaObject("trigger", name, f"CREATE TRIGGER {name} AFTER {event} BEGIN {body} END")


def refill_sidecar(table: str, pk: str) -> tuple[str, ...]:
    """Return the statements that rebuild the sidecar of a table from its rows."""
    return (
        f"INSERT INTO {table}_fts({table}_fts) VALUES ('rebuild')",
        f"DELETE FROM {table}_code",
        f"INSERT OR IGNORE INTO {table}_code(code, nr, place) {_codes(table, pk)}",
    )


def _codes(table: str, pk: str) -> str:
    return (
        f"SELECT json_extract(value, '$[0]'), {table}.{pk}, json_extract(value, '$[1]')"
        f" FROM {table}, json_each({table}.cache_codes)"
    )


def codes_differ(table: str, pk: str) -> str:
    """Return the statement that gives a row unless the exact codes are those of the table."""
    kept, due = f"SELECT code, nr, place FROM {table}_code", _codes(table, pk)
    return differ(kept, due)


def differ(kept: str, due: str) -> str:
    """Return the statement that gives a row unless two queries give the same rows."""
    return f"SELECT 1 FROM ({kept} EXCEPT {due}) UNION ALL SELECT 1 FROM ({due} EXCEPT {kept}) LIMIT 1"


def sidecar_check(table: str) -> str:
    """Return the statement that fails unless the full-text index and the table say the same."""
    return f"INSERT INTO {table}_fts({table}_fts, rank) VALUES ('integrity-check', 1)"


def schema_objects(connection: Connection) -> dict[str, SchemaObject]:
    """Return what the file holds, by name."""
    found = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: SchemaObject(kind, name, sql) for kind, name, sql in found}


def column_objects(table: Table) -> dict[str, Column]:
    """Return what each column of a declared table is, by name."""
    dialect = sqlite.dialect()
    keys = [column.name for column in table.primary_key]
    return {
        column.name: Column(
            column.name,
            str(column.type.compile(dialect=dialect)),
            required=not column.nullable,
            key=keys.index(column.name) + 1 if column.name in keys else 0,
        )
        for column in table.columns
    }


def columns_in(connection: Connection, table: str, schema: str = "main") -> dict[str, Column]:
    """Return what each column of a table in the file is; nothing for a table that is not there."""
    found = connection.execute('SELECT name, type, "notnull", pk FROM pragma_table_info(?, ?)', (table, schema))
    return {name: Column(name, type_, required=bool(required), key=key) for name, type_, required, key in found}


def add_column(table: str, column: Column) -> str:
    """Return the statement that adds a column, null in every row."""
    return f"ALTER TABLE {table} ADD COLUMN {quoted(column.name)} {column.type}"


def attached(connection: Connection, path: str) -> str:
    """Attach another file until the connection is closed; return the name of its schema."""
    connection.execute("ATTACH DATABASE ? AS older", (path,))
    return "older"


def drop(thing: SchemaObject) -> str:
    """Return the statement that drops an object."""
    return f"DROP {thing.kind.upper()} IF EXISTS {thing.name}"


def upsert(
    connection: Connection,
    table: str,
    pk: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str | int | bytes | None]],
) -> None:
    """Add or replace rows by one statement, unless the stored version is newer.

    Rows wait in a table of the connection's own: after each statement the full-text index writes out what it holds,
    so that a statement per row takes twice the time.
    """
    marks = ", ".join("?" for _ in columns)
    listed = ", ".join(columns)
    sets = ", ".join(f"{name} = excluded.{name}" for name in columns if name != pk)
    waiting = f"temp.waiting_{table}"
    connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS waiting_{table} AS SELECT {listed} FROM {table} WHERE 0")
    connection.executemany(f"INSERT INTO {waiting} ({listed}) VALUES ({marks})", rows)
    connection.execute(
        f"INSERT INTO {table} ({listed}) SELECT {listed} FROM {waiting} WHERE 1"
        f" ON CONFLICT ({pk}) DO UPDATE SET {sets}"
        f" WHERE excluded.cache_version IS NULL OR {table}.cache_version IS NULL"
        f" OR excluded.cache_version >= {table}.cache_version"
    )
    connection.execute(f"DELETE FROM {waiting}")


REMEMBER_STATE = (
    "INSERT INTO cache_state (entity, state) VALUES (?, ?) ON CONFLICT (entity) DO UPDATE SET state = excluded.state"
)
EDITION, TABLES = "PRAGMA data_version", "PRAGMA schema_version"
"""Give a number that is another one after each transaction of others that wrote, and after each that made tables."""
LEARN_FIELDS = "INSERT INTO cache_fields (nr, names) VALUES (?, ?) ON CONFLICT DO NOTHING"


def learn_fields_of(source: str) -> str:
    """Return the statement that takes over the names of fields of an attached file."""
    return f"INSERT OR IGNORE INTO main.cache_fields SELECT nr, names FROM {source}.cache_fields"


def in_list(values: Sequence[str | int]) -> str | None:
    """Return the one parameter of `IN_LIST` for any number of values; None where it cannot carry them."""
    if any(isinstance(value, str) and "\0" in value for value in values):
        return None
    return _LIST.encode(values)


_LIST = json.JSONEncoder(ensure_ascii=False)
IN_LIST = "IN (SELECT value FROM json_each({}))"
HOLDS_ONE = (
    "({column} NOT IN ('[]', '{{}}') AND EXISTS"
    " (SELECT 1 FROM json_each({sought}) AS sought WHERE instr({column}, sought.value)))"
)
"""Whether a column of JSON holds one of the texts in a list of them, each as JSON writes it."""


def prefixes(tokens: Sequence[str]) -> str:
    """Return the full-text expression that asks for every token as a prefix; tokens hold no quotes."""
    return " AND ".join(f'"{token}"*' for token in tokens)


def one_of_each(meant: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Return the full-text expression that asks, for every token, for it as a prefix or for one of its words."""
    tokens = (" OR ".join((f'"{token}"*', *map(term, words))) for token, words in meant)
    return " AND ".join(f"({token})" for token in tokens)


def term(word: str) -> str:
    """Return the full-text expression that asks for one whole token."""
    return f'"{word}"'


def text_rows(table: str, pk: str) -> str:
    """Return the source of rows that are found by their text, walked from the full-text index."""
    return f"{table}_fts CROSS JOIN {table} ON {table}.{pk} = {table}_fts.rowid"


def text_matches(table: str, expression: str) -> str:
    """Return the condition that a full-text expression, given by its placeholder, holds of a row of `text_rows`."""
    return f"{table}_fts MATCH {expression}"


def text_id(table: str) -> str:
    """Return what names a row of `text_rows`."""
    return f"{table}_fts.rowid"


def newest_text_first(table: str) -> str:
    """Return the order of `text_rows` that costs no sorting: greatest keys first."""
    return f"{table}_fts.rowid DESC"


def holds(text: str, part: str) -> str:
    """Return the condition that one text stands in another."""
    return f"instr({text}, {part})"
