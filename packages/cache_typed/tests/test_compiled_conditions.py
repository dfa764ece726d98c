"""Conditions as SQL: the exact predicate and values of each, and what is left to the record."""

from collections.abc import Mapping
from decimal import Decimal

import pytest

from cache_core.conditions import (
    EVERYTHING,
    LIVE,
    Below,
    Condition,
    CustomValue,
    Missing,
    NoneOf,
    OneOf,
    Visibility,
    Within,
)
from cache_typed.columns import Cell
from cache_typed.compiling import Clause, compiled, order_column
from cache_typed.mapping import Layout
from cache_typed.tables.bom_rows import BOM_ROW_TABLE
from cache_typed.tables.products import PRODUCT_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE

TABLES = (SALES_ORDER_TABLE, BOM_ROW_TABLE, PRODUCT_TABLE)
TOP, HUGE, LONE, NAN = 2**63 - 1, 10**499, "\ud800", Decimal("NaN")
CUSTOMER, TOTAL = "sales_order.customer_id", "sales_order.total_order"
INSIDE = "sales_order.id IN (SELECT sales_order_row.cache_parent FROM sales_order_row WHERE "
ROW = f"{INSIDE}sales_order_row."
LISTED = "IN (SELECT value FROM json_each(:v0))"
HELD = (
    "(sales_order.custom_fields NOT IN ('[]', '{}') AND EXISTS"
    " (SELECT 1 FROM json_each(:v0) AS sought WHERE instr(sales_order.custom_fields, sought.value)))"
)
RED = '["\\"red\\""]'


def bounds(column: str, *parts: str) -> str:
    """Return the predicate of a value that is there and within bounds."""
    return f"({' AND '.join((f'{column} IS NOT NULL', *parts))})"


@pytest.fixture(scope="module")
def layouts() -> Mapping[str, Layout]:
    """Return the layouts of a few entities, read anew."""
    return {mapping.spec.name: Layout(mapping) for mapping in TABLES}


@pytest.mark.parametrize(
    ("condition", "predicate", "values"),
    [
        (OneOf("status", ("A",)), "sales_order.status = :v0", ["A"]),
        (OneOf("status", ("A\0",)), "sales_order.status = :v0", ["A\0"]),
        (OneOf("status", ("A", "漢")), f"sales_order.status {LISTED}", ['["A", "漢"]']),
        (OneOf("status", ("A", 5, True, LONE)), "sales_order.status = :v0", ["A"]),
        (OneOf("status", ()), "0", []),
        (OneOf("status", (5, NAN)), "0", []),
        (NoneOf("status", ("A",)), "(sales_order.status IS NULL OR NOT sales_order.status = :v0)", ["A"]),
        (NoneOf("status", ()), "(sales_order.status IS NULL OR NOT 0)", []),
        (Missing("status"), "sales_order.status IS NULL", []),
        (Missing("status", missing=False), "sales_order.status IS NOT NULL", []),
        # Of two columns that say the same, the one with the index.
        (OneOf("order_no", ("SO-1",)), "sales_order.cache_key = :v0", ["SO-1"]),
        (Missing("updated_at"), "sales_order.cache_version IS NULL", []),
        (OneOf("id", (1,)), "sales_order.id = :v0", [1]),
        (OneOf("id", (1, 2)), f"sales_order.id {LISTED}", ["[1, 2]"]),
        (OneOf("customer_id", (Decimal("2.0"),)), f"{CUSTOMER} = :v0", [2]),
        (OneOf("customer_id", (TOP, TOP + 1)), f"{CUSTOMER} = :v0", [TOP]),
        (OneOf("customer_id", (-TOP - 1, -TOP - 2)), f"{CUSTOMER} = :v0", [-TOP - 1]),
        (OneOf("customer_id", (Decimal("1.5"), "1", True, HUGE)), "0", []),
        (OneOf("total", (5, True, NAN)), f"{TOTAL} = :v0", ["205005"]),
        (OneOf("total", ("5",)), f"{TOTAL} = :v0", ["s5"]),
        (Within("status"), bounds("sales_order.status"), []),
        (Within("status", "a"), bounds("sales_order.status", "sales_order.status >= :v0"), ["a"]),
        (Within("status", None, "b"), bounds("sales_order.status", "sales_order.status <= :v0"), ["b"]),
        (Below("status", "m"), bounds("sales_order.status", "sales_order.status < :v0"), ["m"]),
        (Below("status", 5), bounds("sales_order.status", "0"), []),
        (Within("customer_id", 1, 5), bounds(CUSTOMER, f"{CUSTOMER} >= :v0", f"{CUSTOMER} <= :v1"), [1, 5]),
        # A fraction moves to the next whole number on the right side.
        (Within("customer_id", Decimal("1.5")), bounds(CUSTOMER, f"{CUSTOMER} >= :v0"), [2]),
        (Within("customer_id", None, Decimal("1.5")), bounds(CUSTOMER, f"{CUSTOMER} <= :v0"), [1]),
        (Below("customer_id", Decimal("1.5")), bounds(CUSTOMER, f"{CUSTOMER} < :v0"), [2]),
        (Within("customer_id", TOP), bounds(CUSTOMER, f"{CUSTOMER} >= :v0"), [TOP]),
        (Within("customer_id", -TOP - 1), bounds(CUSTOMER, f"{CUSTOMER} >= :v0"), [-TOP - 1]),
        (Within("customer_id", TOP + 1), bounds(CUSTOMER, "0"), []),
        (Within("customer_id", -TOP - 2), bounds(CUSTOMER, "1"), []),
        (Within("customer_id", None, TOP + 1), bounds(CUSTOMER, "1"), []),
        (Within("customer_id", None, -TOP - 2), bounds(CUSTOMER, "0"), []),
        (Below("customer_id", TOP + 1), bounds(CUSTOMER, "1"), []),
        (Below("customer_id", -TOP - 2), bounds(CUSTOMER, "0"), []),
        (Below("customer_id", True), bounds(CUSTOMER, "0"), []),
        (Below("customer_id", "x"), bounds(CUSTOMER, "0"), []),
        (Below("customer_id", NAN), bounds(CUSTOMER, "0"), []),
        (Within("total", 5), bounds(TOTAL, f"{TOTAL} < 's' AND {TOTAL} >= :v0"), ["205005"]),
        (Below("total", "5"), bounds(TOTAL, f"{TOTAL} >= 's' AND {TOTAL} < :v0"), ["s5"]),
        (Below("total", True), bounds(TOTAL, "0"), []),
        (OneOf("sales_order_rows[].variant_id", (1,)), f"{ROW}variant_id = :v0)", [1]),
        (NoneOf("sales_order_rows[].variant_id", (1,)), f"NOT {ROW}variant_id = :v0)", [1]),
        (Missing("sales_order_rows[].variant_id"), f"NOT {ROW}variant_id IS NOT NULL)", []),
        (Missing("sales_order_rows[].variant_id", missing=False), f"{ROW}variant_id IS NOT NULL)", []),
        (
            Below("sales_order_rows[].id", 3),
            f"{INSIDE}{bounds('sales_order_row.id', 'sales_order_row.id < :v0')})",
            [3],
        ),
    ],
    ids=repr,
)
def test_what_the_columns_decide_is_one_predicate_with_every_value_bound(
    layouts: Mapping[str, Layout], condition: Condition, predicate: str, values: list[Cell]
) -> None:
    bound = {f"v{place}": value for place, value in enumerate(values)}
    assert compiled(layouts["sales_order"], (condition,), EVERYTHING) == Clause([predicate], bound, [])


@pytest.mark.parametrize(
    ("condition", "parts", "values"),
    [
        (OneOf("conversion_rate", (1,)), [], {}),
        (OneOf("unknown", ("a",)), [], {}),
        (OneOf("cache_parent", (1,)), [], {}),
        (OneOf("unknown[].id", (1,)), [], {}),
        (OneOf("sales_order_rows[].quantity", (1,)), [], {}),
        (OneOf("status", ("a\0", "b")), [], {}),
        (Below("status", LONE), [], {}),
        (Below("customer_id", LONE), [], {}),
        (OneOf("total", (HUGE,)), [], {}),
        (OneOf("total", (LONE,)), [], {}),
        # What was bound before it turned out is forgotten.
        (Within("total", 5, HUGE), [], {}),
        (OneOf("custom_fields", ("red",)), [HELD], {"v0": RED}),
        (OneOf("custom_fields[].field_value", ("red",)), [HELD], {"v0": RED}),
        (CustomValue("custom_fields", ("g",), ("red", "a")), [HELD], {"v0": '["\\"red\\"","\\"a\\""]'}),
        (CustomValue("custom_fields", ("g",), ("red", 5)), [], {}),
        (CustomValue("custom_fields", ("g",), ("red", LONE)), [], {}),
        (CustomValue("custom_fields", ("g",), ()), [], {}),
        (NoneOf("custom_fields", ("red",)), [], {}),
        (CustomValue("status", ("g",), ("red",)), [], {}),
    ],
    ids=repr,
)
def test_what_no_column_decides_is_left_to_the_record(
    layouts: Mapping[str, Layout], condition: Condition, parts: list[str], values: dict[str, Cell]
) -> None:
    assert compiled(layouts["sales_order"], (condition,), EVERYTHING) == Clause(parts, values, [condition])


@pytest.mark.parametrize(
    ("condition", "predicate", "values"),
    [
        (OneOf("is_sellable", (True,)), "product.is_sellable = :v0", {"v0": 1}),
        (OneOf("is_sellable", (False,)), "product.is_sellable = :v0", {"v0": 0}),
        (OneOf("is_sellable", (1, "true")), "0", {}),
        (Within("is_sellable", True), bounds("product.is_sellable", "product.is_sellable = :v0"), {"v0": 1}),
        (Within("is_sellable", None, False), bounds("product.is_sellable", "product.is_sellable = :v0"), {"v0": 0}),
        (Within("is_sellable", 1), bounds("product.is_sellable", "0"), {}),
        (Below("is_sellable", True), bounds("product.is_sellable", "0"), {}),
    ],
    ids=repr,
)
def test_true_and_false_are_compared_with_themselves_alone(
    layouts: Mapping[str, Layout], condition: Condition, predicate: str, values: dict[str, Cell]
) -> None:
    assert compiled(layouts["product"], (condition,), EVERYTHING) == Clause([predicate], values, [])


@pytest.mark.parametrize(
    ("visibility", "parts"),
    [
        (LIVE, ["sales_order.cache_deleted = 0", "sales_order.cache_archived = 0"]),
        (Visibility(deleted=True), ["sales_order.cache_archived = 0"]),
        (Visibility(archived=True), ["sales_order.cache_deleted = 0"]),
        (EVERYTHING, []),
    ],
)
def test_what_is_deleted_or_archived_is_out_unless_asked_for(
    layouts: Mapping[str, Layout], visibility: Visibility, parts: list[str]
) -> None:
    assert compiled(layouts["sales_order"], (), visibility) == Clause(parts, {}, [])


def test_conditions_are_joined_and_their_values_numbered_through(layouts: Mapping[str, Layout]) -> None:
    left = OneOf("unknown", (1,))
    where = (OneOf("status", ("A",)), left, Within("total", 1, HUGE), Below("customer_id", 9))
    clause = compiled(layouts["sales_order"], where, EVERYTHING)
    parts = ["sales_order.status = :v0", bounds(CUSTOMER, f"{CUSTOMER} < :v1")]
    assert clause == Clause(parts, {"v0": "A", "v1": 9}, [left, where[2]])
    assert clause.sql() == " AND ".join(parts)
    assert clause.sql("first", "second") == " AND ".join(("first", "second", *parts))
    assert Clause().sql() == "1"


def test_an_id_that_is_a_text_is_a_column_and_its_number_is_none(layouts: Mapping[str, Layout]) -> None:
    rows = layouts["bom_row"]
    number = OneOf("cache_nr", (1,))
    assert compiled(rows, (OneOf("id", ("x",)),), EVERYTHING) == Clause(["bom_row.id = :v0"], {"v0": "x"}, [])
    assert compiled(rows, (number,), EVERYTHING) == Clause([], {}, [number])


@pytest.mark.parametrize(
    ("entity", "field", "column"),
    [
        ("sales_order", "id", "sales_order.id"),
        ("bom_row", "id", "bom_row.cache_id"),
        ("sales_order", "status", "sales_order.status"),
        ("sales_order", "order_no", "sales_order.cache_key"),
        ("sales_order", "total", "sales_order.total_order"),
        ("sales_order", "conversion_rate", None),
        ("sales_order", "custom_fields", None),
        ("sales_order", "unknown", None),
    ],
)
def test_a_field_is_sorted_by_its_column_where_there_is_one(
    layouts: Mapping[str, Layout], entity: str, field: str, column: str | None
) -> None:
    assert order_column(layouts[entity], field) == column
