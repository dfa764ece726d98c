"""The stock ledger, ordered by business date (facts 3.7, 4.12).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.inventory_movements import InventoryMovement
from katana_client.resource import Resource


class InventoryMovements(Resource[InventoryMovement, Never, Never]):
    """`/inventory_movements`."""

    spec = spec_of("inventory_movements", InventoryMovement)
