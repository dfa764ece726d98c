"""Addresses of customers: one billing, many shipping (facts 3.3, 4.2)."""

from katana_client.bodies.customer_addresses import CustomerAddressCreateBody
from katana_client.collection import spec_of
from katana_client.models.customer_addresses import CustomerAddress
from katana_client.resource import Resource
from katana_client.resources.addresses import NewPersonAddress, PlaceChange
from katana_client.wire import NonEmpty


class CustomerAddressCreate(NewPersonAddress, CustomerAddressCreateBody):
    """A new address of a customer; its type never changes."""


class CustomerAddressUpdate(PlaceChange):
    """A change of an address."""

    first_name: NonEmpty | None = None
    last_name: NonEmpty | None = None
    company: NonEmpty | None = None
    phone: NonEmpty | None = None


class CustomerAddresses(Resource[CustomerAddress, CustomerAddressCreate, CustomerAddressUpdate]):
    """`/customer_addresses`; `get` goes through the listing."""

    spec = spec_of("customer_addresses", CustomerAddress, CustomerAddressCreate, CustomerAddressUpdate)
