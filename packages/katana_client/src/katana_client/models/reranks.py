"""Reranks as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import ReadModel


class RerankedOrders(ReadModel):
    """The ids of orders whose rank has changed."""

    order_ids: list[int] | None = None
