"""A file's schema: made, mended where it drifted, filled from an older file, checked and taken over, all or nothing."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from cache_core.errors import LeaseLost
from cache_core.leases import Claim
from cache_core.protocol import Batch, Quarantined, Row, SyncState
from cache_core.records import Json
from cache_core.search_rules import SearchText, WeightClass
from cache_typed import dialect, file_swap, reading, schema, upgrade, writing
from cache_typed.dialect import Column, Connection
from cache_typed.field_names import field_names
from cache_typed.mapping import Layout, TableMapping
from cache_typed.schema import ensure, schema_of
from cache_typed.tables.additional_costs import ADDITIONAL_COST_TABLE
from cache_typed.tables.locations import LOCATION_TABLE
from cache_typed.tables.stock_transfers import STOCK_TRANSFER_TABLE
from cache_typed.tables.tax_rates import TAX_RATE_TABLE

AT = "2025-01-01T12:00:00.000Z"
RATES, COSTS, TRANSFERS = TAX_RATE_TABLE, ADDITIONAL_COST_TABLE, STOCK_TRANSFER_TABLE
BOTH = (RATES, TRANSFERS)
type Held = tuple[list[object], str | None, list[str]]
OTHER = "a statement that was not expected"


@pytest.fixture
def db() -> Generator[Connection]:
    """Return a connection to a database in memory with tables of rates and transfers, and a record of each."""
    with closing(dialect.connect(":memory:")) as connection:
        assert ensure(connection, BOTH) == ()
        fill(connection)
        yield connection


def transfer(nr: int) -> dict[str, Json]:
    """Return a transfer with two rows."""
    return {"id": nr, "status": "draft", "stock_transfer_rows": [{"id": 1, "variant_id": 7}, {"id": 2, "new": nr}]}


def rate(nr: int) -> dict[str, Json]:
    """Return a rate."""
    return {"id": nr, "name": f"rate {nr}"}


def fill(connection: Connection, *numbers: int, state: str = "c") -> None:
    """Store a rate and a transfer of each number, their sync states, and what could not be kept of them."""
    for mapping in BOTH:
        name = mapping.spec.name
        records = [transfer(nr) if mapping is TRANSFERS else rate(nr) for nr in numbers or (1,)]
        texts = [SearchText(f"{name} {nr}", codes=((f"{name} {nr}", WeightClass.KEYS),)) for nr in numbers or (1,)]
        rows = [Row(nr, None, record, text) for nr, record, text in zip(numbers or (1,), records, texts, strict=True)]
        poison = (Quarantined(98, "why", "{}"), Quarantined(99, state, "{}"))
        batch = Batch(entity=name, at=AT, upserts=rows, state=SyncState(cursor=state), quarantine=poison)
        writing.write_batch(connection, Layout(mapping), batch)


def held(connection: Connection, mapping: TableMapping) -> Held:
    """Return the records of an entity, its cursor, and why what is in quarantine is there, the oldest first."""
    layout = Layout(mapping)
    nrs = [nr for (nr,) in connection.execute(f"SELECT id FROM {layout.name} ORDER BY id")]
    records: list[object] = [row.record for row in reading.load(connection, layout, nrs).values()]
    name = mapping.spec.name
    poison = [entry.reason for entry in reversed(reading.quarantined(connection, name, 9))]
    return records, reading.state(connection, name).cursor, poison


def is_sound(connection: Connection, *mappings: TableMapping) -> bool:
    """Return whether every expected object is there and says what the tables say."""
    connection.execute("PRAGMA foreign_key_check")
    for mapping in mappings:
        name = Layout(mapping).name
        connection.execute(dialect.sidecar_check(name))
        if connection.execute(dialect.codes_differ(name, "id")).fetchone():
            return False
    return not connection.in_transaction and not schema.drifted(connection, map(schema_of, mappings))


RATE: Held = ([rate(1)], "c", ["why", "c"])
MOVED: Held = ([transfer(1)], "c", ["why", "c"])
EMPTY: Held = ([], None, [])


def test_a_sound_file_is_left_as_it_is(db: Connection) -> None:
    before = db.total_changes
    assert ensure(db, BOTH) == ()
    assert (db.total_changes, held(db, RATES), held(db, TRANSFERS)) == (before, RATE, MOVED)
    assert is_sound(db, *BOTH)


@pytest.mark.parametrize(
    ("damage", "emptied", "transfers"),
    [
        # What is derived is made again, and so is a table that is missing beside its document's.
        ("DROP TABLE stock_transfer_fts", (), MOVED),
        ("DROP TABLE stock_transfer_code", (), MOVED),
        ("DROP TABLE stock_transfer_code_run", (), MOVED),
        ("DROP TRIGGER stock_transfer_fts_text", (), MOVED),
        ("DROP INDEX ix_stock_transfer_status", (), MOVED),
        ("CREATE TRIGGER of_tomorrow AFTER INSERT ON stock_transfer BEGIN SELECT 1; END", (), MOVED),
        # A column more may be of a later release; one that holds something else is not guessed at.
        ("ALTER TABLE stock_transfer ADD COLUMN of_tomorrow TEXT", (), MOVED),
        ("ALTER TABLE stock_transfer RENAME COLUMN additional_info TO other", ("stock_transfer",), EMPTY),
        ("ALTER TABLE stock_transfer_row RENAME COLUMN quantity TO other", ("stock_transfer",), EMPTY),
        ("ALTER TABLE stock_transfer RENAME TO moved", ("stock_transfer",), EMPTY),
    ],
)
def test_a_file_that_drifted_is_mended_and_an_entity_starts_empty_only_where_it_must(
    db: Connection, damage: str, emptied: tuple[str, ...], transfers: Held
) -> None:
    db.execute(damage)
    assert ensure(db, BOTH) == emptied
    assert (held(db, RATES), held(db, TRANSFERS)) == (RATE, transfers)
    fill(db)
    assert held(db, TRANSFERS) == MOVED
    assert ensure(db, BOTH) == ()


def test_a_missing_part_table_is_made_and_its_rows_are_gone(db: Connection) -> None:
    db.execute("DROP TABLE stock_transfer_row")
    assert ensure(db, BOTH) == ()
    assert db.execute("SELECT count(*) FROM stock_transfer_row").fetchone() == (0,)
    assert db.execute("SELECT count(*) FROM stock_transfer").fetchone() == (1,)


def test_an_entity_whose_tables_are_all_gone_has_not_been_emptied(db: Connection) -> None:
    db.execute("DROP TABLE stock_transfer_row")
    db.execute("DROP TABLE stock_transfer")
    assert ensure(db, BOTH) == ()
    assert (held(db, RATES), held(db, TRANSFERS), is_sound(db, *BOTH)) == (RATE, EMPTY, True)


@pytest.mark.parametrize("table", ["cache_state", "cache_quarantine"])
def test_bookkeeping_that_is_gone_is_made_again(db: Connection, table: str) -> None:
    db.execute(f"DROP TABLE {table}")
    assert ensure(db, BOTH) == ()
    assert (held(db, RATES)[0], is_sound(db, *BOTH)) == (RATE[0], True)


def test_an_added_column_is_filled_from_what_was_unknown(db: Connection) -> None:
    names = field_names(("id", "additional_info"))
    unknown = "json_object('additional_info', 'hello')"
    db.execute(f"UPDATE stock_transfer SET cache_unknown = {unknown}, cache_fields = ?", (names.nr,))
    db.execute("INSERT INTO cache_fields VALUES (?, ?)", names)
    db.execute("ALTER TABLE stock_transfer DROP COLUMN additional_info")
    assert ensure(db, BOTH) == ()
    assert db.execute("SELECT additional_info, cache_unknown FROM stock_transfer").fetchall() == [("hello", None)]
    # It stands last now, and no other open has anything to mend.
    before = db.total_changes
    assert (ensure(db, BOTH), db.total_changes) == ((), before)


def test_what_cannot_be_mended_is_left_as_it_was(db: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(OTHER)

    db.execute("ALTER TABLE stock_transfer DROP COLUMN additional_info")
    monkeypatch.setattr(writing, "store_again", fail)
    with pytest.raises(RuntimeError, match=OTHER):
        ensure(db, BOTH)
    assert not db.in_transaction
    assert "additional_info" not in dialect.columns_in(db, "stock_transfer")


A, B = Column("a", "TEXT", required=False, key=0), Column("b", "TEXT", required=False, key=0)
NEEDED = Column("b", "TEXT", required=True, key=0)


@pytest.mark.parametrize(
    ("there", "expected", "can"),
    [
        ([A], [A], True),
        ([], [A], True),
        ([A], [A, B], True),
        ([A], [A, NEEDED], False),
        ([A, NEEDED], [A, NEEDED], True),
        ([A, B], [A], False),
        ([A, B], [A, NEEDED], False),
    ],
)
def test_rows_can_lack_columns_that_need_no_value(there: list[Column], expected: list[Column], *, can: bool) -> None:
    named = [{column.name: column for column in columns} for columns in (there, expected)]
    assert schema.can_lack(*named) is can


RANKED = ("rank", "rank_insert", "rank_delete", "rank_update")
WORDS = ("word", "run", "word_added", "word_dropped", "word_insert", "word_text")


@pytest.mark.parametrize(
    ("mapping", "sidecar", "refills"),
    [
        (COSTS, [], 3),
        (TRANSFERS, ["code_run", "code_run_insert", "code_run_delete", "code_run_codes"], 5),
        (RATES, [*RANKED, *WORDS], 7),
        (
            LOCATION_TABLE,
            ["code_run", "code_run_insert", "code_run_delete", "code_run_codes", *RANKED, *WORDS],
            9,
        ),
    ],
    ids=["costs", "transfers", "rates", "locations"],
)
def test_an_entity_has_the_objects_that_its_searches_need(
    mapping: TableMapping, sidecar: list[str], refills: int
) -> None:
    schema_of.cache_clear()
    made, table = schema_of(mapping), Layout(mapping).name
    assert [model.name for model in made.models] == [thing.name for thing in made.tables]
    assert {thing.kind for thing in made.tables} == {"table"}
    fixed = ["fts", "terms", "code", "fts_insert", "fts_delete", "fts_text", "fts_codes"]
    names = [thing.name for thing in made.sidecar if thing.kind != "index"]
    assert names == [f"{table}_{name}" for name in (*fixed, *sidecar)]
    indexes = [thing.name for thing in made.sidecar if thing.kind == "index"]
    assert {f"ix_{table}_odd", f"ix_{table}_cache_id"} < set(indexes)
    assert len(made.refill) == refills


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """Return a file with tables of rates and transfers, and two records of each."""
    path = tmp_path / "older.db"
    with closing(dialect.connect(str(path))) as connection:
        ensure(connection, BOTH)
        fill(connection, 1, 2, state="older")
    return path


def change(path: Path, *statements: str) -> None:
    """Change a file behind the cache's back."""
    with closing(dialect.connect(str(path))) as connection:
        for statement in statements:
            connection.execute(statement)


RATES_2: Held = ([rate(1), rate(2)], "older", ["why", "older"])
MOVED_2: Held = ([transfer(1), transfer(2)], "older", ["why", "older"])


@pytest.mark.parametrize(
    ("statements", "left", "rates", "transfers"),
    [
        ((), (), RATES_2, MOVED_2),
        (("DROP TABLE stock_transfer",), (), RATES_2, EMPTY),
        (("DROP TABLE stock_transfer_row", "DROP TABLE stock_transfer"), (), RATES_2, EMPTY),
        (("ALTER TABLE stock_transfer RENAME COLUMN status TO other",), ("stock_transfer",), RATES_2, EMPTY),
        (("ALTER TABLE stock_transfer_row RENAME COLUMN quantity TO other",), ("stock_transfer",), RATES_2, EMPTY),
        (("ALTER TABLE stock_transfer ADD COLUMN of_tomorrow",), ("stock_transfer",), RATES_2, EMPTY),
        (("ALTER TABLE stock_transfer DROP COLUMN additional_info",), (), RATES_2, MOVED_2),
        (("ALTER TABLE stock_transfer_row DROP COLUMN quantity",), (), RATES_2, MOVED_2),
    ],
)
def test_a_new_file_is_filled_with_what_an_older_one_holds_in_the_same_form(
    older: Path, statements: tuple[str, ...], left: tuple[str, ...], rates: Held, transfers: Held
) -> None:
    change(older, *statements)
    with closing(dialect.connect(":memory:")) as connection:
        ensure(connection, BOTH)
        assert upgrade.fill(connection, str(older), BOTH) == left
        assert (held(connection, RATES), held(connection, TRANSFERS)) == (rates, transfers)
        assert is_sound(connection, *BOTH)


def test_a_column_that_the_older_file_lacks_is_filled_from_what_was_unknown(older: Path) -> None:
    change(
        older,
        'UPDATE stock_transfer SET cache_unknown = \'{"status":"moved"}\'',
        "DROP INDEX ix_stock_transfer_status",
        "ALTER TABLE stock_transfer DROP COLUMN status",
    )
    with closing(dialect.connect(":memory:")) as connection:
        ensure(connection, BOTH)
        assert upgrade.fill(connection, str(older), BOTH) == ()
        columns = connection.execute("SELECT status, cache_unknown FROM stock_transfer").fetchall()
    assert columns == [("moved", None), ("moved", None)]


def test_an_empty_older_file_fills_nothing_and_a_broken_one_leaves_all_as_it_was(older: Path, tmp_path: Path) -> None:
    with closing(dialect.connect(":memory:")) as connection:
        ensure(connection, BOTH)
        assert upgrade.fill(connection, str(tmp_path / "nothing.db"), BOTH) == ()
        assert (held(connection, RATES), connection.in_transaction) == (EMPTY, False)
    change(older, "DROP TABLE cache_quarantine")
    with closing(dialect.connect(":memory:")) as connection:
        ensure(connection, BOTH)
        with pytest.raises(dialect.DatabaseError, match="no such table"):
            upgrade.fill(connection, str(older), BOTH)
        assert (held(connection, RATES), connection.in_transaction) == (EMPTY, False)


@pytest.mark.parametrize(
    ("statements", "faults"),
    [
        ((), ()),
        (("DROP TRIGGER tax_rate_fts_text",), ("these are missing or not as expected: tax_rate_fts_text",)),
        (
            ("DROP TRIGGER tax_rate_fts_text", "DROP TABLE cache_state"),
            ("these are missing or not as expected: cache_state, tax_rate_fts_text",),
        ),
        (("DELETE FROM stock_transfer_code",), ("stock_transfer: the exact codes and the table differ",)),
        (("DELETE FROM tax_rate_rank",), ("tax_rate: the order of hits and the table differ",)),
        (("INSERT INTO tax_rate_rank VALUES (9, 0, 0, 'x')",), ("tax_rate: the order of hits and the table differ",)),
        (("DELETE FROM tax_rate_word WHERE word = '1'",), ("tax_rate: the words and the table differ",)),
        (
            ("DELETE FROM tax_rate_code", "INSERT INTO tax_rate_fts(tax_rate_fts) VALUES ('delete-all')"),
            ("tax_rate: the full-text index and the table differ", "tax_rate: the exact codes and the table differ"),
        ),
        (
            ("INSERT INTO tax_rate_run(tax_rate_run, rowid, word) SELECT 'delete', nr, word FROM tax_rate_word",),
            ("tax_rate: the index of words and the table differ",),
        ),
        (
            ("PRAGMA foreign_keys = OFF", "UPDATE stock_transfer SET id = 9 WHERE id = 1"),
            ("rows of stock_transfer_row that belong to no document: 2",),
        ),
    ],
)
def test_a_check_says_all_that_is_wrong_with_a_file(
    older: Path, statements: tuple[str, ...], faults: tuple[str, ...]
) -> None:
    change(older, *statements)
    assert file_swap.faults(older, BOTH) == faults
    assert [path.name for path in older.parent.iterdir()] == ["older.db"]


def test_a_file_that_is_none_has_no_fault_and_one_of_another_kind_says_so(tmp_path: Path) -> None:
    assert file_swap.faults(tmp_path / "nothing.db", BOTH) == ()
    path = tmp_path / "other.db"
    path.write_bytes(b"not a database " * 500)
    assert file_swap.faults(path, BOTH) == ("file is not a database",)


def test_a_check_that_cannot_be_made_is_no_fault(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Connection) -> None:
        raise busy

    busy = dialect.DatabaseError("database is locked")
    busy.sqlite_errorcode = 5
    monkeypatch.setattr(dialect, "inconsistencies", full)
    with pytest.raises(dialect.DatabaseError, match="database is locked"):
        file_swap.faults(older, BOTH)


def test_an_entity_is_taken_over_whole_and_its_syncer_loses_the_lease(older: Path, tmp_path: Path) -> None:
    live = tmp_path / "live.db"
    with closing(dialect.connect(str(live))) as connection:
        ensure(connection, BOTH)
        fill(connection, 3)
        lease = writing.take_lease(connection, Claim("stock_transfer", "me", AT, 30))
        file_swap.take(live, older, [TRANSFERS])
        assert held(connection, TRANSFERS) == MOVED_2
        assert held(connection, RATES) == ([{"id": 3, "name": "rate 3"}], "c", ["why", "c"])
        assert is_sound(connection, *BOTH)
        late = Batch(entity="stock_transfer", at=AT, lease=lease)
        with pytest.raises(LeaseLost):
            writing.write_batch(connection, Layout(TRANSFERS), late)
    assert file_swap.faults(live, BOTH) == ()


def test_an_entity_that_cannot_be_taken_over_stays(older: Path, tmp_path: Path) -> None:
    live = tmp_path / "live.db"
    change(older, "DROP TABLE cache_quarantine")
    with closing(dialect.connect(str(live))) as connection:
        ensure(connection, BOTH)
        fill(connection, 3)
        with pytest.raises(dialect.DatabaseError, match="no such table"):
            file_swap.take(live, older, BOTH)
        assert held(connection, TRANSFERS) == ([transfer(3)], "c", ["why", "c"])
        assert is_sound(connection, *BOTH)
