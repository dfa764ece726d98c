"""The stock ledger, ordered by business date; read-only (facts 3.7, 4.12)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import DATES, Filters
from katana_client.models.inventory_movements import InventoryMovement
from katana_client.resource import Resource


class InventoryMovements(Resource[InventoryMovement, Never, Never]):
    """`/inventory_movements`; `get` goes through the listing."""

    spec = Spec(
        name="inventory_movements",
        model=InventoryMovement,
        gets="ids",
        filters=Filters(
            single=(
                *DATES,
                "location_id",
                "resource_type",
                "resource_id",
                "caused_by_order_no",
                "caused_by_resource_id",
            ),
            repeated=("ids", "variant_ids"),
        ),
    )
