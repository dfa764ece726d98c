"""The index of codes without separators, and how the columns of tables are declared."""

from collections.abc import Generator
from contextlib import closing

import pytest
from sqlalchemy import BigInteger, Boolean, Column, ForeignKeyConstraint, Integer, LargeBinary, MetaData, Table, Text
from sqlmodel import Field

from cache_typed import code_fragments, dialect, documents
from cache_typed.dialect import Connection
from cache_typed.documents import Document, Named, Part
from cache_typed.mapping import table_of


@pytest.fixture
def db() -> Generator[Connection]:
    """Return a connection to an empty table of codes."""
    with closing(dialect.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, note, cache_codes TEXT NOT NULL DEFAULT '[]')")
        yield connection


def found(db: Connection, part: str) -> list[int]:
    """Return the rows whose codes hold every run of a text."""
    sql = (
        f"SELECT {code_fragments.run_id('t')} FROM {code_fragments.coded_rows('t', 'id')}"
        f" WHERE {code_fragments.holds_run('t', '?')} ORDER BY 1"
    )
    return [nr for (nr,) in db.execute(sql, (code_fragments.runs_of(part),))]


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("ab", ""),
        ("abc", '"abc"'),
        ("abcd", '"abc" AND "bcd"'),
        ("abcabc", '"abc" AND "bca" AND "cab"'),
        ("aaaa", '"aaa"'),
    ],
)
def test_a_text_is_asked_for_by_its_runs_of_three_each_once(text: str, expression: str) -> None:
    assert code_fragments.runs_of(text) == expression


def test_the_sources_and_conditions_of_coded_rows() -> None:
    assert code_fragments.coded_rows("t", "id") == "t_code_run CROSS JOIN t ON t.id = t_code_run.rowid"
    assert code_fragments.run_id("t") == "t_code_run.rowid"
    assert code_fragments.holds_run("t", ":v0") == "t_code_run MATCH :v0"


@pytest.mark.parametrize(("whole", "plain"), [(True, [1, 2]), (False, [2])])
def test_the_index_follows_its_table_and_is_made_again(db: Connection, whole: bool, plain: list[int]) -> None:
    objects = list(code_fragments.run_objects("t", "id", whole=whole))
    assert [(thing.kind, thing.name) for thing in objects] == [
        ("table", "t_code_run"),
        ("trigger", "t_code_run_insert"),
        ("trigger", "t_code_run_delete"),
        ("trigger", "t_code_run_codes"),
    ]
    for thing in objects:
        db.execute(thing.sql)
    # One that never had separators, one without them as it counts beside its own, one that has them.
    db.execute("""INSERT INTO t (id, cache_codes) VALUES (1, '[["ab1234",0]]'), (2, '[["ab 1234",0],["ab1234",1]]')""")
    db.execute("""INSERT INTO t (id, cache_codes) VALUES (3, '[["ab 1234",2]]'), (4, '[["x",2],["ab1234",3]]')""")
    assert found(db, "b1234") == [*plain, 4]
    assert found(db, "b 12") == []
    db.execute("UPDATE t SET note = 'same'")
    assert found(db, "b1234") == [*plain, 4]
    db.execute("UPDATE t SET cache_codes = '[[\"cd5678\",3]]' WHERE id = 2")
    db.execute("UPDATE t SET id = 9 WHERE id = 4")
    db.execute("DELETE FROM t WHERE id = 1")
    assert (found(db, "b1234"), found(db, "d5678")) == ([9], [2])
    for statement in code_fragments.refill_runs("t", "id", whole=whole):
        db.execute(statement)
    assert (found(db, "b1234"), found(db, "d5678")) == ([9], [2])
    db.execute("DELETE FROM t")
    assert (found(db, "b1234"), found(db, "d5678")) == ([], [])


def test_the_index_is_made_again_where_nothing_followed_the_table(db: Connection) -> None:
    db.execute(next(code_fragments.run_objects("t", "id", whole=True)).sql)
    db.execute("""INSERT INTO t (id, cache_codes) VALUES (1, '[["ab1234",0]]')""")
    assert found(db, "b1234") == []
    for statement in code_fragments.refill_runs("t", "id", whole=True):
        db.execute(statement)
    assert found(db, "b1234") == [1]


class WhiteMouseTail(Document, table=True):
    """A document with a column of each kind."""

    id: int = documents.identity()
    length: int | None = documents.whole()
    count: int | None = documents.whole(index=True)
    name: str | None = documents.text()
    code: str | None = documents.text(index=True)
    is_long: bool | None = documents.flag()
    is_white: bool | None = documents.flag(index=True)


class WhiteMouseHair(Part, table=True):
    """A part of that document."""

    __table_args__ = documents.part_of("white_mouse_tail.id")
    colour: str | None = Field(default=None, sa_type=Text)


def declared(table: Table) -> dict[str, tuple[type[object], bool, bool, bool]]:
    """Return the type of each column, whether it is a key, whether it may be null, and whether it has an index."""
    return {
        column.name: (type(column.type), column.primary_key, bool(column.nullable), bool(column.index))
        for column in table.columns
    }


def test_a_table_is_named_like_its_class() -> None:
    assert (table_of(WhiteMouseTail).name, table_of(WhiteMouseHair).name) == ("white_mouse_tail", "white_mouse_hair")
    assert issubclass(WhiteMouseTail, Named)


def test_each_kind_of_column_is_declared_with_its_type_and_index() -> None:
    columns = declared(table_of(WhiteMouseTail))
    own = {name: about for name, about in columns.items() if not name.startswith("cache_")}
    assert own == {
        "id": (Integer, True, False, False),
        "length": (Integer, False, True, False),
        "count": (Integer, False, True, True),
        "name": (Text, False, True, False),
        "code": (Text, False, True, True),
        "is_long": (Boolean, False, True, False),
        "is_white": (Boolean, False, True, True),
    }
    assert {name: columns[name] for name in ("cache_digest", "cache_fields", "cache_key")} == {
        "cache_digest": (LargeBinary, False, False, False),
        "cache_fields": (BigInteger, False, False, False),
        "cache_key": (Text, False, True, True),
    }


def test_a_part_goes_with_its_document_and_stands_in_the_order_of_its_key() -> None:
    table = table_of(WhiteMouseHair)
    assert [column.name for column in table.primary_key] == ["cache_parent", "cache_position"]
    (link,) = [thing for thing in table.constraints if isinstance(thing, ForeignKeyConstraint)]
    assert (link.column_keys, link.ondelete) == (["cache_parent"], "CASCADE")
    assert [element.target_fullname for element in link.elements] == ["white_mouse_tail.id"]
    assert table.dialect_options["sqlite"]["with_rowid"] is False
    assert documents.part_of("a.b")[1] == {"sqlite_with_rowid": False}


def test_an_index_over_several_columns_is_named_by_them() -> None:
    table = Table("t", MetaData(), Column("a", Integer), Column("b", Integer), documents.together("t", "a", "b"))
    (index,) = table.indexes
    assert (index.name, [column.name for column in index.columns]) == ("ix_t_a_b", ["a", "b"])
