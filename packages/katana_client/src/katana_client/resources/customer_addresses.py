"""Addresses of customers: one billing, many shipping (facts 3.3, 4.2).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Literal

from pydantic import StringConstraints

from katana_client.collection import spec_of
from katana_client.models.customer_addresses import CustomerAddress
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


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
    """`UpdateCustomerAddressRequest` of the facts."""

    first_name: Annotated[str, StringConstraints(min_length=1)] | None = None
    last_name: Annotated[str, StringConstraints(min_length=1)] | None = None
    company: Annotated[str, StringConstraints(min_length=1)] | None = None
    phone: Annotated[str, StringConstraints(min_length=1)] | None = None
    line_1: Annotated[str, StringConstraints(min_length=1)] | None = None
    line_2: Annotated[str, StringConstraints(min_length=1)] | None = None
    city: Annotated[str, StringConstraints(min_length=1)] | None = None
    state: Annotated[str, StringConstraints(min_length=1)] | None = None
    zip: Annotated[str, StringConstraints(min_length=1)] | None = None
    country: Annotated[str, StringConstraints(min_length=1)] | None = None


class CustomerAddresses(Resource[CustomerAddress, CustomerAddressCreate, CustomerAddressUpdate]):
    """`/customer_addresses`."""

    spec = spec_of("customer_addresses", CustomerAddress, create=CustomerAddressCreate, update=CustomerAddressUpdate)
