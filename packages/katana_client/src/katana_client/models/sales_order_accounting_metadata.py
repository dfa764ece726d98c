"""Sales order accounting metadata as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class SalesOrderAccountingMetadata(ReadModel):
    """The invoice of a fulfillment."""

    id: int | None = None
    sales_order_id: int | None = None
    fulfillment_id: int | None = None
    invoice_id: str | None = None
    integration_type: str | None = None
    created_at: Moment = None
