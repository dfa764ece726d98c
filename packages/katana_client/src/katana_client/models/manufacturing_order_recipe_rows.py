"""Manufacturing order recipe rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.tracking import BatchTransaction
from katana_client.wire import Amount, Moment, ReadModel


class ManufacturingOrderRecipeRow(ReadModel):
    """An ingredient; `cost` is planned while the order is open."""

    id: int | None = None
    manufacturing_order_id: int | None = None
    variant_id: int | None = None
    notes: str | None = None
    planned_quantity_per_unit: Amount = None
    total_actual_quantity: Amount = None
    ingredient_availability: str | None = None
    ingredient_expected_date: Moment = None
    batch_transactions: list[BatchTransaction] | None = None
    cost: Amount = None
    total_consumed_quantity: Amount = None
    total_remaining_quantity: Amount = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
