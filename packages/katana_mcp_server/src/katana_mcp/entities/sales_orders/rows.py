"""How a sales order looks in searches and lists."""

from datetime import datetime
from decimal import Decimal
from functools import lru_cache

from cache_core.conditions import Below, NoneOf, Where, hold
from cache_core.protocol import Stored
from cache_core.records import Record, iso
from katana_mcp.references.display_names import Names, text
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.rows import line
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import EMPTY, child, get_int, number, number_or_text, rows, total

PARTIES: dict[str, tuple[str, ...]] = {"customer": ("customer_id",), "location": ("location_id",)}
ROW_VARIANTS: dict[str, tuple[str, ...]] = {"variant": ("sales_order_rows[].variant_id",)}


class SalesOrderLine(Answer):
    """A row of a sales order."""

    sales_order_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    quantity: Number | None = None
    price_per_unit: Number | None = None
    total_discount: Number | None = None
    total: Number | None = None
    """Without tax."""
    currency: str | None = None
    tax_rate_id: int | None = None
    location_id: int | None = None
    product_availability: str | None = None
    product_expected_date: str | None = None
    linked_manufacturing_order_id: int | None = None


class SalesOrderSummary(Answer):
    """A sales order without its rows."""

    sales_order_id: int | None = None
    order_no: str | None = None
    status: str | None = None
    customer_id: int | None = None
    customer: str | None = None
    location_id: int | None = None
    location: str | None = None
    order_created_date: str | None = None
    delivery_date: str | None = None
    overdue: bool | None = None
    total: Number | None = None
    """With tax, in `currency`."""
    currency: str | None = None
    product_availability: str | None = None
    row_count: int = 0
    deleted_at: str | None = None
    url: str | None = None


class SalesOrderWithRows(SalesOrderSummary):
    """A sales order, with its rows where they were asked for."""

    net_total: Number | None = None
    rows: list[SalesOrderLine] | None = None
    row: SalesOrderLine | None = None


HEADER_READS = frozenset({"id", "sales_order_rows[].total", "shipping_fee"})
"""What `header` reads of a record besides what a row of the list has under the same name."""


def header(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return what an order's record does not say of itself."""
    record = stored.record
    return {
        "sales_order_id": get_int(record, "id"),
        "customer": names.name("customer", record.get("customer_id")),
        "location": names.name("location", record.get("location_id")),
        "overdue": hold(overdue(services.today()), record) or None,
        "net_total": total([*(number(row, "total") for row in rows(record, "sales_order_rows")), *_fee(record)]),
        "row_count": len(rows(record, "sales_order_rows")),
        "url": services.url(f"/salesorder/{stored.id}"),
    }


def _fee(record: Record) -> list[Decimal | None]:
    """Return the shipping fee, if there is one: Katana's total has it in it."""
    fee = child(record, "shipping_fee")
    return [] if fee is None else [number_or_text(fee, "amount")]


def with_rows(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return the same, and the order's rows with SKU and name."""
    sent = rows(stored.record, "sales_order_rows")
    return header(stored, names, services) | {"rows": [row_answer(SalesOrderLine, row, stored, names) for row in sent]}


def single_row(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return an order with one of its rows."""
    row = child(stored.record, "row") or EMPTY
    return header(stored, names, services) | {"row": row_answer(SalesOrderLine, row, stored, names)}


def row_answer[L: SalesOrderLine](model: type[L], row: Record, order: Stored, names: Names, **own: object) -> L:
    """Return a row of the order in this shape, with SKU, name and currency."""
    currency = text(order.record, "currency")
    return line(model, row, names, sales_order_row_id=get_int(row, "id"), currency=currency, **own)


@lru_cache(maxsize=8)
def overdue(today: datetime) -> Where:
    """Open, and its delivery date has passed; a quote (PENDING) cannot be late."""
    return (NoneOf("status", ("DELIVERED", "PENDING")), Below("delivery_date", iso(today)))
