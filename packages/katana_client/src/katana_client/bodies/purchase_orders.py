"""Fields of bodies of `purchase_orders` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from typing import Literal

from pydantic import AwareDatetime

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class PurchaseOrderCreateBody(WriteModel):
    """What `CreatePurchaseOrderRequest` has of the facts alone."""

    supplier_id: Ref
    location_id: Ref
    custom_fields: FreeFields | None = None
    entity_type: Omittable[Literal["regular", "outsourced"]] = None
    status: Omittable[Literal["DRAFT", "NOT_RECEIVED"]] = None
    order_created_date: Omittable[AwareDatetime] = None
    additional_info: Omittable[str] = None
    expected_arrival_date: Omittable[AwareDatetime] = None
    tracking_location_id: Omittable[Ref] = None


class PurchaseOrderUpdateBody(WriteModel):
    """What `UpdatePurchaseOrderRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None
    supplier_id: Omittable[Ref] = None
    tracking_location_id: Omittable[Ref] = None
    status: Omittable[Literal["DRAFT", "NOT_RECEIVED", "PARTIALLY_RECEIVED", "RECEIVED"]] = None
    expected_arrival_date: Omittable[AwareDatetime] = None
    order_created_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    additional_info: Omittable[str] = None
