"""Layouts: the exact cells of a record, what does not fit its column, and what a projection reads."""

import json
from decimal import Decimal

import pytest

from cache_core.records import Json, canonical, encode, projected
from cache_typed import mapping, shapes
from cache_typed.columns import Cell
from cache_typed.field_names import FieldNames, field_names
from cache_typed.mapping import DocumentRows, Layout, TableMapping
from cache_typed.tables.bom_rows import BOM_ROW_TABLE
from cache_typed.tables.customers import CUSTOMER_TABLE
from cache_typed.tables.manufacturing_order_productions import MANUFACTURING_ORDER_PRODUCTION_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE
from cache_typed.tables.stock import STOCK_TABLE
from cache_typed.tables.tax_rates import TAX_RATE_TABLE

ROWS, FEE = "sales_order_rows", "shipping_fee"
ORDER: dict[str, Json] = {
    "total": Decimal("10.50"),
    "id": 7,
    "order_no": "SO-7",
    "status": None,
    ROWS: [{"variant_id": 1, "quantity": 2}, {"variant_id": 3, "quantity": 4}],
    "addresses": [],
    "fulfillments": None,
    FEE: {"amount": "6.75"},
}


def nr_of(*names: str) -> int:
    """Return the number of these names."""
    return field_names(names).nr


def cells(layout: Layout, rows: DocumentRows) -> dict[str, Cell]:
    """Return the cells of a document that are not null, by column."""
    return {name: cell for name, cell in zip(layout.columns, rows.cells, strict=True) if cell is not None}


def part_cells(layout: Layout, rows: DocumentRows, part: str) -> list[dict[str, Cell]]:
    """Return the cells of a part's rows that are not null, by column."""
    columns = ("cache_parent", "cache_position", *layout.shapes[part].columns)
    return [
        {name: cell for name, cell in zip(columns, row, strict=True) if cell is not None} for row in rows.parts[part]
    ]


def read_by(layout: Layout, whole: Layout, rows: DocumentRows, nr: int) -> dict[str, Json]:
    """Return the record that a layout reads from the rows that the whole layout made; other cells stand between."""
    by_name = dict(zip(whole.columns, rows.cells, strict=True))
    parts: dict[str, list[list[Cell]]] = {}
    for part, shape in layout.parts:
        columns = whole.shapes[part.field].columns
        named = [dict(zip(columns, row[2:], strict=True)) for row in rows.parts[part.field]]
        if named:
            parts[part.field] = [["foreign", *(row[column] for column in shape.columns)] for row in named]
    names: dict[Cell, list[str]] = {entry.nr: _names(entry) for entry in rows.names}
    cells = [nr, "a", "b", *(by_name[column] for column in layout.columns)]
    return layout.to_record(cells, parts, names.__getitem__)


def _unnamed(nr: Cell) -> list[str]:
    """Say that no row may be asked for its names."""
    raise KeyError(nr)


def _names(entry: FieldNames) -> list[str]:
    """Return the names that a number stands for."""
    names: list[str] = json.loads(entry.names)
    return names


@pytest.mark.parametrize(
    ("names", "entry"),
    [
        ((), FieldNames(8180073448483349959, "[]")),
        (("id", "name"), FieldNames(7906443508785181429, '["id", "name"]')),
        (("漢",), FieldNames(-5988585329237812784, '["漢"]')),
    ],
)
def test_names_of_fields_have_the_same_number_in_every_process(names: tuple[str, ...], entry: FieldNames) -> None:
    assert field_names(names) == entry


def test_a_record_becomes_a_row_of_its_own_and_one_for_each_of_its_parts() -> None:
    layout = Layout(SALES_ORDER_TABLE)
    stored = layout.to_rows(7, ORDER)
    assert cells(layout, stored) == {
        "cache_count_sales_order_rows": 2,
        "cache_count_addresses": 0,
        "cache_count_shipping_fee": 1,
        "order_no": "SO-7",
        "total": "10.50",
        "total_order": "20501105",
        "cache_fields": nr_of(*ORDER),
    }
    row_names = nr_of("variant_id", "quantity")
    assert part_cells(layout, stored, ROWS) == [
        {"cache_parent": 7, "cache_position": 0, "variant_id": 1, "quantity": "2", "cache_fields": row_names},
        {"cache_parent": 7, "cache_position": 1, "variant_id": 3, "quantity": "4", "cache_fields": row_names},
    ]
    assert part_cells(layout, stored, FEE) == [
        {"cache_parent": 7, "cache_position": 0, "amount": '"6.75"', "cache_fields": nr_of("amount")}
    ]
    assert (stored.parts["addresses"], stored.parts["fulfillments"], stored.odd) == ([], [], False)
    assert stored.names == {
        field_names(tuple(ORDER)),
        field_names(("variant_id", "quantity")),
        field_names(("amount",)),
    }
    assert encode(read_by(layout, layout, stored, 7)) == encode(ORDER)


@pytest.mark.parametrize(
    ("fields", "unknown", "odd"),
    [
        ({"id": 7}, None, False),
        ({"id": 7, "x": 1, "y": None}, '{"x":1,"y":null}', False),
        ({"id": 7, "status": 5}, '{"status":5}', True),
        ({"id": 7, "status": None, "currency": "EUR"}, None, False),
        ({"id": 7, "total": "many"}, '{"total":"many"}', True),
        ({"id": 7, "total": True, "total_in_base_currency": 5}, '{"total":true}', True),
        ({"id": "7"}, '{"id":"7"}', True),
        ({"id": Decimal("7.0")}, '{"id":7.0}', True),
        ({"id": 8}, '{"id":8}', True),
        ({}, None, True),
        ({"id": 7, ROWS: 5}, '{"sales_order_rows":5}', True),
        ({"id": 7, ROWS: [{"id": 1}, 2]}, '{"sales_order_rows":[{"id":1},2]}', True),
        ({"id": 7, ROWS: {"id": 1}}, '{"sales_order_rows":{"id":1}}', True),
        ({"id": 7, FEE: []}, '{"shipping_fee":[]}', True),
        ({"id": 7, FEE: "none"}, '{"shipping_fee":"none"}', True),
        ({"id": 7, ROWS: [{"id": "x"}, {"id": 2}]}, None, True),
        ({"id": 7, ROWS: [{"id": 1, "z": 2}]}, None, False),
        ({"id": 7, "cache_unknown": "x"}, '{"cache_unknown":"x"}', False),
        ({"id": 7, "total_order": "x"}, '{"total_order":"x"}', False),
    ],
    ids=str,
)
def test_what_does_not_fit_its_column_is_kept_as_json_and_said(
    fields: dict[str, Json], unknown: str | None, *, odd: bool
) -> None:
    layout = Layout(SALES_ORDER_TABLE)
    stored = layout.to_rows(7, fields)
    assert (cells(layout, stored).get("cache_unknown"), stored.odd) == (unknown, odd)
    assert encode(read_by(layout, layout, stored, 7)) == encode(fields)


@pytest.mark.parametrize(("row", "unknown"), [({"id": "x"}, '{"id":"x"}'), ({"z": 2}, '{"z":2}'), ({}, None)])
def test_a_part_keeps_what_does_not_fit_in_its_own_row(row: dict[str, Json], unknown: str | None) -> None:
    layout = Layout(SALES_ORDER_TABLE)
    (stored,) = part_cells(layout, layout.to_rows(7, {"id": 7, ROWS: [row]}), ROWS)
    assert stored.get("cache_unknown") == unknown


def test_true_is_no_id() -> None:
    stored = Layout(SALES_ORDER_TABLE).to_rows(1, {"id": True})
    assert (stored.cells[-1], stored.odd) == ('{"id":true}', True)


@pytest.mark.parametrize(("fields", "odd"), [({"id": "x"}, False), ({"id": 5}, True), ({}, True)])
def test_where_ids_are_texts_any_other_id_is_odd(fields: dict[str, Json], *, odd: bool) -> None:
    layout = Layout(BOM_ROW_TABLE)
    stored = layout.to_rows(-3, fields)
    assert (stored.odd, encode(read_by(layout, layout, stored, -3))) == (odd, encode(fields))


NESTED: dict[str, Json] = {"id": 7, "custom_fields": {"a": 1, "b": 2}, "x": {"a": 1, "b": 2}, "status": 5}


PLAIN: dict[str, Json] = {"id": 7, "custom_fields": {"a": 1, "b": 2}, "status": "A"}


@pytest.mark.parametrize(
    "fields", [ORDER, NESTED, PLAIN, {"id": 7, ROWS: [{"variant_id": 1, "z": 2}, 3], "status": "A"}], ids=len
)
@pytest.mark.parametrize(
    "paths",
    [
        ["id"],
        ["total", "status"],
        ["nobody"],
        [ROWS],
        [FEE, "order_no"],
        [f"{ROWS}[].variant_id"],
        [f"{ROWS}[].variant_id", ROWS],
        ["custom_fields", "x"],
        ["custom_fields[].a", "status"],
        ["x[].a"],
    ],
    ids=str,
)
def test_a_projection_reads_what_its_paths_name(fields: dict[str, Json], paths: list[str]) -> None:
    whole, wanted = Layout(SALES_ORDER_TABLE), frozenset(paths)
    stored = whole.to_rows(7, fields)
    assert encode(read_by(whole.only(wanted), whole, stored, 7)) == encode(projected(fields, wanted))


@pytest.mark.parametrize(
    ("paths", "columns", "row_columns"),
    [
        (["id"], (), None),
        (["total", "status"], ("status", "total"), None),
        ([f"{ROWS}[].variant_id"], (), ("variant_id",)),
        ([f"{ROWS}[].variant_id", f"{ROWS}[].id", "status"], ("status",), ("id", "variant_id")),
    ],
    ids=str,
)
def test_a_projection_reads_no_other_columns(
    paths: list[str], columns: tuple[str, ...], row_columns: tuple[str, ...] | None
) -> None:
    ours = ("cache_fields", "cache_unknown")
    layout = Layout(SALES_ORDER_TABLE).only(frozenset(paths))
    counts = () if row_columns is None else ("cache_count_sales_order_rows",)
    assert layout.columns == (*counts, *columns, *ours)
    rows = {} if row_columns is None else {ROWS: (*row_columns, *ours)}
    assert {field: shape.columns for field, shape in layout.shapes.items()} == rows


def test_rows_that_are_named_whole_are_read_whole() -> None:
    whole = Layout(SALES_ORDER_TABLE)
    assert whole.only(frozenset({ROWS})).shapes[ROWS].columns == whole.shapes[ROWS].columns


def test_rows_that_are_no_list_of_objects_are_projected_too() -> None:
    whole, wanted = Layout(SALES_ORDER_TABLE), frozenset({f"{ROWS}[].variant_id"})
    fields: dict[str, Json] = {"id": 7, ROWS: [{"variant_id": 1, "z": 2}, 3]}
    stored, layout = whole.to_rows(7, fields), whole.only(wanted)
    names: dict[Cell, list[str]] = {entry.nr: _names(entry) for entry in stored.names}
    assert layout.to_record([7, None, *stored.cells[-2:]], {}, names.__getitem__) == {ROWS: [{"variant_id": 1}, 3]}


def test_a_projection_is_made_once_as_long_as_there_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "_MOST_PROJECTIONS", 1)
    layout, first, second = Layout(SALES_ORDER_TABLE), frozenset({"id"}), frozenset({"status"})
    assert layout.only(first) is layout.only(first)
    assert layout.only(second) is not layout.only(second)


def test_names_are_looked_up_once_as_long_as_there_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "_MOST_PICKED", 1)
    layout = Layout(BOM_ROW_TABLE)
    first, second = ({"id": "x"}, {"id": "x", "rank": 1})
    for fields in (first, second):
        assert read_by(layout, layout, layout.to_rows(-1, fields), -1) == fields
    assert layout.to_record([-1, *layout.to_rows(-1, first).cells], {}, _unnamed) == first
    with pytest.raises(KeyError):
        layout.to_record([-1, *layout.to_rows(-1, second).cells], {}, _unnamed)


@pytest.mark.parametrize(
    ("table", "facts", "copies"),
    [
        (
            SALES_ORDER_TABLE,
            ("sales_order", "id", True, True),
            {"order_no": "cache_key", "updated_at": "cache_version"},
        ),
        (BOM_ROW_TABLE, ("bom_row", "cache_nr", False, True), {"updated_at": "cache_version"}),
        (MANUFACTURING_ORDER_PRODUCTION_TABLE, ("manufacturing_order_production", "id", True, True), None),
        (STOCK_TABLE, ("stock", "variant_id", True, False), {}),
        (TAX_RATE_TABLE, ("tax_rate", "id", True, False), None),
    ],
    ids=lambda value: value.spec.name if isinstance(value, TableMapping) else None,
)
def test_a_layout_says_what_the_table_declares(
    table: TableMapping, facts: tuple[str, str, bool, bool], copies: dict[str, str] | None
) -> None:
    layout = Layout(table)
    assert (layout.name, layout.pk, layout.id_is_pk, layout.is_coded) == facts
    assert copies is None or layout.copies == copies
    assert mapping.layout_of(table).columns == layout.columns


def test_numbers_have_a_column_that_sorts_them() -> None:
    main = Layout(TAX_RATE_TABLE).main
    assert main.orders == {"rate": "rate_order"}
    assert main.columns[-3:] == ("rate_order", "cache_fields", "cache_unknown")
    assert main.field_set == set(main.fields) == set(main.columns[:-3]) - {"id"}


def test_each_part_has_its_count_and_its_text_stands_by_class() -> None:
    layout = Layout(CUSTOMER_TABLE)
    assert layout.counts == ("cache_count_addresses",)
    assert layout.columns == ("cache_count_addresses", *layout.main.columns)
    assert [bool(sources) for sources in layout.sources] == [False, True, True, True]


def test_a_record_comes_back_from_its_canonical_form() -> None:
    layout, record = (
        Layout(TAX_RATE_TABLE),
        canonical({"rate": 19.5, "id": 1, "name": "MwSt", "is_default_sales": True}),
    )
    stored = layout.to_rows(1, record)
    assert (encode(read_by(layout, layout, stored, 1)), stored.odd) == (encode(record), False)
