"""Addresses of sales orders (facts 3.5)."""

from typing import Literal

from katana_client.bodies.sales_order_addresses import SalesOrderAddressCreateBody
from katana_client.collection import spec_of
from katana_client.models.sales_order_addresses import SalesOrderAddress
from katana_client.resource import Resource
from katana_client.resources.addresses import NewPersonAddress


class SalesOrderAddressUpdate(NewPersonAddress):
    """A change of an address; its type never changes."""


class NewSalesOrderAddress(SalesOrderAddressUpdate):
    """An address inside a new sales order."""

    entity_type: Literal["billing", "shipping"]


class SalesOrderAddressCreate(NewSalesOrderAddress, SalesOrderAddressCreateBody):
    """A new address of a sales order."""


class SalesOrderAddresses(Resource[SalesOrderAddress, SalesOrderAddressCreate, SalesOrderAddressUpdate]):
    """`/sales_order_addresses`; `get` goes through the listing."""

    spec = spec_of("sales_order_addresses", SalesOrderAddress, SalesOrderAddressCreate, SalesOrderAddressUpdate)
