"""Rows and back: whatever a record holds, it comes out of the tables as it went in."""

import json
from decimal import Decimal

import pytest
from bench.documents import DOCUMENTS
from hypothesis import given, settings
from hypothesis import strategies as st
from typed_orders import WEIRD, bent, order

from cache_core.records import Json, canonical, encode
from cache_typed.columns import Cell, Kind, order_key
from cache_typed.dialect import TEXT_COLUMNS
from cache_typed.mapping import Layout, TableMapping, layout_of, table_of
from cache_typed.tables import TABLES
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.tables.stock import STOCK_TABLE

ORDERS = layout_of(SALES_ORDER_TABLE)
STOCK = layout_of(STOCK_TABLE)
HEADER = (*ORDERS.main.fields, *ORDERS.shapes, "id")


def there_and_back(layout: Layout, nr: int, record: dict[str, Json]) -> dict[str, Json]:
    """Return what the rows of a record give back."""
    stored = layout.to_rows(nr, record)
    names: dict[Cell, list[str]] = {name.nr: json.loads(name.names) for name in stored.names}
    parts = {field: [cells[2:] for cells in rows] for field, rows in stored.parts.items()}
    return layout.to_record([nr, *stored.cells], parts, names.__getitem__)


def test_an_order_comes_back_whole_and_fits_its_columns() -> None:
    record = order(7, shipping_fee={"id": 1, "sales_order_id": 7, "amount": "6.7500000000", "tax_rate_id": 1})
    stored = ORDERS.to_rows(7, record)
    assert not stored.odd
    assert stored.cells[-1] is None
    assert [len(stored.parts[part.field]) for part, _ in ORDERS.parts] == [3, 1, 0, 1]
    assert encode(there_and_back(ORDERS, 7, record)) == encode(record)


def test_names_that_a_damaged_file_gives_a_number_are_forgotten_at_once() -> None:
    record = order(7, sales_order_rows=[{"id": 1, "only_here": 2}], only_here=3)
    stored = ORDERS.to_rows(7, record)
    sound: dict[Cell, list[str]] = {name.nr: json.loads(name.names) for name in stored.names}
    damaged = {nr: names[::-1] for nr, names in sound.items()}
    parts = {field: [cells[2:] for cells in rows] for field, rows in stored.parts.items()}
    assert encode(ORDERS.to_record([7, *stored.cells], parts, damaged.__getitem__)) != encode(record)
    assert encode(ORDERS.to_record([7, *stored.cells], parts, sound.__getitem__)) == encode(record)


@pytest.mark.parametrize("entity", sorted(DOCUMENTS))
def test_a_document_as_katana_sends_it_fits_its_columns(entity: str) -> None:
    layout = next(layout_of(mapping) for mapping in TABLES if mapping.spec.name == entity)
    record = canonical(DOCUMENTS[entity](7))
    stored = layout.to_rows(7, record)
    assert not stored.odd
    assert stored.cells[-1] is None
    assert {cells[-1] for rows in stored.parts.values() for cells in rows} <= {None}
    assert encode(there_and_back(layout, 7, record)) == encode(record)


@given(bent(HEADER), st.lists(bent(tuple(ORDERS.shapes["sales_order_rows"].fields)), max_size=3))
@settings(deadline=None)
def test_any_order_comes_back_exactly(fields: dict[str, object], rows: list[dict[str, object]]) -> None:
    record = canonical({"sales_order_rows": rows, **fields, "id": 7})
    assert encode(there_and_back(ORDERS, 7, record)) == encode(record)


@given(bent(("variant_id", "levels")), st.lists(bent(tuple(STOCK.shapes["levels"].fields)), max_size=3))
@settings(deadline=None)
def test_any_stock_comes_back_exactly(fields: dict[str, object], levels: list[dict[str, object]]) -> None:
    record = canonical({"variant_id": 3, "levels": levels, **fields})
    assert encode(there_and_back(STOCK, 3, record)) == encode(record)


@pytest.mark.parametrize("mapping", TABLES, ids=lambda mapping: mapping.spec.name)
@given(st.data())
@settings(deadline=None, max_examples=15)
def test_any_record_of_any_entity_comes_back_exactly(mapping: TableMapping, data: st.DataObject) -> None:
    layout = layout_of(mapping)
    id_path = mapping.spec.id_path
    fields = data.draw(bent((*layout.main.fields, *layout.shapes, id_path)))
    rows = {field: data.draw(st.lists(bent(tuple(shape.fields)), max_size=2)) for field, shape in layout.shapes.items()}
    record = canonical({**rows, **fields, id_path: 7})
    assert encode(there_and_back(layout, 7, record)) == encode(record)


@pytest.mark.parametrize("fee", [None, {}, {"id": 1, "amount": "6.75"}, [], "none"])
def test_a_shipping_fee_of_any_form_comes_back(fee: Json) -> None:
    record = canonical({"id": 1, "shipping_fee": fee})
    assert there_and_back(ORDERS, 1, record) == record


@pytest.mark.parametrize("text", ["0.12345678901234567890", "12345678901234567890.1", "-1E-20", "1.50", "1E+3"])
def test_decimals_keep_every_digit_and_zero(text: str) -> None:
    record = canonical({"id": 1, "total": Decimal(text), "conversion_rate": text})
    back = there_and_back(ORDERS, 1, record)
    assert (str(back["total"]), back["conversion_rate"]) == (text, text)


@given(WEIRD)
def test_only_values_that_fit_their_column_are_kept_there(value: object) -> None:
    record = canonical({"id": 1, "delivery_date": value})
    stored = ORDERS.to_rows(1, record)
    fits = value is None or value == "2021-09-01T07:49:29.813Z"
    assert stored.odd is not fits


@given(st.lists(st.integers() | st.decimals(allow_nan=False, allow_infinity=False), max_size=6))
def test_order_keys_sort_numbers_by_value(values: list[int | Decimal]) -> None:
    keyed = [(key, value) for value in values if (key := order_key(value)) is not None]
    for left, a in keyed:
        for right, b in keyed:
            assert ((left > right) - (left < right)) == (a > b) - (a < b)


@pytest.mark.parametrize("mapping", TABLES, ids=lambda mapping: mapping.spec.name)
def test_the_classes_declare_what_the_spec_declares(mapping: TableMapping) -> None:
    assert mapping.table._fts_columns == mapping.spec.searchable  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the name is given
    assert len(mapping.spec.searchable.by_class()) == len(TEXT_COLUMNS)
    assert set(mapping.spec.children) <= {part.field for part in mapping.parts}


@pytest.mark.parametrize("mapping", TABLES, ids=lambda mapping: mapping.spec.name)
def test_every_part_has_its_count_and_every_order_column_its_number(mapping: TableMapping) -> None:
    layout = layout_of(mapping)
    assert set(layout.counts) <= set(table_of(mapping.table).columns.keys())
    for shape in (layout.main, *layout.shapes.values()):
        assert {shape.fields[name].kind for name in shape.orders} <= {Kind.NUMBER}
