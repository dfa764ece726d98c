"""Rows of stocktakes; nothing of them is searched.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal

from cache_core.specs.stocktake_rows import STOCKTAKE_ROW
from cache_typed.columns import moment, number
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class StocktakeRow(Document, table=True):
    """The count of a variant; `discrepancy_quantity` is what was counted less what was there."""

    id: int = identity()
    stocktake_id: int | None = whole(index=True)
    variant_id: int | None = whole(index=True)
    batch_id: int | None = whole()
    in_stock_quantity: Decimal | None = number()
    counted_quantity: Decimal | None = number()
    discrepancy_quantity: Decimal | None = number()
    notes: str | None = text()
    bin_location_id: int | None = whole()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


STOCKTAKE_ROW_TABLE = TableMapping(
    STOCKTAKE_ROW,
    StocktakeRow,
)
