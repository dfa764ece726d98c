"""Product operation rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class ProductOperationRow(ReadModel):
    """An operation of one variant, known by `product_operation_row_id`; the higher `rank` comes first.

    `cost_per_hour` and `planned_time_per_unit` are older names of `cost_parameter` and `planned_time_parameter`
    (seconds). A row that applies to several variants comes once for each.
    """

    product_id: int | None = None
    product_operation_row_id: int | None = None
    product_variant_id: int | None = None
    operation_id: int | None = None
    operation_name: str | None = None
    type: str | None = None
    resource_id: int | None = None
    resource_name: str | None = None
    cost_per_hour: Amount = None
    cost_parameter: Amount = None
    planned_cost_per_unit: Amount = None
    planned_time_per_unit: Amount = None
    planned_time_parameter: Amount = None
    rank: int | None = None
    group_boundary: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
