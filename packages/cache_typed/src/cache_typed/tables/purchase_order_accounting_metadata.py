"""Bills of purchase orders, one per group of received rows.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.purchase_order_accounting_metadata import PURCHASE_ORDER_ACCOUNTING_METADATA
from cache_typed.columns import moment
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class PurchaseOrderAccountingMetadata(Document, table=True):
    """The bill of a group of received rows."""

    _fts_columns: ClassVar[Searchable] = PURCHASE_ORDER_ACCOUNTING_METADATA.searchable

    id: int = identity()
    purchase_order_id: int | None = whole(index=True)
    received_items_group_id: int | None = whole(index=True)
    integration_type: str | None = text()
    bill_id: str | None = text(index=True)
    created_at: datetime | None = moment(index=True)


PURCHASE_ORDER_ACCOUNTING_METADATA_TABLE = TableMapping(
    PURCHASE_ORDER_ACCOUNTING_METADATA,
    PurchaseOrderAccountingMetadata,
)
