"""Rows of sales returns; nothing of them is searched.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal

from cache_core.specs.sales_return_rows import SALES_RETURN_ROW
from cache_typed.columns import moment, nested, number
from cache_typed.documents import Document, identity, whole
from cache_typed.mapping import TableMapping


class SalesReturnRow(Document, table=True):
    """How much of a variant comes back."""

    id: int = identity()
    sales_return_id: int | None = whole(index=True)
    variant_id: int | None = whole(index=True)
    fulfillment_row_id: int | None = whole()
    sales_order_row_id: int | None = whole()
    quantity: Decimal | None = number()
    net_price_per_unit: Decimal | None = number()
    reason_id: int | None = whole()
    restock_location_id: int | None = whole()
    batch_transactions: object | None = nested()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()


SALES_RETURN_ROW_TABLE = TableMapping(
    SALES_RETURN_ROW,
    SalesReturnRow,
)
