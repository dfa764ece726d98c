"""Manufacturing order production ingredients as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.tracking import BatchTransaction, Traceability
from katana_client.wire import Amount, Moment, ReadModel


class ManufacturingOrderProductionIngredient(ReadModel):
    """How much of an ingredient a production used."""

    id: int | None = None
    location_id: int | None = None
    variant_id: int | None = None
    manufacturing_order_id: int | None = None
    manufacturing_order_recipe_row_id: int | None = None
    production_id: int | None = None
    quantity: Amount = None
    production_date: Moment = None
    cost: Amount = None
    batch_transactions: list[BatchTransaction] | None = None
    traceability: list[Traceability] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
