"""Inventory as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.variant_bin_locations import VariantBinLocation
from katana_client.wire import Amount, Linked, Moment, ReadModel


class Inventory(ReadModel):
    """Stock of a variant at a location. `quantity_potential` is what its components allow to build.

    `variant` and `location` come with `extend` only.
    """

    variant_id: int | None = None
    location_id: int | None = None
    safety_stock_level: Amount = None
    reorder_point: Amount = None
    average_cost: Amount = None
    value_in_stock: Amount = None
    quantity_in_stock: Amount = None
    quantity_committed: Amount = None
    quantity_expected: Amount = None
    quantity_missing_or_excess: Amount = None
    quantity_potential: Amount = None
    variant: Linked = None
    location: Linked = None
    default_storage_bin: VariantBinLocation | None = None
    archived_at: Moment = None
