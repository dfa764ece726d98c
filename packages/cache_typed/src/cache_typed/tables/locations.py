"""Locations: where stock lies, is made, bought and sold."""

from datetime import datetime
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.locations import LOCATION
from cache_typed.columns import moment
from cache_typed.documents import Document, flag, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping
from cache_typed.tables.addresses import Address


class Location(Document, table=True):
    """A location."""

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


class LocationAddress(Address, table=True):
    """The address of a location."""

    __table_args__ = part_of("location.id")


LOCATION_TABLE = TableMapping(
    LOCATION, Location, (PartMapping("address", LocationAddress, single=True),), frozenset(Capability)
)
