"""Manufacturing orders as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.serial_numbers import SerialNumber
from katana_client.models.tracking import BatchTransaction
from katana_client.wire import Amount, Moment, ReadModel


class ManufacturingOrder(ReadModel):
    """A manufacturing order. Times are seconds by the docs; `total_cost` is the plan while open, the fact when done.

    `sales_order_id` and `sales_order_row_id` are set when it was made to order.
    """

    id: int | None = None
    status: str | None = None
    order_no: str | None = None
    variant_id: int | None = None
    planned_quantity: Amount = None
    actual_quantity: Amount = None
    completed_quantity: Amount = None
    remaining_quantity: Amount = None
    includes_partial_completions: bool | None = None
    batch_transactions: list[BatchTransaction] | None = None
    location_id: int | None = None
    order_created_date: Moment = None
    production_deadline_date: Moment = None
    done_date: Moment = None
    additional_info: str | None = None
    is_linked_to_sales_order: bool | None = None
    ingredient_availability: str | None = None
    total_cost: Amount = None
    total_actual_time: Amount = None
    total_planned_time: Amount = None
    sales_order_id: int | None = None
    sales_order_row_id: int | None = None
    sales_order_delivery_deadline: Moment = None
    material_cost: Amount = None
    subassemblies_cost: Amount = None
    operations_cost: Amount = None
    serial_numbers: list[SerialNumber] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
