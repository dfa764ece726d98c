"""Addresses of sales orders (facts 3.5)."""

from typing import Literal

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.sales_order_addresses import SalesOrderAddress
from katana_client.resource import Resource
from katana_client.resources.addresses import PERSON, PLACE, NewPersonAddress
from katana_client.wire import Ref


class SalesOrderAddressUpdate(NewPersonAddress):
    """A change of an address; its type never changes."""


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
            single=(*DATES, *DELETED, "entity_type", *PERSON, *PLACE),
            repeated=("ids", "sales_order_ids"),
        ),
    )
