"""Additional costs as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class AdditionalCost(ReadModel):
    """A kind of cost that a purchase order can carry."""

    id: int | None = None
    name: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
