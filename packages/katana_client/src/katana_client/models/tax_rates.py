"""Tax rates as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class TaxRate(ReadModel):
    """A tax rate; `rate` in percent, `display_name` derived from rate and name."""

    id: int | None = None
    name: str | None = None
    rate: Amount = None
    is_default_sales: bool | None = None
    is_default_purchases: bool | None = None
    display_name: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
