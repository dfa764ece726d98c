"""Purchase orders, regular and outsourced: the order and its rows.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.purchase_orders import PURCHASE_ORDER
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import Document, Part, identity, part_of, text, together, whole
from cache_typed.mapping import PartMapping, TableMapping


class PurchaseOrder(Document, table=True):
    """A purchase order, regular or outsourced (`entity_type`). `total` is with tax."""

    __table_args__ = (together("purchase_order", "status", "expected_arrival_date"),)
    _fts_columns: ClassVar[Searchable] = PURCHASE_ORDER.searchable

    id: int = identity()
    status: str | None = text(index=True)
    order_no: str | None = text()
    entity_type: str | None = text(index=True)
    default_group_id: int | None = whole(index=True)
    supplier_id: int | None = whole(index=True)
    currency: str | None = text(index=True)
    expected_arrival_date: datetime | None = moment(index=True)
    order_created_date: datetime | None = moment(index=True)
    additional_info: str | None = text()
    location_id: int | None = whole(index=True)
    total: Decimal | None = number()
    total_order: str | None = order_of("total", index=True)
    total_in_base_currency: Decimal | None = number()
    total_in_base_currency_order: str | None = order_of("total_in_base_currency", index=True)
    billing_status: str | None = text(index=True)
    last_document_status: str | None = text(index=True)
    supplier: object | None = nested()
    tracking_location_id: int | None = whole(index=True)
    ingredient_availability: str | None = text(index=True)
    ingredient_expected_date: datetime | None = moment(index=True)
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_purchase_order_rows: int | None = whole()


class PurchaseOrderRow(Part, table=True):
    """A row. `quantity` and `price_per_unit` are per purchase unit; `total` is without tax."""

    __table_args__ = part_of("purchase_order.id")

    id: int | None = whole(index=True)
    quantity: Decimal | None = number()
    variant_id: int | None = whole(index=True)
    tax_rate_id: int | None = whole()
    price_per_unit: Decimal | None = number()
    price_per_unit_in_base_currency: Decimal | None = number()
    purchase_uom_conversion_rate: Decimal | None = number()
    purchase_uom: str | None = text()
    currency: str | None = text()
    conversion_rate: Decimal | None = number()
    total: Decimal | None = number()
    total_in_base_currency: Decimal | None = number()
    conversion_date: datetime | None = moment()
    received_date: datetime | None = moment(index=True)
    arrival_date: datetime | None = moment(index=True)
    batch_transactions: object | None = nested()
    purchase_order_id: int | None = whole()
    location_id: int | None = whole(index=True)
    landed_cost: Decimal | None = number()
    group_id: int | None = whole(index=True)
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


PURCHASE_ORDER_TABLE = TableMapping(
    PURCHASE_ORDER,
    PurchaseOrder,
    (PartMapping("purchase_order_rows", PurchaseOrderRow),),
)
