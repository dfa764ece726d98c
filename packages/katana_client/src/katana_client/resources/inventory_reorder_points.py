"""Reorder points: set per variant and location, read in `inventory` (facts 3.7).

Katana prefers safety stock levels.
"""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.collection import Spec
from katana_client.models.inventory_reorder_points import InventoryReorderPoint
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


class InventoryReorderPointCreate(WriteModel):
    """Sets or replaces a reorder point."""

    location_id: Ref
    variant_id: Ref
    value: Annotated[Decimal, Field(le=Decimal(10) ** 17)]


class InventoryReorderPoints(Resource[InventoryReorderPoint, InventoryReorderPointCreate, Never]):
    """`/inventory_reorder_points`."""

    spec = Spec(
        name="inventory_reorder_points",
        model=InventoryReorderPoint,
        create=InventoryReorderPointCreate,
        lists=False,
        key=("variant_id", "location_id"),
    )
