"""Stock by bin, batch and serial number.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.bin_inventory import BinInventory
from katana_client.resource import Resource


class BinInventories(Resource[BinInventory, Never, Never]):
    """`/bin_inventory`."""

    spec = Spec(
        name="bin_inventory",
        model=BinInventory,
        key=(
            "location_id",
            "variant_id",
            "bin_location_id",
            "batch_id",
            "serial_number_id",
        ),
        filters=Filters(
            single=(
                "granularity",
                "location_id",
                "variant_id",
                "bin_location_id",
                "batch_id",
                "serial_number_id",
            )
        ),
    )
