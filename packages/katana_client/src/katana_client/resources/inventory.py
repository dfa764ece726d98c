"""Stock per variant and location; no ids, no delta (facts 3.7).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.inventory import Inventory
from katana_client.resource import Resource


class InventoryLevels(Resource[Inventory, Never, Never]):
    """`/inventory`."""

    spec = spec_of("inventory", Inventory, key=("variant_id", "location_id"))
