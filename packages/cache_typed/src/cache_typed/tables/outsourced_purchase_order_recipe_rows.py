"""Ingredients of outsourced purchase orders.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.outsourced_purchase_order_recipe_rows import OUTSOURCED_PURCHASE_ORDER_RECIPE_ROW
from cache_typed.columns import moment, nested, number
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class OutsourcedPurchaseOrderRecipeRow(Document, table=True):
    """An ingredient; a creation is answered without cost and availability."""

    _fts_columns: ClassVar[Searchable] = OUTSOURCED_PURCHASE_ORDER_RECIPE_ROW.searchable

    id: int = identity()
    purchase_order_id: int | None = whole(index=True)
    purchase_order_row_id: int | None = whole(index=True)
    ingredient_variant_id: int | None = whole(index=True)
    planned_quantity_per_unit: Decimal | None = number()
    ingredient_availability: str | None = text(index=True)
    ingredient_expected_date: datetime | None = moment(index=True)
    notes: str | None = text()
    batch_transactions: object | None = nested()
    cost: Decimal | None = number()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


OUTSOURCED_PURCHASE_ORDER_RECIPE_ROW_TABLE = TableMapping(
    OUTSOURCED_PURCHASE_ORDER_RECIPE_ROW,
    OutsourcedPurchaseOrderRecipeRow,
)
