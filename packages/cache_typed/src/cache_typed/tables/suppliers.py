"""Suppliers: who the factory buys from, with their address.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.suppliers import SUPPLIER
from cache_typed.columns import moment
from cache_typed.documents import Document, Part, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping


class Supplier(Document, table=True):
    """A supplier; `currency` is an ISO 4217 code."""

    _fts_columns: ClassVar[Searchable] = SUPPLIER.searchable

    id: int = identity()
    name: str | None = text()
    email: str | None = text(index=True)
    phone: str | None = text(index=True)
    currency: str | None = text(index=True)
    comment: str | None = text()
    default_address_id: int | None = whole()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_addresses: int | None = whole()


class SupplierAddress(Part, table=True):
    """The address of a supplier."""

    __table_args__ = part_of("supplier.id")

    id: int | None = whole(index=True)
    supplier_id: int | None = whole()
    line_1: str | None = text()
    line_2: str | None = text()
    city: str | None = text(index=True)
    state: str | None = text()
    zip: str | None = text(index=True)
    country: str | None = text(index=True)
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


SUPPLIER_TABLE = TableMapping(
    SUPPLIER,
    Supplier,
    (PartMapping("addresses", SupplierAddress),),
    guesses=frozenset(Capability),
)
