"""Fields of bodies of `manufacturing_order_operation_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from typing import Literal

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class ManufacturingOrderOperationRowCreateBody(WriteModel):
    """What `CreateManufacturingOrderOperationRowRequest` has of the facts alone."""

    manufacturing_order_id: Ref
    custom_fields: FreeFields | None = None
    operation_id: Omittable[Ref] = None
    type: Omittable[Literal["process", "setup", "perUnit", "fixed"]] = None


class ManufacturingOrderOperationRowUpdateBody(WriteModel):
    """What `UpdateManufacturingOrderOperationRowRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None
    operation_id: Omittable[Ref] = None
    type: Omittable[Literal["process", "setup", "perUnit", "fixed"]] = None
    status: Omittable[Literal["NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PAUSED", "COMPLETED"]] = None
