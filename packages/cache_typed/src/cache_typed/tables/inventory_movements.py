"""Inventory movements: the stock ledger, ordered by `movement_date` and `rank`; nothing of it is searched.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal

from cache_core.specs.inventory_movements import INVENTORY_MOVEMENT
from cache_typed.columns import moment, number, order_of
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class InventoryMovement(Document, table=True):
    """A movement: its row (`resource_type`, `resource_id`), its document (`caused_by_…`) and what it left behind."""

    id: int = identity()
    variant_id: int | None = whole(index=True)
    location_id: int | None = whole(index=True)
    resource_type: str | None = text(index=True)
    resource_id: int | None = whole(index=True)
    caused_by_order_no: str | None = text(index=True)
    caused_by_resource_id: int | None = whole(index=True)
    movement_date: datetime | None = moment(index=True)
    quantity_change: Decimal | None = number()
    quantity_change_order: str | None = order_of("quantity_change")
    balance_after: Decimal | None = number()
    balance_after_order: str | None = order_of("balance_after")
    value_per_unit: Decimal | None = number()
    value_in_stock_after: Decimal | None = number()
    average_cost_after: Decimal | None = number()
    rank: int | None = whole()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()


INVENTORY_MOVEMENT_TABLE = TableMapping(
    INVENTORY_MOVEMENT,
    InventoryMovement,
)
