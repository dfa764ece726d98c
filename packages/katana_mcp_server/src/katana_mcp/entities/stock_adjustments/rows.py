"""How a stock adjustment looks in searches and lists."""

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.names import Names, text
from katana_mcp.services import Services
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.values import number, rows, whole

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


def summary(stored: Stored, names: Names, services: Services) -> StockAdjustmentSummary:
    """Return an adjustment without its rows."""
    return StockAdjustmentSummary.model_validate(header(stored, names, services))


def with_rows(stored: Stored, names: Names, services: Services) -> StockAdjustmentWithRows:
    """Return an adjustment with its rows."""
    return StockAdjustmentWithRows.model_validate(
        header(stored, names, services) | {"rows": lines(stored.record, names)}
    )


def header(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return the keys of `StockAdjustmentSummary`."""
    record = stored.record
    texts: dict[str, object] = {name: text(record, name) for name in _TEXTS}
    return texts | {
        "stock_adjustment_id": whole(record, "id"),
        "location_id": whole(record, "location_id"),
        "location": names.name("location", record.get("location_id")),
        "row_count": len(rows(record, "stock_adjustment_rows")),
        "url": services.url(f"/stockadjustment/{stored.id}"),
    }


_TEXTS = ("stock_adjustment_number", "stock_adjustment_date", "reason", "deleted_at")


def lines(record: Record, names: Names) -> list[StockAdjustmentLine]:
    """Return the adjustment's rows as sent, with SKU and name."""
    return [
        StockAdjustmentLine(
            stock_adjustment_row_id=whole(row, "id"),
            variant_id=whole(row, "variant_id"),
            sku=names.sku(row.get("variant_id")),
            name=names.variant(row.get("variant_id")),
            quantity=number(row, "quantity"),
        )
        for row in rows(record, "stock_adjustment_rows")
    ]
