"""Addresses of customers: one billing, many shipping (facts 3.3, 4.2)."""

from typing import Literal

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.customer_addresses import CustomerAddress
from katana_client.resource import Resource
from katana_client.resources.addresses import PERSON, PLACE, NewPersonAddress, PlaceChange
from katana_client.wire import NonEmpty, Ref


class CustomerAddressCreate(NewPersonAddress):
    """A new address of a customer; its type never changes."""

    customer_id: Ref
    entity_type: Literal["billing", "shipping"]


class CustomerAddressUpdate(PlaceChange):
    """A change of an address."""

    first_name: NonEmpty | None = None
    last_name: NonEmpty | None = None
    company: NonEmpty | None = None
    phone: NonEmpty | None = None


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
            single=(*DATES, *DELETED, "entity_type", *PERSON, *PLACE),
            repeated=("ids", "customer_ids"),
        ),
    )
