"""Price lists as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class PriceList(ReadModel):
    """A price list; its rows and customers have collections of their own."""

    id: int | None = None
    name: str | None = None
    is_active: bool | None = None
    created_at: Moment = None
    updated_at: Moment = None
