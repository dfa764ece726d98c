"""How long stock lasts, by variant.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.inventory_signals import InventorySignal
from katana_client.resource import Resource


class InventorySignals(Resource[InventorySignal, Never, Never]):
    """`/inventory_signals`."""

    spec = spec_of("inventory_signals", InventorySignal, key=("variant_id",))
