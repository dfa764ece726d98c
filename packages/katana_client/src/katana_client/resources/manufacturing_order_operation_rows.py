"""Operations of manufacturing orders (facts 3.6, 4.7). Operations and resources have no collections of their own."""

from typing import Literal

from katana_client.bodies.manufacturing_order_operation_rows import (
    ChangedOperator,
    ManufacturingOrderOperationRowCreateBody,
    ManufacturingOrderOperationRowUpdate,
    OperatorInput,
)
from katana_client.collection import spec_of
from katana_client.models.manufacturing_order_operation_rows import ManufacturingOrderOperationRow
from katana_client.resource import Resource

__all__ = (
    "ChangedOperator",
    "ManufacturingOrderOperationRowCreate",
    "ManufacturingOrderOperationRowUpdate",
    "ManufacturingOrderOperationRows",
    "OperatorInput",
)


class ManufacturingOrderOperationRowCreate(ManufacturingOrderOperationRowCreateBody):
    """A new operation of an order that is not done.

    Operation and resource are given by id, or by a name, which is made when unknown; beside an id the name is ignored.
    So ids are not copied, nor are the older names of fields: each would win over what is given anew.
    """

    not_copied = frozenset({"operation_id", "resource_id", "cost_per_hour", "planned_time_per_unit"})

    status: Literal["NOT_STARTED"] = "NOT_STARTED"

    def wire(self) -> dict[str, object]:
        """Return the body; Katana wants the only possible status each time."""
        return {**super().wire(), "status": self.status}


class ManufacturingOrderOperationRows(
    Resource[ManufacturingOrderOperationRow, ManufacturingOrderOperationRowCreate, ManufacturingOrderOperationRowUpdate]
):
    """`/manufacturing_order_operation_rows`."""

    spec = spec_of(
        "manufacturing_order_operation_rows",
        ManufacturingOrderOperationRow,
        ManufacturingOrderOperationRowCreate,
        ManufacturingOrderOperationRowUpdate,
    )
