"""Inventory movements as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class InventoryMovement(ReadModel):
    """A movement: its row (`resource_type`, `resource_id`), its document (`caused_by_…`) and what it left behind.

    A back-dated movement changes the balances of all later ones; `rank` orders those of one date.
    """

    id: int | None = None
    variant_id: int | None = None
    location_id: int | None = None
    resource_type: str | None = None
    resource_id: int | None = None
    caused_by_order_no: str | None = None
    caused_by_resource_id: int | None = None
    movement_date: Moment = None
    quantity_change: Amount = None
    balance_after: Amount = None
    value_per_unit: Amount = None
    value_in_stock_after: Amount = None
    average_cost_after: Amount = None
    rank: int | None = None
    created_at: Moment = None
    updated_at: Moment = None
