"""The stock ledger, ordered by business date; read-only (facts 3.7, 4.12)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import DATES, Filters
from katana_client.resource import Resource
from katana_client.wire import Amount, Moment, ReadModel


class InventoryMovement(ReadModel):
    """A movement: its row (`resource_type`, `resource_id`), its document (`caused_by_…`) and what it left behind.

    A back-dated movement changes the balances of all later ones; `rank` orders those of one date.
    """

    id: int | None = None
    variant_id: int | None = None
    location_id: int | None = None
    resource_type: str | None = None
    resource_id: int | None = None
    caused_by_order_no: str | None = None
    caused_by_resource_id: int | None = None
    movement_date: Moment = None
    quantity_change: Amount = None
    balance_after: Amount = None
    value_per_unit: Amount = None
    value_in_stock_after: Amount = None
    average_cost_after: Amount = None
    rank: int | None = None
    created_at: Moment = None
    updated_at: Moment = None


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
