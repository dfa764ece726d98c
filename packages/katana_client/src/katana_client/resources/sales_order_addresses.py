"""Addresses of sales orders (facts 3.5).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Literal

from katana_client.collection import spec_of
from katana_client.models.sales_order_addresses import SalesOrderAddress
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


class SalesOrderAddressCreate(WriteModel):
    """`CreateSalesOrderAddressRequest` of the facts."""

    sales_order_id: Ref
    entity_type: Literal["billing", "shipping"]
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    phone: str | None = None


class SalesOrderAddressUpdate(WriteModel):
    """A change of an address; its type never changes."""

    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    phone: str | None = None


class SalesOrderAddresses(Resource[SalesOrderAddress, SalesOrderAddressCreate, SalesOrderAddressUpdate]):
    """`/sales_order_addresses`."""

    spec = spec_of(
        "sales_order_addresses", SalesOrderAddress, create=SalesOrderAddressCreate, update=SalesOrderAddressUpdate
    )
