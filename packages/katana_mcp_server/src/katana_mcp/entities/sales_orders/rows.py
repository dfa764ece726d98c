"""How a sales order looks in searches and lists."""

from datetime import datetime

from cache_core.conditions import Below, NoneOf, Where, hold
from cache_core.protocol import Stored
from cache_core.records import Record, iso
from katana_mcp.names import Names, text
from katana_mcp.services import Services
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import number, rows, whole


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
    """Of the row's amounts."""
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

    rows: list[SalesOrderLine] | None = None


def summary(stored: Stored, names: Names, services: Services) -> SalesOrderSummary:
    """Return an order without its rows."""
    return SalesOrderSummary.model_validate(header(stored, names, services))


def with_rows(stored: Stored, names: Names, services: Services) -> SalesOrderWithRows:
    """Return an order with its rows."""
    return SalesOrderWithRows.model_validate(header(stored, names, services) | {"rows": lines(stored.record, names)})


def header(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return the keys of `SalesOrderSummary`."""
    record = stored.record
    return {
        "sales_order_id": whole(record, "id"),
        "order_no": text(record, "order_no"),
        "status": text(record, "status"),
        "customer_id": whole(record, "customer_id"),
        "customer": names.name("customer", record.get("customer_id")),
        "location_id": whole(record, "location_id"),
        "location": names.name("location", record.get("location_id")),
        "order_created_date": text(record, "order_created_date"),
        "delivery_date": text(record, "delivery_date"),
        "overdue": hold(overdue(services.clock.now()), record) or None,
        "total": number(record, "total"),
        "currency": text(record, "currency"),
        "product_availability": text(record, "product_availability"),
        "row_count": len(rows(record, "sales_order_rows")),
        "deleted_at": text(record, "deleted_at"),
        "url": services.url(f"/salesorder/{stored.id}"),
    }


def overdue(now: datetime) -> Where:
    """Open, and its delivery date has passed; a quote (PENDING) cannot be late."""
    return (NoneOf("status", ("DELIVERED", "PENDING")), Below("delivery_date", iso(now)))


def lines(record: Record, names: Names) -> list[SalesOrderLine]:
    """Return the order's rows as sent, with SKU and name."""
    return [
        SalesOrderLine(
            sales_order_row_id=whole(row, "id"),
            variant_id=whole(row, "variant_id"),
            sku=names.sku(row.get("variant_id")),
            name=names.variant(row.get("variant_id")),
            quantity=number(row, "quantity"),
            price_per_unit=number(row, "price_per_unit"),
            total_discount=number(row, "total_discount"),
            total=number(row, "total"),
            currency=text(record, "currency"),
            tax_rate_id=whole(row, "tax_rate_id"),
            location_id=whole(row, "location_id"),
            product_availability=text(row, "product_availability"),
            product_expected_date=text(row, "product_expected_date"),
            linked_manufacturing_order_id=whole(row, "linked_manufacturing_order_id"),
        )
        for row in rows(record, "sales_order_rows")
    ]
