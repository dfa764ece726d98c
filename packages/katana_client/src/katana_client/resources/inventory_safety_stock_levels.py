"""Safety stock levels: set per variant and location, read in `inventory` (facts 3.7)."""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.bodies.inventory_safety_stock_levels import InventorySafetyStockLevelCreateBody
from katana_client.collection import spec_of
from katana_client.models.inventory_safety_stock_levels import InventorySafetyStockLevel
from katana_client.resource import Resource


class InventorySafetyStockLevelCreate(InventorySafetyStockLevelCreateBody):
    """Sets or replaces a safety stock level."""

    value: Annotated[Decimal, Field(le=Decimal(10) ** 17)]


class InventorySafetyStockLevels(Resource[InventorySafetyStockLevel, InventorySafetyStockLevelCreate, Never]):
    """`/inventory_safety_stock_levels`."""

    spec = replace(
        spec_of("inventory_safety_stock_levels", InventorySafetyStockLevel, InventorySafetyStockLevelCreate),
        key=("variant_id", "location_id"),
    )
