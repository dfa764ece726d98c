"""Webhook logs export as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import ReadModel


class WebhookLogsExport(ReadModel):
    """Where logs of webhooks can be fetched."""

    url: str | None = None
