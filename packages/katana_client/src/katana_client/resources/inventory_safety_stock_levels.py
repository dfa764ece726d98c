"""Safety stock levels: set per variant and location, read in `inventory` (facts 3.7).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Never

from pydantic import Field

from katana_client.collection import spec_of
from katana_client.models.inventory_safety_stock_levels import InventorySafetyStockLevel
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


class InventorySafetyStockLevelCreate(WriteModel):
    """Sets or replaces a safety stock level."""

    variant_id: Ref
    location_id: Ref
    value: Annotated[Decimal, Field(le=Decimal("1e+17"))]


class InventorySafetyStockLevels(Resource[InventorySafetyStockLevel, InventorySafetyStockLevelCreate, Never]):
    """`/inventory_safety_stock_levels`."""

    spec = spec_of(
        "inventory_safety_stock_levels",
        InventorySafetyStockLevel,
        create=InventorySafetyStockLevelCreate,
        key=("variant_id", "location_id"),
    )
