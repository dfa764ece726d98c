"""Operators as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class Operator(ReadModel):
    """Someone who works on the shop floor or in the warehouse."""

    id: int | None = None
    operator_name: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
