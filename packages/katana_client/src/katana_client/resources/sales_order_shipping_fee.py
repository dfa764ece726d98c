"""Shipping fees of sales orders (facts 3.5). The collection's name is in the singular on the wire."""

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.sales_order_shipping_fee import SalesOrderShippingFee
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, TextAmount, WriteModel


class SalesOrderShippingFeeCreate(WriteModel):
    """A new shipping fee; the amount travels as text."""

    sales_order_id: Ref
    amount: TextAmount
    tax_rate_id: Omittable[Ref] = None
    description: Omittable[str] = None


class SalesOrderShippingFeeUpdate(WriteModel):
    """A change of a shipping fee; Katana wants the amount each time."""

    amount: TextAmount
    tax_rate_id: Omittable[Ref] = None
    description: Omittable[str] = None


class SalesOrderShippingFees(Resource[SalesOrderShippingFee, SalesOrderShippingFeeCreate, SalesOrderShippingFeeUpdate]):
    """`/sales_order_shipping_fee`."""

    spec = Spec(
        name="sales_order_shipping_fee",
        model=SalesOrderShippingFee,
        create=SalesOrderShippingFeeCreate,
        update=SalesOrderShippingFeeUpdate,
        deletes=True,
        gets="path",
        filters=Filters(single=(*DATES, *DELETED, "sales_order_id"), repeated=("ids",)),
    )
