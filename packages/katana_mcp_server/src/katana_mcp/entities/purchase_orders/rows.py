"""How a purchase order looks in searches and lists."""

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache, partial

from cache_core.conditions import Below, NoneOf, Where, hold
from cache_core.protocol import Stored
from cache_core.records import Record, iso
from katana_mcp.references.display_names import Names, text
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.rows import line
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import EMPTY, child, get_int, number, rows, total

PARTIES: dict[str, tuple[str, ...]] = {
    "supplier": ("supplier_id",),
    "location": ("location_id", "tracking_location_id"),
}
ROW_VARIANTS: dict[str, tuple[str, ...]] = {"variant": ("purchase_order_rows[].variant_id",)}


class PurchaseOrderLine(Answer):
    """A row of a purchase order; a partial receipt splits a row."""

    purchase_order_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    quantity: Number | None = None
    """In `purchase_uom`."""
    purchase_uom: str | None = None
    purchase_uom_conversion_rate: Number | None = None
    price_per_unit: Number | None = None
    total: Number | None = None
    """Without tax."""
    currency: str | None = None
    tax_rate_id: int | None = None
    location_id: int | None = None
    arrival_date: str | None = None
    received_date: str | None = None
    """Absent until the row is received."""


class PurchaseOrderSummary(Answer):
    """A purchase order without its rows."""

    purchase_order_id: int | None = None
    order_no: str | None = None
    status: str | None = None
    entity_type: str | None = None
    supplier_id: int | None = None
    supplier: str | None = None
    location_id: int | None = None
    location: str | None = None
    order_created_date: str | None = None
    expected_arrival_date: str | None = None
    overdue: bool | None = None
    total: Number | None = None
    """With tax, in `currency`."""
    currency: str | None = None
    billing_status: str | None = None
    row_count: int = 0
    deleted_at: str | None = None
    url: str | None = None


class PurchaseOrderWithRows(PurchaseOrderSummary):
    """A purchase order, with its rows where they were asked for."""

    net_total: Number | None = None
    rows: list[PurchaseOrderLine] | None = None
    row: PurchaseOrderLine | None = None


HEADER_READS = frozenset({"id", "purchase_order_rows[].total"})
"""What `header` reads of a record besides what a row of the list has under the same name."""


def header(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return what an order's record does not say of itself."""
    record = stored.record
    return {
        "purchase_order_id": get_int(record, "id"),
        "supplier": names.name("supplier", record.get("supplier_id")),
        "location": names.name("location", record.get("location_id")),
        "overdue": hold(overdue(services.today()), record) or None,
        "net_total": total([number(row, "total") for row in rows(record, "purchase_order_rows")]),
        "row_count": len(rows(record, "purchase_order_rows")),
        "url": services.url(f"/purchaseorder/{stored.id}"),
    }


_LINE = partial(line, PurchaseOrderLine)


def with_rows(
    stored: Stored, names: Names, services: Services, to_line: Callable[..., Answer] = _LINE
) -> dict[str, object]:
    """Return the same, and the order's rows as they are told, with SKU and name."""
    lines = [_row_answer(row, stored, names, to_line) for row in rows(stored.record, "purchase_order_rows")]
    return header(stored, names, services) | {"rows": lines}


def single_row(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return an order with one of its rows."""
    row = child(stored.record, "row") or EMPTY
    return header(stored, names, services) | {"row": _row_answer(row, stored, names, _LINE)}


def _row_answer(row: Record, order: Stored, names: Names, to_line: Callable[..., Answer]) -> Answer:
    currency = text(row, "currency") or text(order.record, "currency")
    return to_line(row, names, purchase_order_row_id=get_int(row, "id"), currency=currency)


@lru_cache(maxsize=8)
def overdue(today: datetime) -> Where:
    """Something is still to come, and the arrival date has passed; a draft cannot be late."""
    return (NoneOf("status", ("RECEIVED", "DRAFT")), Below("expected_arrival_date", iso(today)))
