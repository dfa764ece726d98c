"""Fields of bodies of `sales_order_shipping_fee` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Omittable, Ref, WriteModel


class SalesOrderShippingFeeCreateBody(WriteModel):
    """What `CreateSalesOrderShippingFeeRequest` has of the facts alone."""

    sales_order_id: Ref
    description: Omittable[str] = None
    tax_rate_id: Omittable[Ref] = None


class SalesOrderShippingFeeUpdateBody(WriteModel):
    """What `UpdateSalesOrderShippingFeeRequest` has of the facts alone."""

    description: Omittable[str] = None
    tax_rate_id: Omittable[Ref] = None
