"""Bodies of `manufacturing_order_operation_rows` as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class OperatorInput(WriteModel):
    """An operator, by id or by the name of an existing one."""

    operator_id: Omittable[Ref] = None
    name: Omittable[str] = None


class ManufacturingOrderOperationRowCreateBody(WriteModel):
    """`CreateManufacturingOrderOperationRowRequest` of the facts."""

    manufacturing_order_id: Ref
    custom_fields: FreeFields | None = None
    operation_id: Omittable[Ref] = None
    type: Omittable[Literal["process", "setup", "perUnit", "fixed"]] = None
    operation_name: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    resource_id: Ref | None = None
    resource_name: Annotated[str, StringConstraints(min_length=1)] | None = None
    planned_time_parameter: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))]] = None
    planned_time_per_unit: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))]] = None
    cost_parameter: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))]] = None
    cost_per_hour: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))]] = None
    assigned_operators: Omittable[list[OperatorInput]] = None


class ChangedOperator(WriteModel):
    """`ChangedOperator` of the facts."""

    operator_id: Omittable[Ref] = None
    name: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None


class ManufacturingOrderOperationRowUpdate(WriteModel):
    """A change of an operation; of a done order only `completed_by_operators` and `total_actual_time`.

    Not copied: what `ManufacturingOrderOperationRowCreate` does not copy, the status and the time that was taken.
    """

    not_copied = frozenset(
        {"operation_id", "resource_id", "cost_per_hour", "planned_time_per_unit", "status", "total_actual_time"}
    )

    custom_fields: FreeFields | None = None
    operation_id: Omittable[Ref] = None
    type: Omittable[Literal["process", "setup", "perUnit", "fixed"]] = None
    operation_name: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    resource_id: Ref | None = None
    resource_name: Annotated[str, StringConstraints(min_length=1)] | None = None
    planned_time_parameter: Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))] | None = None
    planned_time_per_unit: Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))] | None = None
    total_actual_time: Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))] | None = None
    cost_parameter: Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))] | None = None
    cost_per_hour: Annotated[Decimal, Field(ge=0, le=Decimal("1e+16"))] | None = None
    status: Omittable[Literal["NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PAUSED", "COMPLETED"]] = None
    assigned_operators: Omittable[list[ChangedOperator]] = None
    completed_by_operators: Omittable[list[ChangedOperator]] = None
