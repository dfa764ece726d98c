"""Operations of manufacturing orders (facts 3.6, 4.7). Operations and resources have no collections of their own."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.manufacturing_order_operation_rows import ManufacturingOrderOperationRow
from katana_client.resource import Resource
from katana_client.wire import NonEmpty, Omittable, Ref, WriteModel

type OperationType = Literal["process", "setup", "perUnit", "fixed"]
"""Write: how the cost follows from time and quantity."""
type Effort = Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 16)]
"""Write: seconds, or a cost."""


class OperatorInput(WriteModel):
    """An operator, by id or by the name of an existing one."""

    operator_id: Omittable[Ref] = None
    name: Omittable[NonEmpty] = None


class ManufacturingOrderOperationRowCreate(WriteModel):
    """A new operation of an order that is not done.

    Operation and resource are given by id, or by a name, which is made when unknown; beside an id the name is ignored.
    So ids are not copied, nor are the older names of fields: each would win over what is given anew.
    """

    not_copied = frozenset({"operation_id", "resource_id", "cost_per_hour", "planned_time_per_unit"})

    manufacturing_order_id: Ref
    status: Literal["NOT_STARTED"] = "NOT_STARTED"
    type: Omittable[OperationType] = None
    operation_id: Omittable[Ref] = None
    operation_name: Omittable[NonEmpty] = None
    resource_id: Ref | None = None
    resource_name: NonEmpty | None = None
    assigned_operators: Omittable[list[OperatorInput]] = None
    planned_time_per_unit: Omittable[Effort] = None
    planned_time_parameter: Omittable[Effort] = None
    cost_per_hour: Omittable[Effort] = None
    cost_parameter: Omittable[Effort] = None

    def wire(self) -> dict[str, object]:
        """Return the body; Katana wants the only possible status each time."""
        return {**super().wire(), "status": self.status}


class ManufacturingOrderOperationRowUpdate(WriteModel):
    """A change of an operation; of a done order only `completed_by_operators` and `total_actual_time`.

    Not copied: what `ManufacturingOrderOperationRowCreate` does not copy, the status and the time that was taken.
    """

    not_copied = frozenset(
        {"operation_id", "resource_id", "cost_per_hour", "planned_time_per_unit", "status", "total_actual_time"}
    )

    status: Omittable[Literal["NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PAUSED", "COMPLETED"]] = None
    type: Omittable[OperationType] = None
    operation_id: Omittable[Ref] = None
    operation_name: Omittable[NonEmpty] = None
    resource_id: Ref | None = None
    resource_name: NonEmpty | None = None
    assigned_operators: Omittable[list[OperatorInput]] = None
    completed_by_operators: Omittable[list[OperatorInput]] = None
    planned_time_per_unit: Effort | None = None
    planned_time_parameter: Effort | None = None
    total_actual_time: Effort | None = None
    cost_per_hour: Effort | None = None
    cost_parameter: Effort | None = None


class ManufacturingOrderOperationRows(
    Resource[ManufacturingOrderOperationRow, ManufacturingOrderOperationRowCreate, ManufacturingOrderOperationRowUpdate]
):
    """`/manufacturing_order_operation_rows`."""

    spec = Spec(
        name="manufacturing_order_operation_rows",
        model=ManufacturingOrderOperationRow,
        create=ManufacturingOrderOperationRowCreate,
        update=ManufacturingOrderOperationRowUpdate,
        deletes=True,
        gets="path",
        filters=Filters(single=(*DATES, *DELETED, "manufacturing_order_id", "status"), repeated=("ids",)),
    )
