"""Operations of manufacturing orders: their progress moves the order, their order may bind them."""

from katana_sandbox.descriptor import Collection, Context, Field, View, plain_fields
from katana_sandbox.rules.manufacturing_operations import add_operation_row, update_operation_row
from katana_sandbox.rules.manufacturing_rows import check_row_deletable
from katana_sandbox.rules.manufacturing_settle import settle_changed_row
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import encode
from katana_sandbox.wire.numbers import decimal_text

STATUS = ("NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PAUSED", "COMPLETED")
_OPTIONAL = ("resource_id", "resource_name", "active_operator_id", "group_boundary")


def _parts(ctx: Context, key: Key, _view: View) -> dict[str, bytes]:
    row = ctx.get("manufacturing_order_operation_rows", key, deleted=True) or {}
    return {name: encode(row[name]) for name in _OPTIONAL if row.get(name) is not None}


MANUFACTURING_ORDER_OPERATION_ROWS = Collection(
    name="manufacturing_order_operation_rows",
    custom_fields=("ProductionOperation",),
    custom_fields_replaced=True,
    fields=(
        *plain_fields(
            "status=NOT_STARTED type=process rank=0 manufacturing_order_id operation_id operation_name"
            " resource_id resource_name assigned_operators=[] completed_by_operators=[] active_operator_id"
        ),
        Field("planned_time_per_unit", "0.0000000000", decimal_text(10)),
        Field("planned_time_parameter", "0.0000000000", decimal_text(10)),
        Field("total_actual_time", "0.0000000000", decimal_text(10)),
        *plain_fields(
            "planned_cost_per_unit=0.0000000000 total_actual_cost=0.0000000000 total_consumed_time=0"
            " total_remaining_time=0"
        ),
        Field("cost_per_hour", "0.0000000000", decimal_text(10)),
        Field("cost_parameter", "0.0000000000", decimal_text(10)),
        *plain_fields("group_boundary is_status_actionable=true completed_at custom_fields written_time status_before"),
    ),
    foreign_keys=("manufacturing_order_id",),
    references={"manufacturing_order_id": "manufacturing_orders"},
    parts=_parts,
    hidden=frozenset({*_OPTIONAL, "written_time", "status_before"}),
    parent=("manufacturing_order_id", "manufacturing_orders"),
    on_create=add_operation_row,
    on_update=update_operation_row,
    on_delete=check_row_deletable,
    settle=settle_changed_row,
)
