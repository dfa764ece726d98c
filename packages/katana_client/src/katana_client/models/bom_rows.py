"""Bom rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class BomRow(ReadModel):
    """An ingredient; `quantity` is per one unit of the product."""

    id: str | None = None
    product_variant_id: int | None = None
    product_item_id: int | None = None
    ingredient_variant_id: int | None = None
    quantity: Amount = None
    notes: str | None = None
    rank: int | None = None
    created_at: Moment = None
    updated_at: Moment = None
