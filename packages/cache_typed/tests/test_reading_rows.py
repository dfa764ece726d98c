"""The read half on a connection: rows by key, by condition and in order, with and without values that fit no column."""

from collections.abc import Iterable
from decimal import Decimal
from typing import cast

import pytest

from cache_core.conditions import EVERYTHING, LIVE, Missing, NoneOf, OneOf, Order, Visibility, Where
from cache_core.protocol import Batch, Found, KeyMatch, Quarantined, Row, Selection, Stored, SyncState
from cache_core.records import Json, RecordId
from cache_core.search_rules import SearchText
from cache_typed import keys, reading
from cache_typed.compiling import Clause
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from cache_typed.reading import Figures
from cache_typed.tables.bom_rows import BOM_ROW_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.writing import write_batch

AT = "2025-01-01T12:00:00.000Z"
ROWS = "sales_order_rows"
DELETED, ARCHIVED = Visibility(deleted=True), Visibility(archived=True)
FITTING: tuple[dict[str, Json], ...] = (
    {"id": 1, "status": "A", "total": 5, ROWS: [{"id": 12, "variant_id": 2}, {"id": 11, "variant_id": 1}]},
    {"id": 2, "status": "B"},
    {"id": 3, "status": "A", "total": Decimal("10.5")},
    {"id": 5, "status": "A", "total": "9", "x": 1},
    {"id": 6, "total": 6, "x": 2, ROWS: []},
)
ODD: dict[str, Json] = {"id": 4, "status": 7, "total": 7}


def write(db: Connection, layout: Layout, *rows: Row) -> None:
    """Store rows."""
    write_batch(db, layout, Batch(entity=layout.spec.name, at=AT, upserts=rows))


def row_of(record: dict[str, Json], **about: object) -> Row:
    """Return a record as a row; the third is deleted and the sixth archived."""
    row_id = cast("RecordId", record["id"])
    version = cast("str | None", about.get("version"))
    return Row(
        row_id, version, record, SearchText(), cast("str | None", about.get("key")), row_id == 3, row_id in {6, "6"}
    )


def fill(db: Connection, layout: Layout, *more: dict[str, Json]) -> None:
    """Store the orders that fit their columns, and more."""
    write(db, layout, *map(row_of, (*FITTING, *more)))


def ids(rows: Iterable[Stored]) -> list[RecordId]:
    """Return the ids of rows."""
    return [row.id for row in rows]


def test_rows_are_loaded_in_the_order_asked_however_many(
    db: Connection, orders: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "CHUNK", 2)
    fill(db, orders)
    expected = [(nr, Stored(nr, None, FITTING[place], nr == 3, nr == 6)) for nr, place in ((6, 4), (1, 0), (3, 2))]
    assert [*reading.load(db, orders, [6, 99, 1, 3]).items()] == expected
    assert [*reading.load(db, orders, [98, 99]).items()] == []
    assert [*reading.load(db, orders, []).items()] == []


def test_names_of_fields_are_asked_for_once_and_without_them_a_row_cannot_be_read(db: Connection) -> None:
    met = Layout(SALES_ORDER_TABLE)
    fill(db, met)
    asked: list[str] = []
    db.set_trace_callback(lambda sql: asked.append(sql) if "cache_fields WHERE" in sql else None)
    assert ids(reading.load(db, met, [1, 2]).values()) == [1, 2]
    assert len(asked) == len(set(asked)) == 3
    reading.load(db, met, [1, 2])
    assert len(asked) == 3
    db.set_trace_callback(None)
    for damage in ("'[]'", "'null'", "'[1]'", "'[[]]'", "'{'", f"'{'[' * 100_000}'", """'["id"]'""", "x'00'"):
        db.execute(f"UPDATE cache_fields SET names = {damage}")
        with pytest.raises(LookupError, match="no field names of number"):
            reading.load(db, Layout(SALES_ORDER_TABLE), [1])
    db.execute("DELETE FROM cache_fields")
    assert ids(reading.load(db, met, [1, 2]).values()) == [1, 2]
    with pytest.raises(LookupError, match="no field names of number"):
        reading.load(db, Layout(SALES_ORDER_TABLE), [1])


def test_a_row_of_a_text_id_has_a_number_of_its_own_and_its_version(db: Connection) -> None:
    layout = Layout(BOM_ROW_TABLE)
    write(db, layout, row_of({"id": "6"}, version=AT), row_of({"id": -5}))
    first = (-1, Stored("6", AT, {"id": "6"}, deleted=False, archived=True))
    second = (-2, Stored(-5, None, {"id": -5}, deleted=False, archived=False))
    assert [*reading.load(db, layout, [-2, -1]).items()] == [second, first]


def test_rows_by_id_say_what_is_missing_and_come_once(db: Connection, orders: Layout) -> None:
    fill(db, orders)
    found = reading.get_many(db, orders, [3, 9, "1", 1, 3, 9])
    whole = (Stored(3, None, FITTING[2], deleted=True, archived=False), Stored(1, None, FITTING[0], False, False))
    assert found == Found(whole, (9, "1"))
    narrow = reading.get_many(db, orders, [1], frozenset({"status", f"{ROWS}[].variant_id"}))
    record: dict[str, Json] = {"status": "A", ROWS: [{"variant_id": 2}, {"variant_id": 1}]}
    assert narrow == Found((Stored(1, None, record, deleted=False, archived=False),), ())


@pytest.mark.parametrize(
    ("stored", "best", "ambiguous"),
    [
        ([], None, ()),
        ([1], 1, ()),
        ([2, 1, 5], 5, (1, 2, 5)),
        ([1, 3], 1, ()),
        ([1, 6], 1, ()),
        # Archived before deleted, whatever the id.
        ([6, 3], 6, ()),
        ([3], 3, ()),
    ],
)
def test_the_best_row_of_a_key_is_a_live_one_and_of_those_the_newest(
    db: Connection, orders: Layout, stored: list[int], best: int | None, ambiguous: tuple[int, ...]
) -> None:
    write(db, orders, *(row_of({"id": nr}, key="K") for nr in stored), row_of({"id": 7}, key="k"))
    row = None if best is None else Stored(best, None, {"id": best}, best == 3, best == 6)
    assert reading.find_by_key(db, orders, "K") == KeyMatch(row, ambiguous)


def test_a_key_of_text_ids_is_found_and_one_that_cannot_be_stored_is_not(db: Connection) -> None:
    layout = Layout(BOM_ROW_TABLE)
    write(db, layout, row_of({"id": "b"}, key="K"), row_of({"id": "a"}, key="K"), row_of({"id": 1}, key="?"))
    assert reading.find_by_key(db, layout, "K") == KeyMatch(Stored("b", None, {"id": "b"}, False, False), ("a", "b"))
    assert reading.find_by_key(db, layout, "\ud800") == KeyMatch(None)


@pytest.mark.parametrize("odd", [False, True])
def test_overflow_is_a_value_that_its_column_could_not_hold(db: Connection, orders: Layout, *, odd: bool) -> None:
    fill(db, orders, *([ODD] if odd else []))
    assert reading.has_overflow(db, orders) is odd


STATUS, UNKNOWN = OneOf("status", ("A",)), OneOf("x", (1,))
IS_A, ARE_LIVE = "sales_order.status = :v0", ["sales_order.cache_deleted = 0", "sales_order.cache_archived = 0"]


@pytest.mark.parametrize(
    ("odd", "where", "expected"),
    [
        (False, (), (Clause(ARE_LIVE, {}, []), False)),
        (False, (STATUS,), (Clause([*ARE_LIVE, IS_A], {"v0": "A"}, []), False)),
        (False, (UNKNOWN,), (Clause(ARE_LIVE, {}, [UNKNOWN]), True)),
        (True, (), (Clause(ARE_LIVE, {}, []), False)),
        (
            True,
            (STATUS,),
            (
                Clause(
                    [
                        " AND ".join(ARE_LIVE),
                        f"({' AND '.join((*ARE_LIVE, IS_A))} OR sales_order.cache_odd = 1)",
                    ],
                    {"v0": "A"},
                    [],
                ),
                True,
            ),
        ),
    ],
)
def test_a_search_is_narrowed_by_columns_and_asks_the_records_where_they_cannot_say(
    db: Connection, orders: Layout, where: Where, expected: tuple[Clause, bool], *, odd: bool
) -> None:
    fill(db, orders, *([ODD] if odd else []))
    assert reading.narrowed(db, orders, where, LIVE) == expected


UP, DOWN = Order("total"), Order("total", descending=True)


@pytest.mark.parametrize(
    ("selection", "fitting", "with_odd"),
    [
        (Selection(), [5, 2, 1], [5, 4, 2, 1]),
        # Numbers before texts, and null last either way.
        (Selection(order=UP), [1, 5, 2], [1, 4, 5, 2]),
        (Selection(order=DOWN), [5, 1, 2], [5, 4, 1, 2]),
        (Selection(order=UP, visibility=EVERYTHING), [1, 6, 3, 5, 2], [1, 6, 4, 3, 5, 2]),
        (Selection(order=UP, visibility=DELETED), [1, 3, 5, 2], [1, 4, 3, 5, 2]),
        (Selection(order=UP, visibility=ARCHIVED), [1, 6, 5, 2], [1, 6, 4, 5, 2]),
        (Selection(order=UP, limit=2, offset=1), [5, 2], [4, 5]),
        (Selection(order=UP, limit=1, offset=0), [1], [1]),
        (Selection(order=UP, limit=1, offset=2), [2], [5]),
        (Selection(order=Order("status")), [1, 5, 2], [4, 1, 5, 2]),
        (Selection((OneOf("status", (7,)),)), [], [4]),
        (Selection(order=UP, limit=0), [], []),
        (Selection(order=UP, offset=9), [], []),
        # Equal values are ordered by id in the same direction.
        (Selection((STATUS,), Order("status")), [1, 5], [1, 5]),
        (Selection((STATUS,), Order("status", descending=True)), [5, 1], [5, 1]),
        (Selection((NoneOf("status", ("A",)),), UP), [2], [4, 2]),
        (Selection((Missing("total"),), Order("id")), [2], [2]),
        # What has no column is asked of the records.
        (Selection((UNKNOWN,), Order("id")), [5], [5]),
        (Selection((Missing("x", missing=False),), Order("id"), visibility=EVERYTHING), [5, 6], [5, 6]),
        (Selection((Missing("x"),), Order("id"), limit=1, offset=1), [2], [2]),
        (Selection(order=Order("x"), visibility=EVERYTHING), [5, 6, 1, 2, 3], [5, 6, 1, 2, 3, 4]),
        (Selection(order=Order("x", descending=True), visibility=EVERYTHING), [6, 5, 3, 2, 1], [6, 5, 4, 3, 2, 1]),
        (Selection((OneOf(f"{ROWS}[].variant_id", (1,)),), UP), [1], [1]),
    ],
    ids=str,
)
def test_a_window_of_rows_is_in_order_whether_columns_or_records_decide(
    db: Connection, orders: Layout, selection: Selection, fitting: list[int], with_odd: list[int]
) -> None:
    fill(db, orders)
    assert ids(reading.select(db, orders, selection)) == fitting
    write(db, orders, row_of(ODD))
    assert ids(reading.select(db, orders, selection)) == with_odd


def test_records_that_are_equal_are_ordered_by_id_and_not_by_number(db: Connection) -> None:
    layout = Layout(BOM_ROW_TABLE)
    write(db, layout, *(row_of({"id": name, "x": 1}) for name in ("a", "c", "b")))
    for descending, expected in ((False, ["a", "b", "c"]), (True, ["c", "b", "a"])):
        found = reading.select(db, layout, Selection(order=Order("x", descending=descending)))
        assert ids(found) == expected


@pytest.mark.parametrize("odd", [False, True])
def test_a_window_reads_the_fields_asked_for(db: Connection, orders: Layout, *, odd: bool) -> None:
    fill(db, orders, *([ODD] if odd else []))
    rows = reading.select(db, orders, Selection((STATUS,), UP, fields=frozenset({"status"})))
    assert [(row.id, row.record) for row in rows] == [(1, {"status": "A"}), (5, {"status": "A"})]


@pytest.mark.parametrize(
    ("selection", "sql", "values"),
    [
        (
            Selection((STATUS,), UP, 7, 3, EVERYTHING),
            f"{IS_A} ORDER BY sales_order.total_order ASC NULLS LAST, sales_order.id ASC LIMIT :v1 OFFSET :v2",
            {"v0": "A", "v1": 7, "v2": 3},
        ),
        (
            Selection((), Order("id", descending=True), 2**62, 2**62, EVERYTHING),
            "1 ORDER BY sales_order.id DESC LIMIT :v0 OFFSET :v1",
            {"v0": 2**62, "v1": 2**62},
        ),
        (
            Selection((), DOWN, 2**70, 2**62 + 1, EVERYTHING),
            "1 ORDER BY sales_order.total_order DESC NULLS LAST, sales_order.id DESC LIMIT :v0 OFFSET :v1",
            {"v0": 2**62, "v1": 2**62},
        ),
    ],
)
def test_the_statement_of_a_window_binds_its_bounds(
    orders: Layout, selection: Selection, sql: str, values: dict[str, object]
) -> None:
    start = "SELECT sales_order.id FROM sales_order WHERE "
    assert reading.window_query(orders, selection) == (start + sql, values)


@pytest.mark.parametrize("selection", [Selection((UNKNOWN,)), Selection(order=Order("x"))])
def test_there_is_no_statement_where_columns_cannot_decide(orders: Layout, selection: Selection) -> None:
    assert reading.window_query(orders, selection) is None


def test_more_is_asked_of_a_window_before_its_conditions(orders: Layout) -> None:
    query = reading.window_query(orders, Selection((STATUS,), visibility=EVERYTHING), "more")
    assert query is not None
    assert f"WHERE more AND {IS_A} ORDER BY" in query[0]


def test_ids_that_are_texts_break_ties_by_their_text() -> None:
    layout = Layout(BOM_ROW_TABLE)
    assert reading.order_sql(layout, "bom_row.rank") == "bom_row.rank ASC NULLS LAST, bom_row.cache_id ASC"
    assert reading.order_sql(layout, "bom_row.cache_id", descending=True) == "bom_row.cache_id DESC"


@pytest.mark.parametrize(
    ("where", "visibility", "fitting", "with_odd"),
    [
        ((), LIVE, 3, 4),
        ((), EVERYTHING, 5, 6),
        ((STATUS,), LIVE, 2, 2),
        ((NoneOf("status", ("A",)),), LIVE, 1, 2),
        ((OneOf("status", (7,)),), LIVE, 0, 1),
        ((UNKNOWN,), LIVE, 1, 1),
        ((Missing("x"),), LIVE, 2, 3),
        ((Missing("x"), STATUS), DELETED, 2, 2),
    ],
)
def test_rows_are_counted_whether_columns_or_records_decide(
    db: Connection, where: Where, visibility: Visibility, fitting: int, with_odd: int
) -> None:
    orders = Layout(SALES_ORDER_TABLE)
    fill(db, orders)
    assert reading.count(db, orders, where, visibility) == fitting
    write(db, orders, row_of(ODD))
    assert reading.count(db, orders, where, visibility) == with_odd


def test_figures_state_and_quarantine_are_those_of_the_entity(db: Connection, orders: Layout) -> None:
    rows = Layout(BOM_ROW_TABLE)
    assert reading.figures(db, orders) == Figures(0, None, 0)
    assert reading.state(db, "sales_order") == SyncState()
    kept = SyncState(cursor="c")
    poison = (Quarantined(7, "why", "{}"), Quarantined("7", "how", "[]"), Quarantined(None, "when", "7"))
    upserts = (row_of({"id": 1}, version="v2"), row_of({"id": 2}, version="v3"))
    write_batch(db, orders, Batch(entity="sales_order", at=AT, upserts=upserts, quarantine=poison, state=kept))
    write_batch(
        db, rows, Batch(entity="bom_row", at=AT, upserts=(row_of({"id": "a"}, version="v9"),), quarantine=poison[:1])
    )
    assert reading.figures(db, orders) == Figures(2, "v3", 3)
    assert (reading.state(db, "sales_order"), reading.state(db, "bom_row")) == (kept, SyncState())
    assert reading.quarantined(db, "sales_order", 2**70) == poison[::-1]
    assert reading.quarantined(db, "sales_order", 2) == poison[:0:-1]
    assert reading.quarantined(db, "sales_order", 0) == ()


def test_ids_are_written_with_their_kind_and_numbers_come_before_texts() -> None:
    assert [keys.written(value) for value in (42, -42, "42", "")] == ["i42", "i-42", "s42", "s"]
    assert [keys.read_back(text) for text in ("i42", "i-42", "s42", "s", "si")] == [42, -42, "42", "", "i"]
    assert sorted((2**70, "", -1, "a", 5), key=keys.sortable) == [-1, 5, 2**70, "", "a"]
    assert (keys.marks([]), keys.marks([1]), keys.marks("abc")) == ("", "?", "?, ?, ?")


@pytest.mark.parametrize(("stored", "lowest"), [([], 0), ([5], 0), ([5, 0], 0), ([5, -1], -1), (["a", "b"], -2)])
def test_an_id_that_is_no_key_gets_the_next_negative_one(
    db: Connection, orders: Layout, stored: list[RecordId], lowest: int
) -> None:
    write(db, orders, *(row_of({"id": row_id}) for row_id in stored))
    assert keys.lowest_key(db, orders) == lowest
    write(db, orders, row_of({"id": "c"}), row_of({"id": "d"}))
    assert keys.keys_of(db, orders, ["c", "d"]) == {"c": lowest - 1, "d": lowest - 2}


def test_keys_of_ids_are_themselves_or_what_is_stored(
    db: Connection, orders: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "CHUNK", 1)
    write(db, orders, row_of({"id": "7"}), row_of({"id": -7}), row_of({"id": "b"}))
    wanted: list[RecordId] = [7, "7", -7, "b", 7, "c", "\ud800", 2**63]
    assert keys.keys_of(db, orders, wanted) == {7: 7, "7": -1, -7: -2, "b": -3}
    assert keys.keys_of(db, orders, []) == {}
