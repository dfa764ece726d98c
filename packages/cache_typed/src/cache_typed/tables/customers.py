"""Customers: who the factory sells to, with their addresses.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.customers import CUSTOMER
from cache_typed.columns import moment, number
from cache_typed.documents import Document, Part, flag, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping


class Customer(Document, table=True):
    """A customer; `discount_rate` in percent."""

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


class CustomerAddress(Part, table=True):
    """An address of a customer; the first of each type is the default."""

    __table_args__ = part_of("customer.id")

    id: int | None = whole(index=True)
    customer_id: int | None = whole()
    entity_type: str | None = text()
    default: bool | None = flag()
    first_name: str | None = text()
    last_name: str | None = text()
    company: str | None = text()
    phone: str | None = text()
    line_1: str | None = text()
    line_2: str | None = text()
    city: str | None = text(index=True)
    state: str | None = text()
    zip: str | None = text(index=True)
    country: str | None = text(index=True)
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


CUSTOMER_TABLE = TableMapping(
    CUSTOMER,
    Customer,
    (PartMapping("addresses", CustomerAddress),),
    guesses=frozenset(Capability),
)
