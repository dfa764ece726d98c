"""Customers (facts 3.3, 4.2). Names are not unique.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.customers import Customer
from katana_client.resource import Resource
from katana_client.resources.searches import CustomerSearch
from katana_client.search import Search
from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class NewCustomerAddress(WriteModel):
    """A part of the body below."""

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
    default: Omittable[bool] = None


class CustomerCreate(WriteModel):
    """`CreateCustomerRequest` of the facts."""

    name: Annotated[str, StringConstraints(min_length=1)]
    custom_fields: FreeFields | None = None
    first_name: Omittable[str] = None
    last_name: Omittable[str] = None
    company: Omittable[str] = None
    email: Omittable[str] = None
    phone: Omittable[str] = None
    comment: Omittable[str] = None
    currency: Omittable[str] = None
    reference_id: Omittable[str] = None
    category: Omittable[str] = None
    discount_rate: Annotated[Decimal, Field(ge=0, le=100)] | None = None
    addresses: Omittable[list[NewCustomerAddress]] = None


class CustomerUpdate(WriteModel):
    """A change of a customer; addresses are changed through `/customer_addresses`."""

    custom_fields: FreeFields | None = None
    name: Annotated[str, StringConstraints(min_length=1)] | None = None
    first_name: Annotated[str, StringConstraints(min_length=1)] | None = None
    last_name: Annotated[str, StringConstraints(min_length=1)] | None = None
    company: Annotated[str, StringConstraints(min_length=1)] | None = None
    email: Annotated[str, StringConstraints(min_length=1)] | None = None
    phone: Annotated[str, StringConstraints(min_length=1)] | None = None
    comment: Annotated[str, StringConstraints(min_length=1)] | None = None
    currency: Annotated[str, StringConstraints(min_length=1)] | None = None
    reference_id: Annotated[str, StringConstraints(min_length=1)] | None = None
    category: Annotated[str, StringConstraints(min_length=1)] | None = None
    discount_rate: Annotated[Decimal, Field(ge=0, le=100)] | None = None
    default_shipping_id: Ref | None = None


class Customers(Resource[Customer, CustomerCreate, CustomerUpdate], Search[Customer, CustomerSearch]):
    """`/customers`."""

    spec = spec_of("customers", Customer, create=CustomerCreate, update=CustomerUpdate)
