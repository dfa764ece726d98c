"""The stock ledger, ordered by business date (facts 3.7, 4.12).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.inventory_movements import InventoryMovement
from katana_client.resource import Resource


class InventoryMovements(Resource[InventoryMovement, Never, Never]):
    """`/inventory_movements`."""

    spec = Spec(
        name="inventory_movements",
        model=InventoryMovement,
        gets="ids",
        filters=Filters(
            single=(
                "location_id",
                "resource_type",
                "resource_id",
                "caused_by_order_no",
                "caused_by_resource_id",
                "created_at_min",
                "created_at_max",
                "updated_at_min",
                "updated_at_max",
            ),
            repeated=(
                "ids",
                "variant_ids",
            ),
        ),
    )
