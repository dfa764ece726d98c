"""Stock per variant and location; no ids, no delta (facts 3.7).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.inventory import Inventory
from katana_client.resource import Resource


class InventoryLevels(Resource[Inventory, Never, Never]):
    """`/inventory`."""

    spec = Spec(
        name="inventory",
        model=Inventory,
        key=(
            "variant_id",
            "location_id",
        ),
        filters=Filters(
            single=(
                "location_id",
                "include_archived",
            ),
            repeated=(
                "variant_id",
                "extend",
            ),
        ),
    )
