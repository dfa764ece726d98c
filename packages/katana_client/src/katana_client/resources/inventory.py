"""Stock per variant and location; read-only, no ids, no delta (facts 3.7)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import ARCHIVED, Filters
from katana_client.models.inventory import Inventory
from katana_client.resource import Resource


class InventoryLevels(Resource[Inventory, Never, Never]):
    """`/inventory`, keyed by variant and location."""

    spec = Spec(
        name="inventory",
        model=Inventory,
        key=("variant_id", "location_id"),
        filters=Filters(single=(*ARCHIVED, "location_id"), repeated=("variant_id", "extend")),
    )
