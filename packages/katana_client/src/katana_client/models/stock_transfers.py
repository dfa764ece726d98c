"""Stock transfers as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.tracking import BatchTransaction, Traceability
from katana_client.wire import Amount, Moment, ReadModel


class StockTransferRow(ReadModel):
    """A row; it does not name its transfer."""

    id: int | None = None
    variant_id: int | None = None
    quantity: Amount = None
    cost_per_unit: Amount = None
    batch_transactions: list[BatchTransaction] | None = None
    traceability: list[Traceability] | None = None
    deleted_at: Moment = None


class StockTransfer(ReadModel):
    """A transfer; `status` is `draft`, `inTransit` or `received`."""

    id: int | None = None
    stock_transfer_number: str | None = None
    source_location_id: int | None = None
    target_location_id: int | None = None
    status: str | None = None
    transfer_date: Moment = None
    order_created_date: Moment = None
    expected_arrival_date: Moment = None
    additional_info: str | None = None
    stock_transfer_rows: list[StockTransferRow] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
