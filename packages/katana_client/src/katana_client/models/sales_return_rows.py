"""Sales return rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class SalesReturnBatch(ReadModel):
    """How much of a row comes back into a batch."""

    batch_id: int | None = None
    quantity: Amount = None


class UnassignedBatchTransaction(ReadModel):
    """How much of a row has no batch yet."""

    id: int | None = None
    batch_id: int | None = None
    quantity: Amount = None
    status: str | None = None


class SalesReturnRow(ReadModel):
    """How much of a variant comes back."""

    id: int | None = None
    sales_return_id: int | None = None
    variant_id: int | None = None
    fulfillment_row_id: int | None = None
    sales_order_row_id: int | None = None
    quantity: Amount = None
    net_price_per_unit: Amount = None
    reason_id: int | None = None
    restock_location_id: int | None = None
    batch_transactions: list[SalesReturnBatch] | None = None
    created_at: Moment = None
    updated_at: Moment = None
