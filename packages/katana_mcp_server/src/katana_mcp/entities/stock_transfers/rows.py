"""How a stock transfer looks in searches and lists."""

from datetime import datetime
from functools import lru_cache

from cache_core.conditions import Below, NoneOf, Where, hold
from cache_core.protocol import Stored
from cache_core.records import iso
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.rows import with_lines
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_int, rows

PLACES: dict[str, tuple[str, ...]] = {"location": ("source_location_id", "target_location_id")}
ROW_VARIANTS: dict[str, tuple[str, ...]] = {"variant": ("stock_transfer_rows[].variant_id",)}


class StockTransferLine(Answer):
    """A row of a stock transfer."""

    stock_transfer_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    quantity: Number | None = None


class StockTransferSummary(Answer):
    """A stock transfer without its rows."""

    stock_transfer_id: int | None = None
    stock_transfer_number: str | None = None
    status: str | None = None
    source_location_id: int | None = None
    source_location: str | None = None
    target_location_id: int | None = None
    target_location: str | None = None
    order_created_date: str | None = None
    transfer_date: str | None = None
    expected_arrival_date: str | None = None
    overdue: bool | None = None
    row_count: int = 0
    deleted_at: str | None = None
    url: str | None = None


class StockTransferWithRows(StockTransferSummary):
    """A stock transfer, with its rows where they were asked for."""

    rows: list[StockTransferLine] | None = None


HEADER_READS = frozenset({"id", "stock_transfer_rows[].id"})
"""What `header` reads of a record besides what a row of the list has under the same name."""


def header(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return what a transfer's record does not say of itself."""
    record = stored.record
    return {
        "stock_transfer_id": get_int(record, "id"),
        "source_location": names.name("location", record.get("source_location_id")),
        "target_location": names.name("location", record.get("target_location_id")),
        "overdue": hold(overdue(services.today()), record) or None,
        "row_count": len(rows(record, "stock_transfer_rows")),
        "url": services.url(f"/stocktransfer/{stored.id}"),
    }


with_rows = with_lines(header, StockTransferLine, "stock_transfer")
"""How a transfer is shown with its rows, their SKUs and names."""


@lru_cache(maxsize=8)
def overdue(today: datetime) -> Where:
    """Not received, and its arrival date has passed; a draft cannot be late."""
    return (NoneOf("status", ("received", "draft")), Below("expected_arrival_date", iso(today)))
