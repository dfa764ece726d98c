"""How a stocktake looks in lists."""

from cache_core.protocol import Stored
from cache_core.records import is_set
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.surface.operations.rows import line
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import get_int

ROWS = "stocktake_row"
PLACES: dict[str, tuple[str, ...]] = {"location": ("location_id",)}
ROW_NAMES: dict[str, tuple[str, ...]] = {"variant": (f"{ROWS}[].variant_id",)}


class StocktakeLine(Answer):
    """A row of a stocktake; the discrepancy is what was counted less what was there."""

    stocktake_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    batch_id: int | None = None
    bin_location_id: int | None = None
    in_stock_quantity: Number | None = None
    counted_quantity: Number | None = None
    discrepancy_quantity: Number | None = None
    notes: str | None = None


class StocktakeSummary(Answer):
    """A stocktake without its rows."""

    stocktake_id: int | None = None
    stocktake_number: str | None = None
    status: str | None = None
    location_id: int | None = None
    location: str | None = None
    stocktake_created_date: str | None = None
    started_date: str | None = None
    completed_date: str | None = None
    reason: str | None = None
    stock_adjustment_id: int | None = None
    """What corrected the stock, once it is completed."""
    deleted_at: str | None = None


class StocktakeWithRows(StocktakeSummary):
    """A stocktake, with its rows where they were asked for."""

    rows: list[StocktakeLine] | None = None


HEADER_READS = frozenset({"id"})
"""What `header` reads of a record besides what a row of the list has under the same name."""


def header(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return what a stocktake's record does not say of itself."""
    del services
    return {
        "stocktake_id": get_int(stored.record, "id"),
        "location": names.name("location", stored.record.get("location_id")),
    }


def with_rows(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return the same, and the stocktake's rows with SKU and name."""
    parts = names.parts.get(("stocktake", stored.id), [])
    lines = [
        line(StocktakeLine, row, names, stocktake_row_id=get_int(row, "id"))
        for row in parts
        if not is_set(row, "deleted_at")
    ]
    return header(stored, names, services) | {"rows": lines}
