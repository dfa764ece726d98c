"""Negative stock as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class NegativeStock(ReadModel):
    """A variant below zero at a location."""

    variant_id: int | None = None
    location_id: int | None = None
    latest_negative_stock_date: Moment = None
    name: str | None = None
    sku: str | None = None
    category: str | None = None
    quantity_on_hand: Amount = None
    quantity_allocated: Amount = None
