"""Customers (facts 3.3, 4.2). Names are not unique."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.customers import Customer
from katana_client.resource import Resource
from katana_client.resources.addresses import NewPersonAddress
from katana_client.resources.searches import CustomerSearch
from katana_client.search import Search
from katana_client.wire import NonEmpty, Omittable, Ref, WriteModel

type Percentage = Annotated[Decimal, Field(ge=0, le=100)]
"""Write: 0 to 100."""


class NewCustomerAddress(NewPersonAddress):
    """An address inside a new customer."""

    entity_type: Literal["billing", "shipping"]
    default: Omittable[bool] = None


class CustomerCreate(WriteModel):
    """A new customer."""

    name: NonEmpty
    first_name: Omittable[str] = None
    last_name: Omittable[str] = None
    company: Omittable[str] = None
    email: Omittable[str] = None
    phone: Omittable[str] = None
    comment: Omittable[str] = None
    currency: Omittable[str] = None
    reference_id: Omittable[str] = None
    category: Omittable[str] = None
    discount_rate: Percentage | None = None
    addresses: Omittable[list[NewCustomerAddress]] = None


class CustomerUpdate(WriteModel):
    """A change of a customer; addresses are changed through `/customer_addresses`."""

    name: NonEmpty | None = None
    first_name: NonEmpty | None = None
    last_name: NonEmpty | None = None
    company: NonEmpty | None = None
    email: NonEmpty | None = None
    phone: NonEmpty | None = None
    comment: NonEmpty | None = None
    currency: NonEmpty | None = None
    reference_id: NonEmpty | None = None
    category: NonEmpty | None = None
    discount_rate: Percentage | None = None
    default_shipping_id: Ref | None = None


class Customers(Resource[Customer, CustomerCreate, CustomerUpdate], Search[Customer, CustomerSearch]):
    """`/customers`; `get` goes through the listing."""

    spec = Spec(
        name="customers",
        model=Customer,
        create=CustomerCreate,
        update=CustomerUpdate,
        deletes=True,
        gets="ids",
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                "name",
                "first_name",
                "last_name",
                "company",
                "email",
                "reference_id",
                "category",
                "currency",
                "phone",
            ),
            repeated=("ids",),
        ),
    )
