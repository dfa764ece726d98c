"""Fields of bodies of `sales_order_fulfillments` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from typing import Literal

from pydantic import AwareDatetime

from katana_client.wire import Omittable, Ref, WriteModel


class SalesOrderFulfillmentCreateBody(WriteModel):
    """What `CreateSalesOrderFulfillmentRequest` has of the facts alone."""

    sales_order_id: Ref
    status: Literal["PACKED", "DELIVERED"]
    picked_date: Omittable[AwareDatetime] = None


class SalesOrderFulfillmentUpdateBody(WriteModel):
    """What `UpdateSalesOrderFulfillmentRequest` has of the facts alone."""

    picked_date: Omittable[AwareDatetime] = None
    status: Omittable[Literal["PACKED", "DELIVERED"]] = None
    packer_id: Omittable[Ref] = None
