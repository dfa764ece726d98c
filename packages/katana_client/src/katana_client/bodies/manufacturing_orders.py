"""Bodies of `manufacturing_orders` as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.tracking import BatchInput
from katana_client.wire import FreeFields, Omittable, Ref, TextAmount, WriteModel


class ManufacturingOrderTraceability(WriteModel):
    """`ManufacturingOrderTraceabilityRequest` of the facts."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    serial_number_id: Annotated[int, Field(ge=0)] | None = None
    quantity: Omittable[TextAmount] = None


class ManufacturingOrderCreate(WriteModel):
    """A new order; Katana copies the variant's recipe and operations into it.

    Not copied from an order that was read: what was made, and into which batch.
    """

    not_copied = frozenset({"actual_quantity", "batch_transactions"})

    variant_id: Ref
    location_id: Ref
    planned_quantity: Annotated[Decimal, Field(ge=Decimal("1e-05"), le=Decimal("1e+15"))]
    custom_fields: FreeFields | None = None
    status: Omittable[Literal["NOT_STARTED"]] = None
    order_no: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    actual_quantity: Annotated[Decimal, Field(ge=0, le=Decimal("1e+15"))] | None = None
    order_created_date: Omittable[AwareDatetime] = None
    production_deadline_date: Omittable[AwareDatetime] = None
    additional_info: Annotated[str, StringConstraints(min_length=1)] | None = None
    batch_transactions: Omittable[list[BatchInput]] = None
    traceability: Omittable[list[ManufacturingOrderTraceability]] = None


class ManufacturingOrderUpdate(WriteModel):
    """A change of the order's head; a done order changes only its `additional_info`, dates and status.

    `status` DONE makes what is planned, IN_PROGRESS on a done order takes its productions back, `done_date` is accepted
    in a second call after DONE (facts 5.26), `production_deadline_date` only where deadlines are not automatic, and an
    order is made into one batch. So these are not copied from an order that was read.
    """

    not_copied = frozenset({"status", "actual_quantity", "batch_transactions", "done_date", "production_deadline_date"})

    custom_fields: FreeFields | None = None
    status: Omittable[Literal["NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PARTIALLY_COMPLETED", "DONE"]] = None
    order_no: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    variant_id: Omittable[Ref] = None
    location_id: Omittable[Ref] = None
    planned_quantity: Omittable[Annotated[Decimal, Field(ge=Decimal("1e-05"), le=Decimal("1e+15"))]] = None
    actual_quantity: Annotated[Decimal, Field(ge=0, le=Decimal("1e+15"))] | None = None
    order_created_date: Omittable[AwareDatetime] = None
    production_deadline_date: Omittable[AwareDatetime] = None
    done_date: Omittable[AwareDatetime] = None
    additional_info: Annotated[str, StringConstraints(min_length=1)] | None = None
    batch_transactions: Omittable[list[BatchInput]] = None
    traceability: Omittable[list[ManufacturingOrderTraceability]] = None


class MakeToOrder(WriteModel):
    """An order for a sales order row that has none yet; with orders for its subassemblies if wanted."""

    sales_order_row_id: Ref
    create_subassemblies: Omittable[bool] = None


class Unlinking(WriteModel):
    """The sales order row that lets go of its manufacturing order."""

    sales_order_row_id: Ref
