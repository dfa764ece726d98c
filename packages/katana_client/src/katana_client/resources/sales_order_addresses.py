"""Addresses of sales orders (facts 3.5)."""

from typing import Literal

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.resource import Resource
from katana_client.wire import Moment, ReadModel, Ref, WriteModel


class SalesOrderAddress(ReadModel):
    """The billing or shipping address of a sales order."""

    id: int | None = None
    sales_order_id: int | None = None
    entity_type: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    phone: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class SalesOrderAddressUpdate(WriteModel):
    """A change of an address; its type never changes."""

    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    phone: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None


class NewSalesOrderAddress(SalesOrderAddressUpdate):
    """An address inside a new sales order."""

    entity_type: Literal["billing", "shipping"]


class SalesOrderAddressCreate(NewSalesOrderAddress):
    """A new address of a sales order."""

    sales_order_id: Ref


class SalesOrderAddresses(Resource[SalesOrderAddress, SalesOrderAddressCreate, SalesOrderAddressUpdate]):
    """`/sales_order_addresses`; `get` goes through the listing."""

    spec = Spec(
        name="sales_order_addresses",
        model=SalesOrderAddress,
        create=SalesOrderAddressCreate,
        update=SalesOrderAddressUpdate,
        deletes=True,
        gets="ids",
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                "entity_type",
                "first_name",
                "last_name",
                "company",
                "line_1",
                "line_2",
                "city",
                "state",
                "zip",
                "country",
                "phone",
            ),
            repeated=("ids", "sales_order_ids"),
        ),
    )
