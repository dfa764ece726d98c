"""Webhooks as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class Webhook(ReadModel):
    """An address that Katana tells of events."""

    id: int | None = None
    url: str | None = None
    token: str | None = None
    enabled: bool | None = None
    description: str | None = None
    subscribed_events: list[str] | None = None
    created_at: Moment = None
    updated_at: Moment = None
