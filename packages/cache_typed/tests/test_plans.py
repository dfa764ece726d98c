"""The planner uses an index for every filter and order that tools ask for: nothing reads a whole table."""

import asyncio
from collections.abc import Generator, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from bench.documents import DOCUMENTS
from tests.at_once import at_once
from typed_orders import batch, only_file, order

from cache_core.conditions import EVERYTHING, LIVE, Below, Condition, NoneOf, OneOf, Order, Visibility, Within
from cache_core.protocol import Selection
from cache_typed import dialect
from cache_typed.backend import TypedBackend
from cache_typed.columns import Kind
from cache_typed.compiling import compiled
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout, TableMapping, layout_of, table_of
from cache_typed.reading import window_query
from cache_typed.tables import TABLES
from cache_typed.tables.manufacturing_orders import MANUFACTURING_ORDER_TABLE
from cache_typed.tables.purchase_orders import PURCHASE_ORDER_TABLE
from cache_typed.tables.sales_orders import SALES_ORDER_TABLE

ORDERS = layout_of(SALES_ORDER_TABLE)
DAY = "2025-01-01T00:00:00.000Z"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Generator[Connection]:
    """Return a raw connection to a cache of 300 orders, which is only read."""
    directory = tmp_path_factory.mktemp("orders")
    asyncio.run(_fill(directory))
    with closing(dialect.connect(str(only_file(directory)))) as connection:
        yield connection
        assert connection.total_changes == 0


async def _fill(directory: Path) -> None:
    cache = TypedBackend(directory)
    await cache.open()
    await cache.apply(batch(*(order(nr) for nr in range(1, 301))))
    await cache.close()


def plan(db: Connection, selection: Selection, layout: Layout = ORDERS) -> list[str]:
    """Return the steps of the plan for a list request."""
    query = window_query(layout, selection)
    assert query is not None
    sql, values = query
    return [detail for *_, detail in db.execute(f"EXPLAIN QUERY PLAN {sql}", values)]


@pytest.mark.parametrize(
    "condition",
    [
        OneOf("status", ("PACKED",)),
        OneOf("status", ("PACKED", "PENDING")),
        OneOf("customer_id", (1,)),
        OneOf("location_id", (1, 2)),
        OneOf("order_no", ("SO-1",)),
        OneOf("id", (1, 2, 3)),
        OneOf("sales_order_rows[].variant_id", (1,)),
        OneOf("sales_order_rows[].variant_id", (1, 2)),
        *(Within(name, DAY, DAY) for name in ("delivery_date", "order_created_date", "created_at", "updated_at")),
    ],
    ids=repr,
)
def test_an_indexed_filter_reads_no_whole_table(db: Connection, condition: Condition) -> None:
    steps = plan(db, Selection((condition,), Order("total"), visibility=LIVE))
    assert any(step.startswith("SEARCH sales_order USING") for step in steps), steps
    assert not [step for step in steps if step.startswith("SCAN sales_order")], steps


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", ["id", "updated_at", "delivery_date", "order_created_date", "created_at", "order_no"])
def test_a_list_walks_an_index_and_stops_at_the_limit(db: Connection, name: str, descending: bool) -> None:
    steps = plan(db, Selection((), Order(name, descending=descending)))
    assert not [step for step in steps if "TEMP B-TREE" in step and "LAST" not in step], steps
    assert name == "id" or any("USING COVERING INDEX" in step for step in steps), steps


STAMPS = ("created_at", "updated_at")
ROWS = "sales_order_rows[]"
BOUGHT = "purchase_order_rows[]"
PLANNED: dict[str, tuple[str, ...]] = {
    "sales_order": (
        *("order_no", "customer_id", "location_id", "currency", "total", "total_in_base_currency"),
        *("status", "production_status", "invoicing_status", "product_availability", "ingredient_availability"),
        *("order_created_date", "delivery_date", "picked_date", *STAMPS),
        *("linked_manufacturing_order_id", "ecommerce_order_id", "tracking_number"),
        *(f"{ROWS}.{field}" for field in ("id", "variant_id", "location_id", "linked_manufacturing_order_id")),
    ),
    "sales_order_fulfillment": (
        *("sales_order_id", "status", "invoice_status", "tracking_number", "picked_date", "packer_id", *STAMPS),
        *("sales_order_fulfillment_rows[].id", "sales_order_fulfillment_rows[].sales_order_row_id"),
    ),
    "sales_return": (
        *("order_no", "customer_id", "sales_order_id", "return_location_id", "status", "refund_status"),
        *("return_date", "order_created_date", *STAMPS),
    ),
    "sales_return_row": ("sales_return_id", "variant_id", *STAMPS),
    "purchase_order": (
        *("order_no", "supplier_id", "location_id", "tracking_location_id", "default_group_id", "entity_type"),
        *("status", "billing_status", "last_document_status", "ingredient_availability"),
        *("order_created_date", "expected_arrival_date", "ingredient_expected_date", *STAMPS),
        *("currency", "total", "total_in_base_currency"),
        *(f"{BOUGHT}.{field}" for field in ("id", "variant_id", "location_id", "group_id")),
        *(f"{BOUGHT}.{field}" for field in ("arrival_date", "received_date")),
    ),
    "purchase_order_additional_cost_row": ("group_id", "additional_cost_id", "tax_rate_id", "currency", *STAMPS),
    "purchase_order_accounting_metadata": ("purchase_order_id", "received_items_group_id", "bill_id"),
    "outsourced_purchase_order_recipe_row": (
        *("purchase_order_id", "purchase_order_row_id", "ingredient_variant_id", *STAMPS),
        *("ingredient_availability", "ingredient_expected_date"),
    ),
    "manufacturing_order": (
        *("order_no", "variant_id", "location_id", "status", "ingredient_availability", "is_linked_to_sales_order"),
        *("order_created_date", "production_deadline_date", "done_date", "sales_order_delivery_deadline", *STAMPS),
        *("sales_order_id", "sales_order_row_id", "total_cost"),
    ),
    "manufacturing_order_recipe_row": (
        *("manufacturing_order_id", "variant_id", *STAMPS),
        *("ingredient_availability", "ingredient_expected_date"),
    ),
    "manufacturing_order_operation_row": (
        *("manufacturing_order_id", "status", "operation_id", "resource_id", "completed_at", *STAMPS),
        *("active_operator_id", "assigned_operators[].operator_id"),
    ),
    "manufacturing_order_production": (
        *("manufacturing_order_id", "production_date", *STAMPS),
        *("ingredients[].variant_id", "ingredients[].manufacturing_order_recipe_row_id"),
        "operations[].manufacturing_order_operation_id",
    ),
    "stock_transfer": (
        *("stock_transfer_number", "source_location_id", "target_location_id", "status"),
        *("transfer_date", "order_created_date", "expected_arrival_date", *STAMPS),
        *("stock_transfer_rows[].id", "stock_transfer_rows[].variant_id"),
    ),
    "stock_adjustment": (
        *("stock_adjustment_number", "location_id", "reason", "stock_adjustment_date", *STAMPS),
        *("stock_adjustment_rows[].id", "stock_adjustment_rows[].variant_id"),
    ),
    "stocktake": ("stocktake_number", "location_id", "status", "completed_date", *STAMPS),
    "stocktake_row": ("stocktake_id", "variant_id", *STAMPS),
    "inventory_movement": (
        *("variant_id", "location_id", "resource_type", "resource_id", "movement_date", *STAMPS),
        *("caused_by_order_no", "caused_by_resource_id"),
    ),
    "bom_row": ("id", "product_variant_id", "product_item_id", "ingredient_variant_id", *STAMPS),
    "custom_field_definition": ("id", "label", "field_type", "entity_type", *STAMPS),
    "additional_cost": ("name", *STAMPS),
}
"""What lists of documents are narrowed by."""


@pytest.mark.parametrize("entity", sorted(PLANNED))
def test_every_filter_of_a_document_has_an_index(entity: str) -> None:
    mapping = next(table for table in TABLES if table.spec.name == entity)
    assert set(PLANNED[entity]) <= {field for field, _ in indexed(mapping, layout_of(mapping))}


# Some records have texts for ids, and the index of a field breaks ties by number.
@pytest.mark.parametrize("entity", sorted(PLANNED.keys() - {"bom_row", "custom_field_definition"}))
def test_a_list_of_documents_by_any_of_them_stops_at_the_limit(db: Connection, entity: str) -> None:
    layout = next(layout_of(mapping) for mapping in TABLES if mapping.spec.name == entity)
    for name in (name for name in PLANNED[entity] if "[]" not in name):
        steps = plan(db, Selection((), Order(name, descending=True)), layout)
        assert not [step for step in steps if "TEMP B-TREE" in step and "LAST" not in step], (name, steps)
        assert any("USING COVERING INDEX" in step for step in steps), (name, steps)


by_due = pytest.mark.parametrize(
    ("mapping", "due"),
    [
        (SALES_ORDER_TABLE, "delivery_date"),
        (PURCHASE_ORDER_TABLE, "expected_arrival_date"),
        (MANUFACTURING_ORDER_TABLE, "production_deadline_date"),
    ],
    ids=["sales", "purchase", "manufacturing"],
)


@by_due
@pytest.mark.parametrize("visibility", [LIVE, Visibility(archived=True), EVERYTHING])
def test_no_document_is_read_to_count_those_of_a_status_a_window_or_the_late_ones(
    db: Connection, mapping: TableMapping, due: str, visibility: Visibility
) -> None:
    layout = layout_of(mapping)
    is_open = NoneOf("status", ("DONE", "DELIVERED"))
    for where in ((OneOf("status", ("A", "B")),), (Within(due, DAY, DAY),), (is_open, Below(due, DAY)), (is_open,)):
        clause = compiled(layout, where, visibility)
        sql = f"EXPLAIN QUERY PLAN SELECT count(*) FROM {layout.name} WHERE {clause.sql()}"
        steps = [detail for *_, detail in db.execute(sql, clause.values) if f" {layout.name} " in detail]
        assert ["USING COVERING INDEX" in step for step in steps] == [True], (where, steps)


@by_due
def test_a_status_newest_first_or_within_a_window_of_due_dates_is_one_stretch_of_an_index(
    db: Connection, mapping: TableMapping, due: str
) -> None:
    where = (OneOf("status", ("PACKED",)), Within(due, DAY, DAY))
    steps = plan(db, Selection(where, Order(due), visibility=LIVE), layout_of(mapping))
    table = layout_of(mapping).name
    newest = Selection((OneOf("status", ("PACKED",)),), Order("id", descending=True), visibility=LIVE)
    assert plan(db, newest, layout_of(mapping)) == [f"SEARCH {table} USING COVERING INDEX ix_{table}_status (status=?)"]
    used = f"SEARCH {table} USING COVERING INDEX ix_{table}_status_{due}"
    assert steps == [f"{used} (status=? AND {due}>? AND {due}<?)"]


def test_every_document_says_what_it_is_narrowed_by() -> None:
    assert DOCUMENTS.keys() - {"factory"} | {"sales_order"} == PLANNED.keys()


def indexed(mapping: TableMapping, layout: Layout) -> Iterator[tuple[str, Kind]]:
    """Yield the fields with an index, those of rows as `rows[].field`, with the column's kind."""
    parts = [(f"{part.field}[].", part.table, layout.shapes[part.field]) for part in mapping.parts]
    for prefix, model, shape in (("", mapping.table, layout.main), *parts):
        numbers = {column: name for name, column in shape.orders.items()}
        copied = {} if prefix else {column: name for name, column in layout.copies.items()}
        for column in (column.name for index in table_of(model).indexes for column in index.columns):
            name = copied.get(column, numbers.get(column, column))
            if not name.startswith("cache_"):
                yield prefix + name, shape.fields[name].kind


FITTING = {Kind.WHOLE: 1, Kind.TEXT: "x", Kind.FLAG: True, Kind.MOMENT: DAY, Kind.NUMBER: Decimal("1.5")}


@at_once("visibility", [LIVE, EVERYTHING])
@at_once("mapping", TABLES)
def test_every_declared_index_serves_its_filter(db: Connection, mapping: TableMapping, visibility: Visibility) -> None:
    layout = layout_of(mapping)
    fields = [(field, FITTING[kind]) for field, kind in indexed(mapping, layout)]
    assert fields or mapping.spec.name == "factory"
    for condition in (OneOf(field, values) for field, value in fields for values in ((value,), (value, value))):
        clause = compiled(layout, (condition,), visibility)
        sql = f"EXPLAIN QUERY PLAN SELECT {layout.pk} FROM {layout.name} WHERE {clause.sql()}"
        steps = [detail for *_, detail in db.execute(sql, clause.values)]
        assert any(step.startswith("SEARCH") and " USING " in step for step in steps), steps
        assert not [step for step in steps if step.startswith("SCAN") and "json_each" not in step], steps


def test_words_are_found_by_an_index(db: Connection) -> None:
    for sql in (
        "SELECT 1 FROM variant_word WHERE word = 'x'",
        "SELECT word FROM variant_word WHERE length(word) IN (4, 5) AND word GLOB '*[^0-9]*' LIMIT 9",
    ):
        steps = [detail for *_, detail in db.execute(f"EXPLAIN QUERY PLAN {sql}")]
        assert all(step.startswith("SEARCH variant_word USING COVERING INDEX") for step in steps), steps


def test_point_reads_use_an_index(db: Connection) -> None:
    for sql in (
        "SELECT 1 FROM sales_order WHERE cache_key = ?",
        "SELECT 1 FROM sales_order WHERE cache_id IN (?)",
        "SELECT 1 FROM sales_order_row WHERE cache_parent IN (?)",
        "SELECT 1 FROM sales_order_code WHERE code = ?",
    ):
        steps = [detail for *_, detail in db.execute(f"EXPLAIN QUERY PLAN {sql}", ("x",))]
        assert all(step.startswith("SEARCH") for step in steps), steps
    odd = "EXPLAIN QUERY PLAN SELECT 1 FROM sales_order WHERE cache_odd = 1 LIMIT 1"
    assert all("ix_sales_order_odd" in detail for *_, detail in db.execute(odd))
