"""Sales orders: the order, its rows, addresses and shipping fee.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.spec import Searchable
from cache_core.specs.sales_orders import SALES_ORDER
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import Document, Part, identity, part_of, text, together, whole
from cache_typed.mapping import PartMapping, TableMapping


class SalesOrder(Document, table=True):
    """A sales order. `total` is with tax; states, availabilities and expected dates are computed by Katana."""

    __table_args__ = (together("sales_order", "status", "delivery_date"),)
    _fts_columns: ClassVar[Searchable] = SALES_ORDER.searchable

    id: int = identity()
    customer_id: int | None = whole(index=True)
    order_no: str | None = text()
    source: str | None = text(index=True)
    order_created_date: datetime | None = moment(index=True)
    delivery_date: datetime | None = moment(index=True)
    picked_date: datetime | None = moment(index=True)
    location_id: int | None = whole(index=True)
    status: str | None = text(index=True)
    currency: str | None = text(index=True)
    conversion_rate: Decimal | None = number()
    conversion_date: datetime | None = moment()
    invoicing_status: str | None = text(index=True)
    total: Decimal | None = number()
    total_order: str | None = order_of("total", index=True)
    total_in_base_currency: Decimal | None = number()
    total_in_base_currency_order: str | None = order_of("total_in_base_currency", index=True)
    additional_info: str | None = text()
    customer_ref: str | None = text()
    ecommerce_order_type: str | None = text()
    ecommerce_store_name: str | None = text()
    ecommerce_order_id: str | None = text(index=True)
    product_availability: str | None = text(index=True)
    product_expected_date: datetime | None = moment(index=True)
    ingredient_availability: str | None = text(index=True)
    ingredient_expected_date: datetime | None = moment()
    production_status: str | None = text(index=True)
    tracking_number: str | None = text(index=True)
    tracking_number_url: str | None = text()
    billing_address_id: int | None = whole()
    shipping_address_id: int | None = whole()
    linked_manufacturing_order_id: int | None = whole(index=True)
    custom_fields: object | None = nested()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    cache_count_sales_order_rows: int | None = whole()
    cache_count_addresses: int | None = whole()
    cache_count_fulfillments: int | None = whole()
    cache_count_shipping_fee: int | None = whole()


class SalesOrderRow(Part, table=True):
    """A row. `total` is without tax; `total_discount` is for the whole row."""

    __table_args__ = part_of("sales_order.id")

    id: int | None = whole(index=True)
    sales_order_id: int | None = whole()
    quantity: Decimal | None = number()
    variant_id: int | None = whole(index=True)
    tax_rate_id: int | None = whole()
    tax_rate: Decimal | None = number()
    location_id: int | None = whole(index=True)
    product_availability: str | None = text()
    product_expected_date: datetime | None = moment()
    price_per_unit: Decimal | None = number()
    price_per_unit_in_base_currency: Decimal | None = number()
    total: Decimal | None = number()
    total_in_base_currency: Decimal | None = number()
    total_discount: Decimal | None = number()
    cogs_value: Decimal | None = number()
    attributes: object | None = nested()
    batch_transactions: object | None = nested()
    serial_numbers: object | None = nested()
    serial_number_transactions: object | None = nested()
    linked_manufacturing_order_id: int | None = whole(index=True)
    conversion_rate: Decimal | None = number()
    conversion_date: datetime | None = moment()
    custom_fields: object | None = nested()
    sku: str | None = text()
    traceability: object | None = nested()
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


class SalesOrderAddress(Part, table=True):
    """The billing or shipping address of a sales order."""

    __table_args__ = part_of("sales_order.id")

    id: int | None = whole()
    sales_order_id: int | None = whole()
    entity_type: str | None = text()
    first_name: str | None = text()
    last_name: str | None = text()
    company: str | None = text()
    phone: str | None = text()
    line_1: str | None = text()
    line_2: str | None = text()
    city: str | None = text()
    state: str | None = text()
    zip: str | None = text()
    country: str | None = text()
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


class SalesOrderFulfillment(Part, table=True):
    """A fulfillment; `picked_date` is the date of its stock movement."""

    __table_args__ = part_of("sales_order.id")

    id: int | None = whole()
    sales_order_id: int | None = whole()
    picked_date: datetime | None = moment()
    status: str | None = text()
    invoice_status: str | None = text()
    conversion_rate: Decimal | None = number()
    conversion_date: datetime | None = moment()
    tracking_number: str | None = text()
    tracking_url: str | None = text()
    tracking_carrier: str | None = text()
    tracking_method: str | None = text()
    packer_id: int | None = whole()
    sales_order_fulfillment_rows: object | None = nested()
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


class SalesOrderShippingFee(Part, table=True):
    """A shipping fee; it has no timestamps."""

    __table_args__ = part_of("sales_order.id")

    id: int | None = whole()
    sales_order_id: int | None = whole()
    amount: Decimal | None = number()
    tax_rate_id: int | None = whole()
    description: str | None = text()


SALES_ORDER_TABLE = TableMapping(
    SALES_ORDER,
    SalesOrder,
    (
        PartMapping("sales_order_rows", SalesOrderRow),
        PartMapping("addresses", SalesOrderAddress),
        PartMapping("fulfillments", SalesOrderFulfillment),
        PartMapping("shipping_fee", SalesOrderShippingFee, single=True),
    ),
)
