"""How a sales return looks in lists."""

from cache_core.protocol import Stored
from cache_core.records import Record, is_set
from katana_mcp.references.display_names import Names, text
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.rows import line
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import EMPTY, get_int

ROWS = "sales_return_row"
PARTIES: dict[str, tuple[str, ...]] = {
    "customer": ("customer_id",),
    "sales_order": ("sales_order_id",),
    "location": ("return_location_id",),
}
ROW_NAMES: dict[str, tuple[str, ...]] = {"variant": (f"{ROWS}[].variant_id",)}


class SalesReturnLine(Answer):
    """A row of a sales return."""

    sales_return_row_id: int | None = None
    sales_order_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    quantity: Number | None = None
    net_price_per_unit: Number | None = None
    currency: str | None = None


class SalesReturnSummary(Answer):
    """A sales return without its rows."""

    sales_return_id: int | None = None
    order_no: str | None = None
    """Of the return."""
    status: str | None = None
    sales_order_id: int | None = None
    sales_order_no: str | None = None
    customer_id: int | None = None
    customer: str | None = None
    return_location_id: int | None = None
    return_location: str | None = None
    order_created_date: str | None = None
    return_date: str | None = None
    refund_status: str | None = None
    deleted_at: str | None = None
    url: str | None = None
    """Of its sales order."""


class SalesReturnWithRows(SalesReturnSummary):
    """A sales return, with its rows where they were asked for."""

    rows: list[SalesReturnLine] | None = None


HEADER_READS = frozenset({"id", "sales_order_id"})
"""What `header` reads of a record besides what a row of the list has under the same name."""


def header(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return what a return's record does not say of itself; Katana shows it on the page of its sales order."""
    record = stored.record
    order_id = get_int(record, "sales_order_id")
    return {
        "sales_return_id": get_int(record, "id"),
        "sales_order_no": text(names.record("sales_order", order_id) or EMPTY, "order_no"),
        "customer": names.name("customer", record.get("customer_id")),
        "return_location": names.name("location", record.get("return_location_id")),
        "url": None if order_id is None else services.url(f"/salesorder/{order_id}"),
    }


def with_rows(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return the same, and the return's rows with SKU and name."""
    parts = names.parts.get(("sales_return", stored.id), [])
    lines = [row_answer(SalesReturnLine, row, stored, names) for row in parts if not is_set(row, "deleted_at")]
    return header(stored, names, services) | {"rows": lines}


def row_answer[L: SalesReturnLine](model: type[L], row: Record, header: Stored, names: Names, **own: object) -> L:
    """Return a row of a return in this shape, with SKU, name and currency."""
    currency = text(header.record, "currency")
    return line(model, row, names, sales_return_row_id=get_int(row, "id"), currency=currency, **own)
