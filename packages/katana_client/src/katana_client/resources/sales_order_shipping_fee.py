"""Shipping fees of sales orders (facts 3.5). The collection's name is in the singular on the wire."""

from katana_client.bodies.sales_order_shipping_fee import (
    SalesOrderShippingFeeCreateBody,
    SalesOrderShippingFeeUpdateBody,
)
from katana_client.collection import spec_of
from katana_client.models.sales_order_shipping_fee import SalesOrderShippingFee
from katana_client.resource import Resource
from katana_client.wire import TextAmount


class SalesOrderShippingFeeCreate(SalesOrderShippingFeeCreateBody):
    """A new shipping fee; the amount travels as text."""

    amount: TextAmount


class SalesOrderShippingFeeUpdate(SalesOrderShippingFeeUpdateBody):
    """A change of a shipping fee; Katana wants the amount each time."""

    amount: TextAmount


class SalesOrderShippingFees(Resource[SalesOrderShippingFee, SalesOrderShippingFeeCreate, SalesOrderShippingFeeUpdate]):
    """`/sales_order_shipping_fee`."""

    spec = spec_of(
        "sales_order_shipping_fee", SalesOrderShippingFee, SalesOrderShippingFeeCreate, SalesOrderShippingFeeUpdate
    )
