"""Fields of bodies of `sales_order_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class SalesOrderRowCreateBody(WriteModel):
    """What `CreateSalesOrderRowRequest` has of the facts alone."""

    sales_order_id: Ref


class SalesOrderRowUpdateBody(WriteModel):
    """What `UpdateSalesOrderRowRequest` has of the facts alone."""

    variant_id: Omittable[Ref] = None
    tax_rate_id: Omittable[Ref] = None
    location_id: Omittable[Ref] = None
    custom_fields: FreeFields | None = None
