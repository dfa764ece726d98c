"""Customers: who the factory sells to, with their addresses."""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.customers import CUSTOMER
from cache_typed.columns import moment, number
from cache_typed.documents import Document, flag, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping
from cache_typed.tables.addresses import PartnerAddress


class Customer(Document, table=True):
    """A customer."""

    _fts_columns: ClassVar[Searchable] = CUSTOMER.searchable

    id: int = identity()
    name: str | None = text()
    first_name: str | None = text(index=True)
    last_name: str | None = text(index=True)
    company: str | None = text(index=True)
    email: str | None = text(index=True)
    phone: str | None = text(index=True)
    comment: str | None = text()
    currency: str | None = text(index=True)
    reference_id: str | None = text(index=True)
    category: str | None = text(index=True)
    discount_rate: Decimal | None = number()
    default_billing_id: int | None = whole()
    default_shipping_id: int | None = whole()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_addresses: int | None = whole()


class CustomerAddress(PartnerAddress, table=True):
    """A billing or shipping address of a customer."""

    __table_args__ = part_of("customer.id")

    customer_id: int | None = whole()
    entity_type: str | None = text()
    default: bool | None = flag()
    first_name: str | None = text()
    last_name: str | None = text()
    company: str | None = text()
    phone: str | None = text()


CUSTOMER_TABLE = TableMapping(CUSTOMER, Customer, (PartMapping("addresses", CustomerAddress),), frozenset(Capability))
