"""Stock by bin, batch and serial number.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.bin_inventory import BinInventory
from katana_client.resource import Resource


class BinInventories(Resource[BinInventory, Never, Never]):
    """`/bin_inventory`."""

    spec = spec_of("bin_inventory", BinInventory, key=("location_id", "variant_id"))
