"""Rows of records beside a plain, slow writer: field by field, and codes by the JSON library."""

import json
from collections.abc import Collection, Mapping
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cache_core.protocol import Batch, Row
from cache_core.records import Json, encode
from cache_core.search_rules import SearchText, WeightClass
from cache_typed.columns import Cell, order_key
from cache_typed.dialect import Connection
from cache_typed.field_names import field_names
from cache_typed.mapping import Layout
from cache_typed.shapes import Shape
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.writing import write_batch

ORDERS = Layout(SALES_ORDER_TABLE)
ROW = ORDERS.shapes["sales_order_rows"]
VALUES: list[Json] = [
    *(
        None,
        True,
        0,
        7,
        -(2**63),
        2**63,
        10**600,
        "",
        "x",
        "7",
        "7.50",
        "1e5",
        "Tür",
        "\ud800",
        [],
        {},
        [1],
        {"a": None},
    ),
    *(Decimal("7.00"), Decimal("-0.5"), Decimal("1E+499"), Decimal("1E+500"), Decimal("0E-3")),
    *("2025-01-01T12:00:00.000Z", "2025-02-30T12:00:00.000Z", "2025-01-01T12:00:00Z", "2025-01-01T12:00:00.000Z "),
]
records = st.lists(
    st.tuples(st.sampled_from([*ROW.fields, "unforeseen", "total_order", "cache_parent"]), st.sampled_from(VALUES)),
    max_size=12,
).map(dict)


def plain_cells(shape: Shape, record: Mapping[str, Json], placed: Collection[str]) -> tuple[list[Cell], bool]:
    """Return the cells of a record and whether a value did not fit, each field looked up by its name."""
    by_name = {
        name: None if record.get(name) is None else codec.store(record[name]) for name, codec in shape.fields.items()
    }
    odd = {name: record[name] for name, cell in by_name.items() if cell is None and record.get(name) is not None}
    order = [None if by_name[name] is None else order_key(record[name]) for name in shape.orders]
    unknown = odd | {name: value for name, value in record.items() if name not in placed}
    about = [field_names(tuple(record)).nr, encode(unknown).decode() if unknown else None]
    return [*by_name.values(), *order, *about], bool(odd)


@given(records)
@example({})
@example(dict.fromkeys(reversed(ROW.fields), "x") | {"unforeseen": 1})
def test_a_row_is_stored_as_a_plain_writer_stores_it(record: dict[str, Json]) -> None:
    for _ in range(2):
        stored = ROW.cells(record, {}, ROW.field_set)
        assert (stored.cells, stored.odd) == plain_cells(ROW, record, ROW.field_set)
        assert stored.names == field_names(tuple(record))


@pytest.mark.parametrize("code", ["", "00 4021", 'a"b', "a\\b", "a\nb\tc", "\0\x1f\x7f", "Tür 漢", "\u2028/<>", "😀"])
def test_codes_are_stored_as_json_writes_them(db: Connection, orders: Layout, code: str) -> None:
    codes = ((code, WeightClass.KEYS), ("x", WeightClass.RELATED), (code, WeightClass.EXTRAS))
    row = Row(1, None, {"id": 1}, SearchText(codes=codes))
    write_batch(db, orders, Batch(entity="sales_order", at="2025-01-01T12:00:00.000Z", upserts=(row,)))
    (stored,) = db.execute("SELECT cache_codes FROM sales_order").fetchone()
    assert stored == json.dumps(
        [[code, int(place)] for code, place in codes], ensure_ascii=False, separators=(",", ":")
    )
