"""Manufacturing order productions as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.manufacturing_order_production_ingredients import ManufacturingOrderProductionIngredient
from katana_client.models.serial_numbers import SerialNumber
from katana_client.wire import Amount, Moment, ReadModel


class ManufacturingOrderOperationProduction(ReadModel):
    """How many seconds of an operation a production took."""

    id: int | None = None
    location_id: int | None = None
    manufacturing_order_id: int | None = None
    manufacturing_order_operation_id: int | None = None
    production_id: int | None = None
    time: Amount = None
    production_date: Moment = None
    cost: Amount = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class ManufacturingOrderProduction(ReadModel):
    """A production; its `quantity` and `production_date` are written as `completed_quantity` and `completed_date`."""

    id: int | None = None
    manufacturing_order_id: int | None = None
    factory_id: int | None = None
    quantity: Amount = None
    production_date: Moment = None
    ingredients: list[ManufacturingOrderProductionIngredient] | None = None
    operations: list[ManufacturingOrderOperationProduction] | None = None
    serial_numbers: list[SerialNumber] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
