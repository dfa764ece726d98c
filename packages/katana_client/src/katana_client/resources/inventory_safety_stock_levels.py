"""Safety stock levels: set per variant and location, read in `inventory` (facts 3.7)."""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.collection import Spec
from katana_client.models.inventory_safety_stock_levels import InventorySafetyStockLevel
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


class InventorySafetyStockLevelCreate(WriteModel):
    """Sets or replaces a safety stock level."""

    location_id: Ref
    variant_id: Ref
    value: Annotated[Decimal, Field(le=Decimal(10) ** 17)]


class InventorySafetyStockLevels(Resource[InventorySafetyStockLevel, InventorySafetyStockLevelCreate, Never]):
    """`/inventory_safety_stock_levels`."""

    spec = Spec(
        name="inventory_safety_stock_levels",
        model=InventorySafetyStockLevel,
        create=InventorySafetyStockLevelCreate,
        lists=False,
        key=("variant_id", "location_id"),
    )
