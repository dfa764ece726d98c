"""Stock adjustments: the adjustment and its rows.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.stock_adjustments import STOCK_ADJUSTMENT
from cache_typed.columns import moment, nested, number
from cache_typed.documents import Document, Part, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping


class StockAdjustment(Document, table=True):
    """An adjustment; quantities are signed."""

    _fts_columns: ClassVar[Searchable] = STOCK_ADJUSTMENT.searchable

    id: int = identity()
    stock_adjustment_number: str | None = text()
    stock_adjustment_date: datetime | None = moment(index=True)
    location_id: int | None = whole(index=True)
    reason: str | None = text(index=True)
    additional_info: str | None = text()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_stock_adjustment_rows: int | None = whole()


class StockAdjustmentRow(Part, table=True):
    """A row; it does not name its adjustment."""

    __table_args__ = part_of("stock_adjustment.id")

    id: int | None = whole(index=True)
    variant_id: int | None = whole(index=True)
    quantity: Decimal | None = number()
    cost_per_unit: Decimal | None = number()
    batch_transactions: object | None = nested()
    traceability: object | None = nested()
    deleted_at: datetime | None = moment()


STOCK_ADJUSTMENT_TABLE = TableMapping(
    STOCK_ADJUSTMENT,
    StockAdjustment,
    (PartMapping("stock_adjustment_rows", StockAdjustmentRow),),
)
