"""Stock adjustments as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.tracking import BatchTransaction, Traceability
from katana_client.wire import Amount, Moment, ReadModel


class StockAdjustmentRow(ReadModel):
    """A row; it does not name its adjustment."""

    id: int | None = None
    variant_id: int | None = None
    quantity: Amount = None
    cost_per_unit: Amount = None
    batch_transactions: list[BatchTransaction] | None = None
    traceability: list[Traceability] | None = None
    deleted_at: Moment = None


class StockAdjustment(ReadModel):
    """An adjustment; quantities are signed."""

    id: int | None = None
    stock_adjustment_number: str | None = None
    stock_adjustment_date: Moment = None
    location_id: int | None = None
    reason: str | None = None
    additional_info: str | None = None
    stock_adjustment_rows: list[StockAdjustmentRow] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
