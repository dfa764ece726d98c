"""Fulfillments of sales orders, as their own collection lists them, with their rows.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.sales_order_fulfillments import SALES_ORDER_FULFILLMENT
from cache_typed.columns import moment, nested, number
from cache_typed.documents import Document, Part, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping


class Fulfillment(Document, table=True):
    """A fulfillment; `picked_date` is the date of its stock movement."""

    _fts_columns: ClassVar[Searchable] = SALES_ORDER_FULFILLMENT.searchable

    id: int = identity()
    sales_order_id: int | None = whole(index=True)
    picked_date: datetime | None = moment(index=True)
    status: str | None = text(index=True)
    invoice_status: str | None = text(index=True)
    conversion_rate: Decimal | None = number()
    conversion_date: datetime | None = moment()
    tracking_number: str | None = text(index=True)
    tracking_url: str | None = text()
    tracking_carrier: str | None = text(index=True)
    tracking_method: str | None = text()
    packer_id: int | None = whole(index=True)
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_sales_order_fulfillment_rows: int | None = whole()


class FulfillmentRow(Part, table=True):
    """How much of an order row was fulfilled; its `id` is what returns refer to."""

    __table_args__ = part_of("fulfillment.id")

    id: int | None = whole(index=True)
    sales_order_row_id: int | None = whole(index=True)
    quantity: Decimal | None = number()
    batch_transactions: object | None = nested()
    serial_numbers: object | None = nested()
    traceability: object | None = nested()


SALES_ORDER_FULFILLMENT_TABLE = TableMapping(
    SALES_ORDER_FULFILLMENT,
    Fulfillment,
    (PartMapping("sales_order_fulfillment_rows", FulfillmentRow),),
)
