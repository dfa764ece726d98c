"""Suppliers: who the factory buys from, with their address."""

from datetime import datetime
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.suppliers import SUPPLIER
from cache_typed.columns import moment
from cache_typed.documents import Document, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping
from cache_typed.tables.addresses import PartnerAddress


class Supplier(Document, table=True):
    """A supplier."""

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


class SupplierAddress(PartnerAddress, table=True):
    """An address of a supplier."""

    __table_args__ = part_of("supplier.id")

    supplier_id: int | None = whole()


SUPPLIER_TABLE = TableMapping(SUPPLIER, Supplier, (PartMapping("addresses", SupplierAddress),), frozenset(Capability))
