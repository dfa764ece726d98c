"""Fields of bodies of `sales_order_addresses` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Ref, WriteModel


class SalesOrderAddressCreateBody(WriteModel):
    """What `CreateSalesOrderAddressRequest` has of the facts alone."""

    sales_order_id: Ref
