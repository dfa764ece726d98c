"""Fields of bodies of `manufacturing_orders` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from decimal import Decimal
from typing import Literal

from pydantic import AwareDatetime

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class ManufacturingOrderTraceability(WriteModel):
    """`ManufacturingOrderTraceabilityRequest` of the facts."""

    batch_id: int | None = None
    serial_number_id: int | None = None
    quantity: Omittable[Decimal] = None


class ManufacturingOrderCreateBody(WriteModel):
    """What `CreateManufacturingOrderRequest` has of the facts alone."""

    variant_id: Ref
    location_id: Ref
    custom_fields: FreeFields | None = None
    status: Omittable[Literal["NOT_STARTED"]] = None
    order_created_date: Omittable[AwareDatetime] = None
    production_deadline_date: Omittable[AwareDatetime] = None
    traceability: Omittable[list[ManufacturingOrderTraceability]] = None


class ManufacturingOrderUpdateBody(WriteModel):
    """What `UpdateManufacturingOrderRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None
    status: Omittable[Literal["NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PARTIALLY_COMPLETED", "DONE"]] = None
    variant_id: Omittable[Ref] = None
    location_id: Omittable[Ref] = None
    order_created_date: Omittable[AwareDatetime] = None
    production_deadline_date: Omittable[AwareDatetime] = None
    done_date: Omittable[AwareDatetime] = None
    traceability: Omittable[list[ManufacturingOrderTraceability]] = None
