"""Additional costs: Katana's presets; read-only (facts 3.3)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.resource import Resource
from katana_client.wire import Moment, ReadModel


class AdditionalCost(ReadModel):
    """A kind of cost that a purchase order can carry."""

    id: int | None = None
    name: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class AdditionalCosts(Resource[AdditionalCost, Never, Never]):
    """`/additional_costs`; `get` goes through the listing."""

    spec = Spec(
        name="additional_costs",
        model=AdditionalCost,
        gets="ids",
        filters=Filters(single=(*DATES, *DELETED, "name"), repeated=("ids",)),
    )
