"""Stock transfers between locations: the transfer and its rows.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.stock_transfers import STOCK_TRANSFER
from cache_typed.columns import moment, nested, number
from cache_typed.documents import Document, Part, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping


class StockTransfer(Document, table=True):
    """A transfer; `status` is `draft`, `inTransit` or `received`."""

    _fts_columns: ClassVar[Searchable] = STOCK_TRANSFER.searchable

    id: int = identity()
    stock_transfer_number: str | None = text()
    source_location_id: int | None = whole(index=True)
    target_location_id: int | None = whole(index=True)
    status: str | None = text(index=True)
    transfer_date: datetime | None = moment(index=True)
    order_created_date: datetime | None = moment(index=True)
    expected_arrival_date: datetime | None = moment(index=True)
    additional_info: str | None = text()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_stock_transfer_rows: int | None = whole()


class StockTransferRow(Part, table=True):
    """A row; it does not name its transfer."""

    __table_args__ = part_of("stock_transfer.id")

    id: int | None = whole(index=True)
    variant_id: int | None = whole(index=True)
    quantity: Decimal | None = number()
    cost_per_unit: Decimal | None = number()
    batch_transactions: object | None = nested()
    traceability: object | None = nested()
    deleted_at: datetime | None = moment()


STOCK_TRANSFER_TABLE = TableMapping(
    STOCK_TRANSFER,
    StockTransfer,
    (PartMapping("stock_transfer_rows", StockTransferRow),),
)
