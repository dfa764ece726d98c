"""Reorder points: set per variant and location, read in `inventory` (facts 3.7). Katana prefers safety stock levels.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.collection import spec_of
from katana_client.models.inventory_reorder_points import InventoryReorderPoint
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


class InventoryReorderPointCreate(WriteModel):
    """Sets or replaces a reorder point."""

    variant_id: Ref
    location_id: Ref
    value: Annotated[Decimal, Field(le=Decimal("1e+17"))]


class InventoryReorderPoints(Resource[InventoryReorderPoint, InventoryReorderPointCreate, Never]):
    """`/inventory_reorder_points`."""

    spec = spec_of(
        "inventory_reorder_points",
        InventoryReorderPoint,
        create=InventoryReorderPointCreate,
        key=("variant_id", "location_id"),
    )
