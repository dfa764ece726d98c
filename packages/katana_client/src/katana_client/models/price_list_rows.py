"""Price list rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class PriceListRow(ReadModel):
    """A variant's price: `amount` is a price, a percentage or a markup, by `adjustment_method`."""

    id: int | None = None
    price_list_id: int | None = None
    variant_id: int | None = None
    adjustment_method: str | None = None
    amount: Amount = None
    created_at: Moment = None
    updated_at: Moment = None
