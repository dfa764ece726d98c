"""Locations: where stock lies, is made, bought and sold.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.locations import LOCATION
from cache_typed.columns import moment
from cache_typed.documents import Document, Part, flag, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping


class Location(Document, table=True):
    """A place with stock. The filter for `purchase_allowed` is spelled `purchases_allowed`."""

    _fts_columns: ClassVar[Searchable] = LOCATION.searchable

    id: int = identity()
    name: str | None = text()
    legal_name: str | None = text(index=True)
    address_id: int | None = whole(index=True)
    is_primary: bool | None = flag(index=True)
    sales_allowed: bool | None = flag(index=True)
    purchase_allowed: bool | None = flag(index=True)
    manufacturing_allowed: bool | None = flag(index=True)
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_address: int | None = whole()


class LocationAddress(Part, table=True):
    """Where a location is."""

    __table_args__ = part_of("location.id")

    id: int | None = whole()
    city: str | None = text()
    country: str | None = text()
    line_1: str | None = text()
    line_2: str | None = text()
    state: str | None = text()
    zip: str | None = text()


LOCATION_TABLE = TableMapping(
    LOCATION,
    Location,
    (PartMapping("address", LocationAddress, single=True),),
    guesses=frozenset(Capability),
)
