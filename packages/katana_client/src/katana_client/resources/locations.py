"""Locations; read-only (facts 3.3)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
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
                *DATES,
                *DELETED,
                "name",
                "legal_name",
                "address_id",
                "is_primary",
                "sales_allowed",
                "manufacturing_allowed",
                "purchases_allowed",
                "rank",
            ),
            repeated=("ids",),
        ),
    )
