"""Shipping fees of sales orders (facts 3.5). The collection's name is in the singular on the wire.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from katana_client.collection import spec_of
from katana_client.models.sales_order_shipping_fee import SalesOrderShippingFee
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, TextAmount, WriteModel


class SalesOrderShippingFeeCreate(WriteModel):
    """`CreateSalesOrderShippingFeeRequest` of the facts."""

    sales_order_id: Ref
    amount: TextAmount
    description: Omittable[str] = None
    tax_rate_id: Omittable[Ref] = None


class SalesOrderShippingFeeUpdate(WriteModel):
    """A change of a shipping fee; Katana wants the amount each time, as text."""

    amount: TextAmount
    description: Omittable[str] = None
    tax_rate_id: Omittable[Ref] = None


class SalesOrderShippingFees(Resource[SalesOrderShippingFee, SalesOrderShippingFeeCreate, SalesOrderShippingFeeUpdate]):
    """`/sales_order_shipping_fee`."""

    spec = spec_of(
        "sales_order_shipping_fee",
        SalesOrderShippingFee,
        create=SalesOrderShippingFeeCreate,
        update=SalesOrderShippingFeeUpdate,
    )
