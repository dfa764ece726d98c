"""Additional costs: Katana's presets; read-only (facts 3.3)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.additional_costs import AdditionalCost
from katana_client.resource import Resource


class AdditionalCosts(Resource[AdditionalCost, Never, Never]):
    """`/additional_costs`; `get` goes through the listing."""

    spec = Spec(
        name="additional_costs",
        model=AdditionalCost,
        gets="ids",
        filters=Filters(single=(*DATES, *DELETED, "name"), repeated=("ids",)),
    )
