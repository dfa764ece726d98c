"""Addresses of customers: one billing, many shipping (facts 3.3, 4.2)."""

from typing import Literal

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.resource import Resource
from katana_client.wire import Moment, NonEmpty, ReadModel, Ref, WriteModel


class CustomerAddress(ReadModel):
    """An address of a customer; the first of each type is the default."""

    id: int | None = None
    customer_id: int | None = None
    entity_type: str | None = None
    default: bool | None = None
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


class CustomerAddressCreate(WriteModel):
    """A new address of a customer; its type never changes."""

    customer_id: Ref
    entity_type: Literal["billing", "shipping"]
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


class CustomerAddressUpdate(WriteModel):
    """A change of an address."""

    first_name: NonEmpty | None = None
    last_name: NonEmpty | None = None
    company: NonEmpty | None = None
    phone: NonEmpty | None = None
    line_1: NonEmpty | None = None
    line_2: NonEmpty | None = None
    city: NonEmpty | None = None
    state: NonEmpty | None = None
    zip: NonEmpty | None = None
    country: NonEmpty | None = None


class CustomerAddresses(Resource[CustomerAddress, CustomerAddressCreate, CustomerAddressUpdate]):
    """`/customer_addresses`; `get` goes through the listing."""

    spec = Spec(
        name="customer_addresses",
        model=CustomerAddress,
        create=CustomerAddressCreate,
        update=CustomerAddressUpdate,
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
            repeated=("ids", "customer_ids"),
        ),
    )
