"""Kinds of costs of purchase orders: Katana's presets.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.additional_costs import AdditionalCost
from katana_client.resource import Resource


class AdditionalCosts(Resource[AdditionalCost, Never, Never]):
    """`/additional_costs`."""

    spec = Spec(
        name="additional_costs",
        model=AdditionalCost,
        gets="ids",
        filters=Filters(
            single=(
                "created_at_min",
                "created_at_max",
                "updated_at_min",
                "updated_at_max",
                "name",
                "include_deleted",
            ),
            repeated=("ids",),
        ),
    )
