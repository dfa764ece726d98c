"""Which customers buy by which price list (facts 3.2, 4.2); no delta."""

from typing import Annotated

from pydantic import Field

from katana_client.bodies.price_list_customers import PriceListCustomersCreateBody, PriceListCustomerUpdateBody
from katana_client.bulk import AnsweredBulk
from katana_client.collection import spec_of
from katana_client.models.price_list_customers import PriceListCustomer
from katana_client.wire import Ref, WriteModel


class NewPriceListCustomer(WriteModel):
    """A customer for a price list."""

    customer_id: Ref


class PriceListCustomersCreate(PriceListCustomersCreateBody):
    """New customers of one list."""

    price_list_customers: Annotated[list[NewPriceListCustomer], Field(min_length=1)]


class PriceListCustomerUpdate(PriceListCustomerUpdateBody):
    """Another customer instead."""


class PriceListCustomers(AnsweredBulk[PriceListCustomer, PriceListCustomersCreate, PriceListCustomerUpdate]):
    """`/price_list_customers`."""

    spec = spec_of(
        "price_list_customers", PriceListCustomer, update=PriceListCustomerUpdate, bulk=PriceListCustomersCreate
    )
