"""Additional cost rows of purchase orders, found by the group of the order.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.purchase_order_additional_cost_rows import PURCHASE_ORDER_ADDITIONAL_COST_ROW
from cache_typed.columns import moment, number
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class PurchaseOrderAdditionalCostRow(Document, table=True):
    """A cost of the rows of a group (`PurchaseOrder.default_group_id`); `name` is that of the kind of cost."""

    _fts_columns: ClassVar[Searchable] = PURCHASE_ORDER_ADDITIONAL_COST_ROW.searchable

    id: int = identity()
    additional_cost_id: int | None = whole(index=True)
    group_id: int | None = whole(index=True)
    name: str | None = text()
    reference: str | None = text()
    distribution_method: str | None = text(index=True)
    tax_rate_id: int | None = whole(index=True)
    tax_rate: Decimal | None = number()
    price: Decimal | None = number()
    price_in_base: Decimal | None = number()
    currency: str | None = text(index=True)
    currency_conversion_rate: Decimal | None = number()
    currency_conversion_rate_fix_date: datetime | None = moment()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


PURCHASE_ORDER_ADDITIONAL_COST_ROW_TABLE = TableMapping(
    PURCHASE_ORDER_ADDITIONAL_COST_ROW,
    PurchaseOrderAdditionalCostRow,
)
