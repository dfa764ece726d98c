"""Locations; read-only (facts 3.3).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.locations import Location
from katana_client.resource import Resource


class Locations(Resource[Location, Never, Never]):
    """`/locations`."""

    spec = Spec(
        name="locations",
        model=Location,
        gets="path",
        filters=Filters(
            single=(
                "is_primary",
                "name",
                "legal_name",
                "address_id",
                "sales_allowed",
                "manufacturing_allowed",
                "purchases_allowed",
                "rank",
                "include_deleted",
                "created_at_min",
                "created_at_max",
                "updated_at_min",
                "updated_at_max",
            ),
            repeated=("ids",),
        ),
    )
