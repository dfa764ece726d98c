"""Manufacturing order operation rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.custom_fields import CustomFields
from katana_client.wire import Amount, Moment, ReadModel


class AssignedOperator(ReadModel):
    """Who works on an operation."""

    operator_id: int | None = None
    name: str | None = None
    deleted_at: Moment = None


class ManufacturingOrderOperationRow(ReadModel):
    """An operation; the higher `rank` comes first. Times are seconds, by the docs.

    `cost_per_hour` and `planned_time_per_unit` are older names of `cost_parameter` and `planned_time_parameter`.
    """

    id: int | None = None
    status: str | None = None
    type: str | None = None
    rank: Amount = None
    manufacturing_order_id: int | None = None
    operation_id: int | None = None
    operation_name: str | None = None
    resource_id: int | None = None
    resource_name: str | None = None
    assigned_operators: list[AssignedOperator] | None = None
    completed_by_operators: list[AssignedOperator] | None = None
    active_operator_id: int | None = None
    planned_time_per_unit: Amount = None
    planned_time_parameter: Amount = None
    total_actual_time: Amount = None
    planned_cost_per_unit: Amount = None
    total_actual_cost: Amount = None
    total_consumed_time: Amount = None
    total_remaining_time: Amount = None
    cost_per_hour: Amount = None
    cost_parameter: Amount = None
    group_boundary: str | None = None
    is_status_actionable: bool | None = None
    completed_at: Moment = None
    custom_fields: CustomFields = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
