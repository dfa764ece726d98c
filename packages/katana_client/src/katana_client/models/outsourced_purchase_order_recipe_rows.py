"""Outsourced purchase order recipe rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.tracking import BatchTransaction
from katana_client.wire import Amount, Moment, ReadModel


class OutsourcedPurchaseOrderRecipeRow(ReadModel):
    """An ingredient; a creation is answered without cost and availability."""

    id: int | None = None
    purchase_order_id: int | None = None
    purchase_order_row_id: int | None = None
    ingredient_variant_id: int | None = None
    planned_quantity_per_unit: Amount = None
    ingredient_availability: str | None = None
    ingredient_expected_date: Moment = None
    notes: str | None = None
    batch_transactions: list[BatchTransaction] | None = None
    cost: Amount = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
