"""Locations; read-only (facts 3.3)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.resource import Resource
from katana_client.resources.addresses import Place
from katana_client.wire import Moment, ReadModel


class LocationAddress(Place):
    """Where a location is."""

    id: int | None = None


class Location(ReadModel):
    """A place with stock. The filter for `purchase_allowed` is spelled `purchases_allowed`."""

    id: int | None = None
    name: str | None = None
    legal_name: str | None = None
    address_id: int | None = None
    address: LocationAddress | None = None
    is_primary: bool | None = None
    sales_allowed: bool | None = None
    purchase_allowed: bool | None = None
    manufacturing_allowed: bool | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


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
