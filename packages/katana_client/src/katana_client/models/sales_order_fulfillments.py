"""Sales order fulfillments as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.tracking import BatchTransaction, Traceability
from katana_client.wire import Amount, Moment, ReadModel


class FulfillmentRow(ReadModel):
    """How much of an order row was fulfilled; its `id` is what returns refer to."""

    id: int | None = None
    sales_order_row_id: int | None = None
    quantity: Amount = None
    batch_transactions: list[BatchTransaction] | None = None
    serial_numbers: list[int] | None = None
    traceability: list[Traceability] | None = None


class SalesOrderFulfillment(ReadModel):
    """A fulfillment; `picked_date` is the date of its stock movement."""

    id: int | None = None
    sales_order_id: int | None = None
    picked_date: Moment = None
    status: str | None = None
    invoice_status: str | None = None
    conversion_rate: Amount = None
    conversion_date: Moment = None
    tracking_number: str | None = None
    tracking_url: str | None = None
    tracking_carrier: str | None = None
    tracking_method: str | None = None
    packer_id: int | None = None
    sales_order_fulfillment_rows: list[FulfillmentRow] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
