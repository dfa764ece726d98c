"""The write half on a connection: what a batch stores and leaves alone, leases, quarantine, columns added since."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from cache_core.errors import LeaseLost
from cache_core.leases import Claim, Lease
from cache_core.protocol import Applied, Batch, Origin, Quarantined, Row, SyncState
from cache_core.records import Json, RecordId
from cache_core.search_rules import SearchText, WeightClass
from cache_typed import dialect, reading, writing
from cache_typed.columns import Cell
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.tables.bom_rows import BOM_ROW_TABLE
from cache_typed.writing import store_again, take_lease, void_lease, write_batch

AT, LATER = "2025-01-01T12:00:00.000Z", "2025-01-01T12:01:00.000Z"
OLD, NEW = "2025-01-01T00:00:00.000Z", "2025-01-02T00:00:00.000Z"
ROWS = "sales_order_rows"
TEXT = SearchText("so 1", "berger", "red", "steel", (("so 1", WeightClass.KEYS), ("red", WeightClass.EXTRAS)))


def order(nr: RecordId, version: str | None = None, text: SearchText = TEXT, **fields: Json) -> Row:
    """Return an order with two rows."""
    parts: list[Json] = [{"id": 11, "variant_id": 1}, {"id": 12, "variant_id": 2}]
    return Row(nr, version, {"id": nr, ROWS: parts, **fields}, text, f"SO-{nr}")


def batch(*upserts: Row, at: str = AT, origin: Origin = Origin.LISTING) -> Batch:
    """Return a batch of orders."""
    return Batch(entity="sales_order", at=at, upserts=upserts, origin=origin)


def standing(db: Connection, *columns: str) -> list[tuple[Cell, ...]]:
    """Return these columns of all orders by key."""
    return db.execute(f"SELECT {', '.join(('id', *columns))} FROM sales_order ORDER BY id").fetchall()


def changes(db: Connection, layout: Layout, asked: Batch) -> tuple[Applied, int]:
    """Return what a batch comes to, and how many rows of tables it touches."""
    before = db.total_changes
    applied = write_batch(db, layout, asked)
    return applied, db.total_changes - before


def test_a_row_is_stored_with_everything_that_is_said_of_it(db: Connection, orders: Layout) -> None:
    row = replace(order(1, OLD), deleted=True)
    assert write_batch(db, orders, batch(row, replace(order(2), archived=True, key=None))) == Applied((1, 2), 0)
    (first, second) = standing(
        db,
        *("cache_id", "cache_version", "cache_written_at", "cache_deleted", "cache_archived", "cache_odd"),
        *("cache_key", "cache_sort", *dialect.TEXT_COLUMNS, "cache_codes", "length(cache_digest)"),
    )
    texts = ("berger", "so 1", "berger", "red", "steel", '[["so 1",0],["red",2]]', 32)
    assert first == (1, None, OLD, None, 1, 0, 0, "SO-1", *texts)
    assert second == (2, None, None, None, 0, 1, 0, None, *texts)
    parts = db.execute("SELECT cache_parent, cache_position, id FROM sales_order_row ORDER BY 1, 2").fetchall()
    assert parts == [(1, 0, 11), (1, 1, 12), (2, 0, 11), (2, 1, 12)]
    assert [row.record for row in reading.load(db, orders, [1]).values()] == [row.record]


def test_an_id_that_is_no_key_of_its_own_is_stored_as_a_text(db: Connection, orders: Layout) -> None:
    assert write_batch(db, orders, batch(order("x\ud800"), order(-7), order(0))).changed == ("x\ud800", -7, 0)
    assert standing(db, "cache_id", "cache_odd") == [(-2, "i-7", 1), (-1, "sx?", 1), (0, None, 0)]


def test_text_that_has_no_form_in_utf8_is_stored_with_question_marks(db: Connection, orders: Layout) -> None:
    text = SearchText("\ud800", "漢\udc00", "", "é", (("\ud800", WeightClass.KEYS),))
    write_batch(db, orders, batch(replace(order(1, text=text), key="\ud800é")))
    columns = ("cache_key", "cache_sort", *dialect.TEXT_COLUMNS, "cache_codes")
    assert standing(db, *columns) == [(1, "?é", "漢?", "?", "漢?", "", "é", '[["?",0]]')]


def test_an_unchanged_record_touches_nothing_and_a_new_version_its_bookkeeping_alone(
    db: Connection, orders: Layout
) -> None:
    first = order(1, OLD)
    assert changes(db, orders, batch(first))[0] == Applied((1,), 0)
    assert changes(db, orders, batch(first)) == (Applied((1,), 0), 0)
    assert changes(db, orders, batch(replace(first, version=NEW))) == (Applied((1,), 0), 1)
    assert changes(db, orders, batch(replace(first, version=NEW, archived=True))) == (Applied((1,), 0), 1)
    assert standing(db, "cache_version", "cache_archived") == [(1, NEW, 1)]


def test_a_changed_record_replaces_its_rows(db: Connection, orders: Layout) -> None:
    write_batch(db, orders, batch(order(1), order(2)))
    changed = Row(1, None, {"id": 1, ROWS: [{"id": 13}]}, TEXT)
    assert write_batch(db, orders, batch(changed)) == Applied((1,), 0)
    parts = db.execute("SELECT cache_parent, id FROM sales_order_row ORDER BY 1, 2").fetchall()
    assert parts == [(1, 13), (2, 11), (2, 12)]


def test_an_older_version_is_ignored_and_the_same_id_twice_is_stored_one_after_the_other(
    db: Connection, orders: Layout
) -> None:
    upserts = (
        order(1, OLD, status="A"),
        order(2, NEW, status="A"),
        order(1, NEW, status="B"),
        order(2, OLD),
        order(1, OLD),
    )
    assert write_batch(db, orders, batch(*upserts)) == Applied((1, 2), 2)
    assert standing(db, "status", "cache_version") == [(1, "B", NEW), (2, "A", NEW)]


def test_a_batch_of_losers_stores_the_rest(db: Connection, orders: Layout) -> None:
    write_batch(db, orders, batch(order(1, NEW)))
    assert write_batch(db, orders, batch(order(1, OLD), order(2, OLD))) == Applied((2,), 1)


def test_an_own_write_is_marked_until_a_listing_shows_it(db: Connection, orders: Layout) -> None:
    mine = order(1, OLD, status="MINE")
    write_batch(db, orders, batch(mine, order(2, OLD), origin=Origin.OWN_WRITE))
    assert standing(db, "cache_written_at") == [(1, AT), (2, AT)]
    stale = order(1, OLD, status="STALE")
    assert write_batch(db, orders, batch(stale, at=LATER)) == Applied((), 1)
    assert standing(db, "cache_written_at", "status") == [(1, AT, "MINE"), (2, AT, None)]
    assert changes(db, orders, batch(mine, at=LATER)) == (Applied((1,), 0), 1)
    assert standing(db, "cache_written_at", "status") == [(1, None, "MINE"), (2, AT, None)]
    write_batch(db, orders, batch(stale, at=LATER))
    assert standing(db, "status") == [(1, "STALE"), (2, None)]


def test_new_text_of_a_stored_row_leaves_its_record_and_its_key(db: Connection, orders: Layout) -> None:
    write_batch(db, orders, batch(order(1, OLD), order(2, NEW), order(3), origin=Origin.OWN_WRITE))
    text = SearchText(names="other")
    reindexed = [
        Row(1, OLD, {}, text, "another", archived=True),
        Row(2, OLD, {}, text),
        Row(3, None, {}, TEXT),
        Row(9, None, {}, text),
    ]
    asked = Batch(entity="sales_order", at=LATER, reindexed=reindexed)
    columns = ("cache_key", "cache_names", "cache_archived", "cache_version", "cache_written_at")
    assert write_batch(db, orders, asked) == Applied()
    assert standing(db, *columns) == [
        (1, "SO-1", "other", 1, OLD, AT),
        (2, "SO-2", "berger", 0, NEW, AT),
        (3, "SO-3", "berger", 0, None, AT),
    ]
    assert changes(db, orders, asked) == (Applied(), 0)
    # The digest of the record stands: the record is not written again.
    again = replace(order(1, OLD, text), archived=True)
    assert changes(db, orders, batch(again, origin=Origin.OWN_WRITE)) == (Applied((1,), 0), 0)


def test_a_reindexed_row_that_comes_twice_is_taken_twice(db: Connection, orders: Layout) -> None:
    write_batch(db, orders, batch(order(1)))
    rows = [Row(1, None, {}, SearchText(names=name)) for name in ("first", "second")]
    write_batch(db, orders, Batch(entity="sales_order", at=AT, reindexed=rows))
    assert standing(db, "cache_names") == [(1, "second")]


def test_removed_rows_go_with_their_parts_and_what_was_not_there_is_not_said(
    db: Connection, orders: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "CHUNK", 2)
    write_batch(db, orders, batch(*map(order, (1, 2, 3, 4, "x"))))
    asked = Batch(entity="sales_order", at=AT, upserts=(order(5),), removed=(3, 9, 1, "x", 2))
    assert write_batch(db, orders, asked) == Applied((5, 3, 1, 2, "x"), 0)
    assert standing(db) == [(4,), (5,)]
    assert db.execute("SELECT DISTINCT cache_parent FROM sales_order_row").fetchall() == [(4,), (5,)]


def test_many_rows_are_changed_in_runs(db: Connection, orders: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "CHUNK", 2)
    write_batch(db, orders, batch(*map(order, range(1, 6))))
    write_batch(db, orders, batch(*(order(nr, status="B") for nr in range(1, 6))))
    rows = [Row(nr, None, {}, SearchText(names="n")) for nr in range(1, 6)]
    write_batch(db, orders, Batch(entity="sales_order", at=AT, reindexed=rows))
    assert standing(db, "status", "cache_names", "cache_key") == [(nr, "B", "n", f"SO-{nr}") for nr in range(1, 6)]
    assert db.execute("SELECT count(*) FROM sales_order_row").fetchone() == (10,)


def test_the_sync_state_is_stored_with_the_batch_and_stays_without_one(db: Connection, orders: Layout) -> None:
    write_batch(db, orders, Batch(entity="sales_order", at=AT, state=SyncState(cursor="c")))
    write_batch(db, orders, batch(order(1)))
    assert reading.state(db, "sales_order") == SyncState(cursor="c")


def poisons(db: Connection, entity: str = "sales_order") -> Sequence[Quarantined]:
    """Return the quarantine of an entity, the newest first."""
    return reading.quarantined(db, entity, 99)


def test_what_came_whole_or_is_gone_leaves_the_quarantine(
    db: Connection, orders: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "CHUNK", 1)
    written = tuple(Quarantined(row_id, "why", "i1") for row_id in (1, "1", 2, 3))
    unnamed = Quarantined(None, "why", "i1")
    write_batch(db, orders, Batch(entity="sales_order", at=AT, quarantine=(*written, unnamed)))
    rows = Layout(BOM_ROW_TABLE)
    write_batch(db, rows, Batch(entity="bom_row", at=AT, quarantine=written[:1]))
    write_batch(db, orders, Batch(entity="sales_order", at=AT, upserts=(order(1),), removed=(3,)))
    assert poisons(db) == (unnamed, written[2], written[1])
    assert poisons(db, "bom_row") == written[:1]


def test_a_record_is_in_quarantine_once_with_its_latest_reason(db: Connection, orders: Layout) -> None:
    first, second = Quarantined(1, "why", "{}"), Quarantined(1, "how\ud800", '{"\udc00": 1}')
    unnamed, same = Quarantined(None, "why", "i1"), Quarantined(None, "when", "i1")
    for poison in (first, unnamed, second, same):
        write_batch(db, orders, Batch(entity="sales_order", at=AT, quarantine=(poison,)))
    assert poisons(db) == (same, Quarantined(1, "how?", '{"?": 1}'))


def test_a_lease_is_kept_beside_the_state_and_a_late_write_is_refused(db: Connection, orders: Layout) -> None:
    until, end = "2025-01-01T12:00:30.000Z", "2025-01-01T12:01:30.000Z"
    mine = take_lease(db, Claim("sales_order", "me", AT, 30))
    assert mine == Lease("sales_order", "me", 1, AT, until)
    assert take_lease(db, Claim("sales_order", "you", AT, 30)) == mine
    write_batch(db, orders, replace(batch(order(1)), lease=mine))
    yours = take_lease(db, Claim("sales_order", "you", LATER, 30))
    assert yours == Lease("sales_order", "you", 2, LATER, end)
    with pytest.raises(LeaseLost, match=r"^another process syncs 'sales_order' now$"):
        write_batch(db, orders, replace(batch(order(2)), lease=mine))
    assert standing(db) == [(1,)]
    write_batch(db, orders, batch(order(3)))
    void_lease(db, "sales_order")
    with pytest.raises(LeaseLost):
        write_batch(db, orders, replace(batch(order(2)), lease=yours))
    assert take_lease(db, Claim("sales_order", "you", LATER, 30)) == Lease("sales_order", "you", 4, LATER, end)


def test_a_lease_that_nobody_took_is_not_made_void(db: Connection) -> None:
    void_lease(db, "sales_order")
    assert db.execute("SELECT entity FROM cache_state").fetchall() == []


def test_fields_that_got_a_column_since_move_into_it(
    db: Connection, orders: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "CHUNK", 1)
    rows = [order(nr, OLD, status="A", other=nr) for nr in (1, 2, 3)]
    write_batch(db, orders, batch(*rows))
    columns = ("status", "cache_unknown", "cache_key", "cache_names", "cache_digest", "cache_version")
    before = standing(db, *columns)
    moved = """'{"status":"A","other":' || id || '}'"""
    db.execute(f"UPDATE sales_order SET status = NULL, cache_unknown = {moved} WHERE id < 3")
    db.execute("UPDATE sales_order_row SET variant_id = NULL, cache_unknown = '{\"variant_id\":2}' WHERE id = 12")
    store_again(db, orders)
    assert standing(db, *columns) == before
    parts = db.execute("SELECT cache_parent, variant_id, cache_unknown FROM sales_order_row ORDER BY 1, id").fetchall()
    assert parts == [(nr, variant, None) for nr in (1, 2, 3) for variant in (1, 2)]
    assert [row.record for row in reading.load(db, orders, [1, 2, 3]).values()] == [row.record for row in rows]
