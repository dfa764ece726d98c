"""Purchase order accounting metadata as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class PurchaseOrderAccountingMetadata(ReadModel):
    """The bill of a group of received rows."""

    id: int | None = None
    purchase_order_id: int | None = None
    received_items_group_id: int | None = None
    integration_type: str | None = None
    bill_id: str | None = None
    created_at: Moment = None
