"""Inventory safety stock levels as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class InventorySafetyStockLevel(ReadModel):
    """A safety stock level."""

    location_id: int | None = None
    variant_id: int | None = None
    value: Amount = None
    created_at: Moment = None
    updated_at: Moment = None
