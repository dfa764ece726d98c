"""Stock per variant and location; read-only, no ids, no delta (facts 3.7)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import ARCHIVED, Filters
from katana_client.resource import Resource
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
    default_storage_bin: Linked = None
    archived_at: Moment = None


class InventoryLevels(Resource[Inventory, Never, Never]):
    """`/inventory`, keyed by variant and location."""

    spec = Spec(
        name="inventory",
        model=Inventory,
        key=("variant_id", "location_id"),
        filters=Filters(single=(*ARCHIVED, "location_id"), repeated=("variant_id", "extend")),
    )
