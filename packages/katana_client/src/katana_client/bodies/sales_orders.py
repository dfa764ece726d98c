"""Fields of bodies of `sales_orders` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, StringConstraints

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class SalesOrderCreateBody(WriteModel):
    """What `CreateSalesOrderRequest` has of the facts alone."""

    customer_id: Ref
    location_id: Omittable[Ref] = None
    additional_info: str | None = None
    custom_fields: FreeFields | None = None


class SalesOrderUpdateBody(WriteModel):
    """What `UpdateSalesOrderRequest` has of the facts alone."""

    order_no: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    customer_id: Omittable[Ref] = None
    order_created_date: Omittable[AwareDatetime] = None
    delivery_date: Omittable[AwareDatetime] = None
    picked_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    status: Omittable[Literal["NOT_SHIPPED", "PENDING", "READY_FOR_FULFILLMENT", "PACKED", "DELIVERED"]] = None
    currency: Omittable[str] = None
    additional_info: str | None = None
    customer_ref: Annotated[str, StringConstraints(max_length=255)] | None = None
    custom_fields: FreeFields | None = None
