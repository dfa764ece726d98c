"""How a stock adjustment looks in searches and lists."""

from cache_core.protocol import Stored
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.rows import with_lines
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_int, rows

PLACES: dict[str, tuple[str, ...]] = {"location": ("location_id",)}
ROW_VARIANTS: dict[str, tuple[str, ...]] = {"variant": ("stock_adjustment_rows[].variant_id",)}


class StockAdjustmentLine(Answer):
    """A row of a stock adjustment."""

    stock_adjustment_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    quantity: Number | None = None
    """Negative where stock was taken away."""


class StockAdjustmentSummary(Answer):
    """A stock adjustment without its rows."""

    stock_adjustment_id: int | None = None
    stock_adjustment_number: str | None = None
    location_id: int | None = None
    location: str | None = None
    stock_adjustment_date: str | None = None
    reason: str | None = None
    row_count: int = 0
    deleted_at: str | None = None
    url: str | None = None


class StockAdjustmentWithRows(StockAdjustmentSummary):
    """A stock adjustment, with its rows where they were asked for."""

    rows: list[StockAdjustmentLine] | None = None


HEADER_READS = frozenset({"id", "stock_adjustment_rows[].id"})
"""What `header` reads of a record besides what a row of the list has under the same name."""


def header(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return what an adjustment's record does not say of itself."""
    record = stored.record
    return {
        "stock_adjustment_id": get_int(record, "id"),
        "location": names.name("location", record.get("location_id")),
        "row_count": len(rows(record, "stock_adjustment_rows")),
        "url": services.url(f"/stockadjustment/{stored.id}"),
    }


with_rows = with_lines(header, StockAdjustmentLine, "stock_adjustment")
"""How an adjustment is shown with its rows, their SKUs and names."""
