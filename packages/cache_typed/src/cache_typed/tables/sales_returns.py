"""Sales returns; what they embed of rows stays nested, rows are a table of their own.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.sales_returns import SALES_RETURN
from cache_typed.columns import moment, nested
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class SalesReturn(Document, table=True):
    """A return of sold goods."""

    _fts_columns: ClassVar[Searchable] = SALES_RETURN.searchable

    id: int = identity()
    customer_id: int | None = whole(index=True)
    sales_order_id: int | None = whole(index=True)
    order_no: str | None = text()
    return_location_id: int | None = whole(index=True)
    status: str | None = text(index=True)
    currency: str | None = text()
    return_date: datetime | None = moment(index=True)
    order_created_date: datetime | None = moment(index=True)
    additional_info: str | None = text()
    refund_status: str | None = text(index=True)
    tracking_number: str | None = text()
    tracking_number_url: str | None = text()
    tracking_carrier: str | None = text()
    tracking_method: str | None = text()
    sales_return_rows: object | None = nested()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


SALES_RETURN_TABLE = TableMapping(
    SALES_RETURN,
    SalesReturn,
)
