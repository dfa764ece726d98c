"""Reorder points: set per variant and location, read in `inventory` (facts 3.7).

Katana prefers safety stock levels.
"""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.bodies.inventory_reorder_points import InventoryReorderPointCreateBody
from katana_client.collection import spec_of
from katana_client.models.inventory_reorder_points import InventoryReorderPoint
from katana_client.resource import Resource


class InventoryReorderPointCreate(InventoryReorderPointCreateBody):
    """Sets or replaces a reorder point."""

    value: Annotated[Decimal, Field(le=Decimal(10) ** 17)]


class InventoryReorderPoints(Resource[InventoryReorderPoint, InventoryReorderPointCreate, Never]):
    """`/inventory_reorder_points`."""

    spec = replace(
        spec_of("inventory_reorder_points", InventoryReorderPoint, InventoryReorderPointCreate),
        key=("variant_id", "location_id"),
    )
