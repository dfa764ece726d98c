"""Which customers buy by which price list (facts 3.2, 4.2); no delta.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated

from pydantic import Field

from katana_client.bulk import AnsweredBulk
from katana_client.collection import spec_of
from katana_client.models.price_list_customers import PriceListCustomer
from katana_client.wire import Ref, WriteModel


class NewPriceListCustomer(WriteModel):
    """A part of the body below."""

    customer_id: Ref


class PriceListCustomersCreate(WriteModel):
    """`CreatePriceListCustomerRequest` of the facts."""

    price_list_id: Ref
    price_list_customers: Annotated[list[NewPriceListCustomer], Field(min_length=1)]


class PriceListCustomerUpdate(WriteModel):
    """`UpdatePriceListCustomerRequest` of the facts."""

    customer_id: Ref


class PriceListCustomers(AnsweredBulk[PriceListCustomer, PriceListCustomersCreate, PriceListCustomerUpdate]):
    """`/price_list_customers`."""

    spec = spec_of(
        "price_list_customers", PriceListCustomer, bulk=PriceListCustomersCreate, update=PriceListCustomerUpdate
    )
