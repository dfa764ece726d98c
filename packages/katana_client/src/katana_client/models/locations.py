"""Locations as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class LocationAddress(ReadModel):
    """Where a location is."""

    id: int | None = None
    city: str | None = None
    country: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    state: str | None = None
    zip: str | None = None


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
