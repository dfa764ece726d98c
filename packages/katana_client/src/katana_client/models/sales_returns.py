"""Sales returns as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.sales_return_rows import SalesReturnRow
from katana_client.wire import Moment, ReadModel


class SalesReturn(ReadModel):
    """A return of sold goods."""

    id: int | None = None
    customer_id: int | None = None
    sales_order_id: int | None = None
    order_no: str | None = None
    return_location_id: int | None = None
    status: str | None = None
    currency: str | None = None
    return_date: Moment = None
    order_created_date: Moment = None
    additional_info: str | None = None
    refund_status: str | None = None
    tracking_number: str | None = None
    tracking_number_url: str | None = None
    tracking_carrier: str | None = None
    tracking_method: str | None = None
    sales_return_rows: list[SalesReturnRow] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class SalesReturnReason(ReadModel):
    """Why something comes back."""

    id: int | None = None
    name: str | None = None
