"""Bodies of `sales_orders` as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class AttributeInput(WriteModel):
    """A part of the body below."""

    key: str
    value: str


class NewSalesOrderRow(WriteModel):
    """A part of the body below."""

    quantity: Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))]
    variant_id: Ref
    tax_rate_id: Omittable[Ref] = None
    location_id: Omittable[Ref] = None
    price_per_unit: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+18"))]] = None
    total_discount: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+18"))]] = None
    attributes: Omittable[list[AttributeInput]] = None
    custom_fields: FreeFields | None = None


class NewSalesOrderAddress(WriteModel):
    """A part of the body below."""

    entity_type: Literal["billing", "shipping"]
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    phone: str | None = None


class SalesOrderCreate(WriteModel):
    """A new order with at least one row. Picked date, shipping fee and address ids are set by later calls."""

    customer_id: Annotated[int, Field(ge=0)]
    sales_order_rows: Annotated[list[NewSalesOrderRow], Field(min_length=1)]
    order_no: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    tracking_number: Annotated[str, StringConstraints(max_length=256)] | None = None
    tracking_number_url: Annotated[str, StringConstraints(max_length=2048)] | None = None
    addresses: Omittable[list[NewSalesOrderAddress]] = None
    order_created_date: Omittable[AwareDatetime] = None
    delivery_date: Omittable[AwareDatetime] = None
    currency: Omittable[str] = None
    location_id: Omittable[Annotated[int, Field(ge=0)]] = None
    status: Omittable[Literal["NOT_SHIPPED", "PENDING"]] = None
    additional_info: str | None = None
    customer_ref: Annotated[str, StringConstraints(max_length=255)] | None = None
    ecommerce_order_type: Annotated[str, StringConstraints(min_length=1)] | None = None
    ecommerce_store_name: Annotated[str, StringConstraints(min_length=1)] | None = None
    ecommerce_order_id: Annotated[str, StringConstraints(min_length=1)] | None = None
    custom_fields: FreeFields | None = None


class SalesOrderUpdate(WriteModel):
    """A change of the order's head; rows are changed through `/sales_order_rows`.

    Number, customer, location, currency and dates change only while pending or not shipped; the conversion
    only when packed or delivered; `custom_fields` merges.
    """

    not_copied = frozenset({"conversion_rate", "conversion_date"})

    order_no: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    customer_id: Omittable[Ref] = None
    order_created_date: Omittable[AwareDatetime] = None
    delivery_date: Omittable[AwareDatetime] = None
    picked_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    status: Omittable[Literal["NOT_SHIPPED", "PENDING", "READY_FOR_FULFILLMENT", "PACKED", "DELIVERED"]] = None
    currency: Omittable[str] = None
    conversion_rate: Omittable[Decimal] = None
    conversion_date: Omittable[AwareDatetime] = None
    additional_info: str | None = None
    customer_ref: Annotated[str, StringConstraints(max_length=255)] | None = None
    tracking_number: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    tracking_number_url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = None
    custom_fields: FreeFields | None = None
