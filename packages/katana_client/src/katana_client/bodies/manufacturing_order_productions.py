"""Fields of bodies of `manufacturing_order_productions` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from decimal import Decimal

from pydantic import AwareDatetime

from katana_client.wire import Omittable, Ref, WriteModel


class ManufacturingOrderTraceability(WriteModel):
    """`ManufacturingOrderTraceabilityRequest` of the facts."""

    batch_id: int | None = None
    serial_number_id: int | None = None
    quantity: Omittable[Decimal] = None


class ManufacturingOrderProductionCreateBody(WriteModel):
    """What `CreateManufacturingOrderProductionRequest` has of the facts alone."""

    manufacturing_order_id: Ref
    completed_date: Omittable[AwareDatetime] = None
    is_final: Omittable[bool] = None
    traceability: Omittable[list[ManufacturingOrderTraceability]] = None


class ManufacturingOrderProductionUpdateBody(WriteModel):
    """What `UpdateManufacturingOrderProductionRequest` has of the facts alone."""

    production_date: Omittable[AwareDatetime] = None
    traceability: Omittable[list[ManufacturingOrderTraceability]] = None
