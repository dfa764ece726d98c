"""Fields of bodies of `inventory_safety_stock_levels` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Ref, WriteModel


class InventorySafetyStockLevelCreateBody(WriteModel):
    """What `CreateInventorySafetyStockLevelRequest` has of the facts alone."""

    variant_id: Ref
    location_id: Ref
