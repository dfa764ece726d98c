"""Price list customers as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class PriceListCustomer(ReadModel):
    """A customer of a price list."""

    id: int | None = None
    price_list_id: int | None = None
    customer_id: int | None = None
    created_at: Moment = None
    updated_at: Moment = None
