"""Ingredients of manufacturing orders.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.manufacturing_order_recipe_rows import MANUFACTURING_ORDER_RECIPE_ROW
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class ManufacturingOrderRecipeRow(Document, table=True):
    """An ingredient; `cost` is planned while the order is open."""

    _fts_columns: ClassVar[Searchable] = MANUFACTURING_ORDER_RECIPE_ROW.searchable

    id: int = identity()
    manufacturing_order_id: int | None = whole(index=True)
    variant_id: int | None = whole(index=True)
    notes: str | None = text()
    planned_quantity_per_unit: Decimal | None = number()
    total_actual_quantity: Decimal | None = number()
    ingredient_availability: str | None = text(index=True)
    ingredient_expected_date: datetime | None = moment(index=True)
    batch_transactions: object | None = nested()
    cost: Decimal | None = number()
    total_consumed_quantity: Decimal | None = number()
    total_remaining_quantity: Decimal | None = number()
    total_remaining_quantity_order: str | None = order_of("total_remaining_quantity")
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


MANUFACTURING_ORDER_RECIPE_ROW_TABLE = TableMapping(
    MANUFACTURING_ORDER_RECIPE_ROW,
    ManufacturingOrderRecipeRow,
)
