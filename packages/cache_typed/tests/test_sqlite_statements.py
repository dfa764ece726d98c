"""What only SQLite understands: connections and their faults, the exact statements, and what a table is made of."""

import sqlite3
import threading
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import Column as Declared
from sqlalchemy.schema import CreateIndex, MetaData, Table
from sqlalchemy.types import Integer, Text

from cache_typed import dialect, indexes
from cache_typed.dialect import Column, Connection, SchemaObject


@pytest.fixture
def db() -> Generator[Connection]:
    """Return a connection to an empty database in memory."""
    with closing(dialect.connect(":memory:")) as connection:
        yield connection


def error(kind: type[sqlite3.Error], code: int | None = None, text: str = "") -> sqlite3.Error:
    """Return an error of SQLite with its code."""
    made = kind(text)
    if code is not None:
        made.sqlite_errorcode = code
    return made


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("foreign_keys", 1),
        ("recursive_triggers", 1),
        ("synchronous", 1),
        ("cache_size", -8000),
        ("temp_store", 2),
        ("journal_size_limit", 16_000_000),
        ("busy_timeout", 5_000),
    ],
)
def test_a_connection_is_set_up(db: Connection, pragma: str, value: int) -> None:
    assert db.execute(f"PRAGMA {pragma}").fetchone() == (value,)


def test_a_connection_begins_no_transaction_and_serves_any_thread(db: Connection) -> None:
    db.execute("CREATE TABLE t (a)")
    db.execute("INSERT INTO t VALUES (1)")
    assert not db.in_transaction
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(db.execute("SELECT a FROM t").fetchone()))
    thread.start()
    thread.join()
    assert found == [(1,)]


def test_a_connection_that_cannot_be_set_up_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(path: str, **options: object) -> sqlite3.Connection:
        opened.append(connect(path, isolation_level=None))
        return opened[0]

    monkeypatch.setattr(sqlite3, "connect", noted)
    monkeypatch.setattr(dialect, "_PRAGMAS", ("no statement",))
    with pytest.raises(sqlite3.OperationalError, match="syntax error"):
        dialect.connect(":memory:")
    with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
        opened[0].execute("SELECT 1")


def test_an_image_becomes_the_whole_database(db: Connection) -> None:
    with closing(sqlite3.connect(":memory:")) as source:
        source.execute("CREATE TABLE t (a)")
        source.execute("INSERT INTO t VALUES (7)")
        source.commit()
        dialect.load_image(source.serialize(), db)
    assert db.execute("SELECT a FROM t").fetchall() == [(7,)]


def test_an_image_with_the_log_differs_in_two_bytes() -> None:
    assert dialect.with_wal_header(bytes(range(30))) == bytes((*range(18), 2, 2, *range(20, 30)))


def test_a_connection_that_only_reads_changes_nothing(db: Connection) -> None:
    dialect.only_read(db)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("CREATE TABLE t (a)")


def test_the_log_is_turned_on_and_pages_have_a_size(tmp_path: Path) -> None:
    with closing(dialect.connect(str(tmp_path / "x.db"))) as connection:
        dialect.use_write_ahead_log(connection)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        connection.execute("PRAGMA page_size")
        assert dialect.page_size(connection) == 4096


def test_only_a_whole_check_sees_a_row_that_breaks_its_table(db: Connection) -> None:
    db.execute("CREATE TABLE t (a)")
    db.execute("INSERT INTO t VALUES (NULL)")
    dialect.check(db, whole=True)
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE t (a NOT NULL)'")
    db.execute("PRAGMA writable_schema = RESET")
    dialect.check(db, whole=False)
    with pytest.raises(dialect.Damage, match=r"^NULL value in t\.a$"):
        dialect.check(db, whole=True)
    assert list(dialect.inconsistencies(db)) == ["NULL value in t.a"]


def test_the_first_page_of_each_table_is_always_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(dialect.connect(str(path))) as connection:
        connection.execute("CREATE TABLE a (x)")
        connection.execute("CREATE TABLE b (x)")
        connection.execute("CREATE VIRTUAL TABLE c USING fts5(x)")
        connection.executemany("INSERT INTO b VALUES (?)", [("x" * 3_000,)] * 9)
        dialect.check(connection, whole=False)
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'b'").fetchone()
    data = bytearray(path.read_bytes())
    data[(root - 1) * 4096 : root * 4096] = bytes(4096)
    path.write_bytes(data)
    with closing(dialect.connect(str(path))) as connection, pytest.raises(sqlite3.DatabaseError) as raised:
        dialect.check(connection, whole=False)
    assert dialect.is_damage(raised.value)


def test_rows_without_their_document_are_counted(db: Connection) -> None:
    assert list(dialect.inconsistencies(db)) == []
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
    db.execute("CREATE TABLE child (parent INTEGER REFERENCES parent (id))")
    db.execute("INSERT INTO child VALUES (1), (2)")
    assert list(dialect.inconsistencies(db)) == ["rows of child that belong to no document: 2"]


@pytest.mark.parametrize(
    ("raised", "is_damage", "at_open"),
    [
        (dialect.Damage("any"), True, True),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "any"), True, True),
        (error(sqlite3.DatabaseError, sqlite3.SQLITE_CORRUPT), True, True),
        (error(sqlite3.DatabaseError, sqlite3.SQLITE_CORRUPT_VTAB), True, True),
        (error(sqlite3.DatabaseError, sqlite3.SQLITE_NOTADB), True, True),
        (error(sqlite3.OperationalError, text="Could not decode to UTF-8 column"), True, True),
        (error(sqlite3.OperationalError, sqlite3.SQLITE_ERROR, "malformed JSON"), True, True),
        (error(sqlite3.OperationalError, sqlite3.SQLITE_ERROR, "not malformed JSON"), False, True),
        (error(sqlite3.OperationalError, sqlite3.SQLITE_ERROR_RETRY), False, True),
        (error(sqlite3.OperationalError, sqlite3.SQLITE_BUSY), False, False),
        (error(sqlite3.OperationalError), False, False),
        (error(sqlite3.OperationalError, sqlite3.SQLITE_FULL), False, False),
    ],
    ids=repr,
)
def test_an_error_says_whether_the_file_is_broken(raised: Exception, *, is_damage: bool, at_open: bool) -> None:
    assert (dialect.is_damage(raised), dialect.is_damage_at_open(raised)) == (is_damage, at_open)


def test_words_of_sql_are_quoted() -> None:
    assert [dialect.quoted(name) for name in ("status", "default", "values")] == ["status", '"default"', '"values"']


def test_indexes_of_few_rows_are_partial() -> None:
    odd = "CREATE INDEX ix_t_odd ON t (cache_odd) WHERE cache_odd = 1"
    every = "CREATE UNIQUE INDEX ix_t_cache_id ON t (cache_id)"
    assert indexes.overflow_index("t") == SchemaObject("index", "ix_t_odd", odd)
    assert indexes.id_index("t", few=False) == SchemaObject("index", "ix_t_cache_id", every)
    some = f"{every} WHERE cache_id IS NOT NULL"
    assert indexes.id_index("t", few=True) == SchemaObject("index", "ix_t_cache_id", some)


def made_table() -> Table:
    """Return a table with a key of two columns and two indexes."""
    return Table(
        "t",
        MetaData(),
        Declared("b", Integer, primary_key=True),
        Declared("a", Integer, primary_key=True),
        Declared("default", Text, index=True),
        Declared("c", Text, nullable=False, index=True),
    )


def test_a_table_and_its_indexes_by_name_are_its_objects() -> None:
    objects = list(indexes.table_objects(made_table()))
    assert [(thing.kind, thing.name) for thing in objects] == [
        ("table", "t"),
        ("index", "ix_t_c"),
        ("index", "ix_t_default"),
    ]
    assert objects[1].sql == "CREATE INDEX ix_t_c ON t (c)"
    assert objects[0].sql.startswith("CREATE TABLE t (\n")
    assert objects[0].sql.endswith(")")


def test_an_index_of_given_values_leaves_the_others_out() -> None:
    table = made_table()
    index = dialect.index_of_given("t", "default")
    table.append_constraint(index)  # pyright: ignore[reportArgumentType] - an index is one too
    sql = str(CreateIndex(index).compile(dialect=sqlite.dialect()))
    assert sql == 'CREATE INDEX ix_t_default ON t ("default") WHERE "default" IS NOT NULL'


def test_the_columns_of_a_table_are_those_of_its_declaration(db: Connection) -> None:
    expected = {
        "b": Column("b", "INTEGER", required=True, key=1),
        "a": Column("a", "INTEGER", required=True, key=2),
        "default": Column("default", "TEXT", required=False, key=0),
        "c": Column("c", "TEXT", required=True, key=0),
    }
    assert dialect.column_objects(made_table()) == expected
    for thing in indexes.table_objects(made_table()):
        db.execute(thing.sql)
    assert dialect.columns_in(db, "t") == expected
    assert dialect.columns_in(db, "nowhere") == {}
    assert dialect.columns_in(db, "t", "temp") == {}
    assert dialect.schema_objects(db) == {thing.name: thing for thing in indexes.table_objects(made_table())}
    db.execute(dialect.add_column("t", Column("values", "TEXT", required=False, key=0)))
    assert dialect.columns_in(db, "t")["values"] == Column("values", "TEXT", required=False, key=0)
    for thing in dialect.schema_objects(db).values():
        db.execute(dialect.drop(thing))
    assert dialect.schema_objects(db) == {}
    assert dialect.drop(SchemaObject("index", "x", "")) == "DROP INDEX IF EXISTS x"


def test_an_attached_file_is_read_beside_the_own_one(db: Connection, tmp_path: Path) -> None:
    path = str(tmp_path / "x.db")
    with closing(dialect.connect(path)) as other:
        other.execute("CREATE TABLE cache_fields (nr INTEGER PRIMARY KEY, names)")
        other.execute("INSERT INTO cache_fields VALUES (1, 'theirs'), (2, 'theirs')")
    db.execute("CREATE TABLE cache_fields (nr INTEGER PRIMARY KEY, names)")
    db.execute("INSERT INTO cache_fields VALUES (1, 'ours')")
    source = dialect.attached(db, path)
    assert list(dialect.columns_in(db, "cache_fields", source)) == ["nr", "names"]
    db.execute(dialect.learn_fields_of(source))
    assert db.execute("SELECT nr, names FROM cache_fields").fetchall() == [(1, "ours"), (2, "theirs")]
    db.executemany(dialect.LEARN_FIELDS, [(2, "new"), (3, "new")])
    assert db.execute("SELECT nr, names FROM cache_fields WHERE nr > 1").fetchall() == [(2, "theirs"), (3, "new")]


def test_rows_replace_older_ones_and_those_without_a_version(db: Connection) -> None:
    db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, cache_version, a)")
    columns = ("id", "cache_version", "a")
    first = [(1, "2", "first"), (2, "2", "first"), (3, "2", "first"), (4, None, "first"), (5, "2", "first")]
    dialect.upsert(db, "t", "id", columns, first)
    second = [(1, "1", "second"), (2, "2", "second"), (3, "3", "second"), (4, "1", "second"), (5, None, "second")]
    dialect.upsert(db, "t", "id", columns, [*second, (6, "1", "second")])
    expected = [(1, "2", "first"), *second[1:], (6, "1", "second")]
    assert db.execute("SELECT id, cache_version, a FROM t ORDER BY id").fetchall() == expected
    dialect.upsert(db, "t", "id", columns, [])
    assert db.execute("SELECT count(*) FROM temp.waiting_t").fetchone() == (0,)


@pytest.mark.parametrize(
    ("values", "parameter"),
    [([], "[]"), ([1, "a", "漢"], '[1, "a", "漢"]'), (["a\0", 1], None), ([0], "[0]")],
)
def test_a_list_is_one_parameter_unless_a_text_holds_a_nul(values: list[str | int], parameter: str | None) -> None:
    assert dialect.in_list(values) == parameter


def test_the_expressions_of_the_full_text_index() -> None:
    assert dialect.prefixes(["a", "b"]) == '"a"* AND "b"*'
    assert dialect.one_of_each([("a", ["x", "y"]), ("b", [])]) == '("a"* OR "x" OR "y") AND ("b"*)'
    assert dialect.term("a") == '"a"'
    assert dialect.text_rows("t", "id") == "t_fts CROSS JOIN t ON t.id = t_fts.rowid"
    assert dialect.text_matches("t", ":v0") == "t_fts MATCH :v0"
    assert (dialect.text_id("t"), dialect.newest_text_first("t")) == ("t_fts.rowid", "t_fts.rowid DESC")
    assert dialect.holds("a", ":v0") == "instr(a, :v0)"


def test_the_sidecar_of_a_table_follows_it_and_is_made_again(db: Connection) -> None:
    columns = ", ".join(f"{name} TEXT NOT NULL DEFAULT ''" for name in dialect.TEXT_COLUMNS)
    db.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, {columns}, cache_codes TEXT NOT NULL DEFAULT '[]')")
    objects = list(dialect.sidecar_objects("t", "id"))
    assert [(thing.kind, thing.name) for thing in objects] == [
        *(("table", name) for name in ("t_fts", "t_terms", "t_code")),
        *(("trigger", f"t_fts_{name}") for name in ("insert", "delete", "text", "codes")),
    ]
    for thing in objects:
        db.execute(thing.sql)
    db.execute("""INSERT INTO t (id, cache_names, cache_codes) VALUES (1, 'wheel', '[["a 1",0],["a 1",0],["b",2]]')""")
    codes = "SELECT code, nr, place FROM t_code ORDER BY code"
    assert db.execute(codes).fetchall() == [("a 1", 1, 0), ("b", 1, 2)]
    assert db.execute(dialect.codes_differ("t", "id")).fetchone() is None
    db.execute("UPDATE t SET cache_names = 'fork', cache_codes = '[[\"c\",1]]'")
    assert db.execute(codes).fetchall() == [("c", 1, 1)]
    assert db.execute("SELECT rowid FROM t_fts WHERE t_fts MATCH 'fork'").fetchall() == [(1,)]
    assert db.execute("SELECT rowid FROM t_fts WHERE t_fts MATCH 'wheel'").fetchall() == []
    db.execute(dialect.sidecar_check("t"))
    db.execute("INSERT INTO t_code VALUES ('d', 1, 0)")
    assert db.execute(dialect.codes_differ("t", "id")).fetchone() == (1,)
    db.execute("DELETE FROM t_code")
    assert db.execute(dialect.codes_differ("t", "id")).fetchone() == (1,)
    db.execute("INSERT INTO t_fts(t_fts) VALUES ('delete-all')")
    with pytest.raises(sqlite3.DatabaseError):
        db.execute(dialect.sidecar_check("t"))
    for statement in dialect.refill_sidecar("t", "id"):
        db.execute(statement)
    db.execute(dialect.sidecar_check("t"))
    assert db.execute(codes).fetchall() == [("c", 1, 1)]
    db.execute("DELETE FROM t")
    assert db.execute(codes).fetchall() == []
