"""Stocktake rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class StocktakeRow(ReadModel):
    """The count of a variant; `discrepancy_quantity` is what was counted less what was there."""

    id: int | None = None
    stocktake_id: int | None = None
    variant_id: int | None = None
    batch_id: int | None = None
    in_stock_quantity: Amount = None
    counted_quantity: Amount = None
    discrepancy_quantity: Amount = None
    notes: str | None = None
    bin_location_id: int | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
