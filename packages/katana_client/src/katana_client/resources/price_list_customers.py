"""Which customers buy by which price list (facts 3.2, 4.2); no delta."""

from typing import Annotated

from pydantic import Field

from katana_client.bulk import AnsweredBulk
from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.price_list_customers import PriceListCustomer
from katana_client.wire import Ref, WriteModel


class NewPriceListCustomer(WriteModel):
    """A customer for a price list."""

    customer_id: Ref


class PriceListCustomersCreate(WriteModel):
    """New customers of one list."""

    price_list_id: Ref
    price_list_customers: Annotated[list[NewPriceListCustomer], Field(min_length=1)]


class PriceListCustomerUpdate(WriteModel):
    """Another customer instead."""

    customer_id: Ref


class PriceListCustomers(AnsweredBulk[PriceListCustomer, PriceListCustomersCreate, PriceListCustomerUpdate]):
    """`/price_list_customers`."""

    spec = Spec(
        name="price_list_customers",
        model=PriceListCustomer,
        bulk=PriceListCustomersCreate,
        update=PriceListCustomerUpdate,
        deletes=True,
        gets="path",
        filters=Filters(repeated=("ids", "customer_ids", "price_list_ids")),
    )
