"""Bodies of searches: conditions by field, an order, a page.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from katana_client.wire import FreeFields, Omittable, WriteModel


class SearchComparator(WriteModel):
    """`SearchComparator` of the facts."""

    neq: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | None = None
    gt: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | None = None
    gte: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | None = None
    lt: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | None = None
    lte: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | None = None
    inq: Omittable[
        Annotated[
            list[Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | None], Field(max_length=100)
        ]
    ] = None
    nin: Omittable[
        Annotated[
            list[Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | None], Field(max_length=100)
        ]
    ] = None
    between: Omittable[
        Annotated[
            list[Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | None],
            Field(min_length=2, max_length=2),
        ]
    ] = None
    like: Omittable[Annotated[str, StringConstraints(max_length=256)]] = None
    ilike: Omittable[Annotated[str, StringConstraints(max_length=256)]] = None


class CustomerSearchFilter(WriteModel):
    """`CustomerSearchFilter` of the facts."""

    and_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="and")
    or_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="or")
    category: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    comment: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    company: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    created_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    currency: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    default_billing_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    default_shipping_id: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    email: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    first_name: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    last_name: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    name: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    phone: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    reference_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    updated_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None


class CustomerSearch(WriteModel):
    """`CustomerSearchRequest` of the facts."""

    filter: Omittable[CustomerSearchFilter] = None
    order: Omittable[str | list[str]] = None
    limit: Omittable[Annotated[int, Field(ge=0, le=200)]] = None
    page: Omittable[Annotated[int, Field(ge=1)]] = None


class ManufacturingOrderSearchFilter(WriteModel):
    """`ManufacturingOrderSearchFilter` of the facts."""

    and_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="and")
    or_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="or")
    actual_quantity: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    completed_quantity: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    created_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    done_date: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    includes_partial_completions: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    ingredient_availability: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    is_linked_to_sales_order: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    location_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    order_created_date: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    order_no: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    planned_quantity: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    production_deadline_date: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    remaining_quantity: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    status: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    total_cost: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    updated_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    variant_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None


class ManufacturingOrderSearch(WriteModel):
    """`ManufacturingOrderSearchRequest` of the facts."""

    filter: Omittable[ManufacturingOrderSearchFilter] = None
    order: Omittable[str | list[str]] = None
    limit: Omittable[Annotated[int, Field(ge=0, le=200)]] = None
    page: Omittable[Annotated[int, Field(ge=1)]] = None


class PurchaseOrderSearchFilter(WriteModel):
    """`PurchaseOrderSearchFilter` of the facts."""

    and_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="and")
    or_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="or")
    billing_status: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    created_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    currency: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    default_group_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    entity_type: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    expected_arrival_date: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    last_document_status: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    location_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    order_created_date: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    order_no: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    status: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    supplier_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    tracking_location_id: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    updated_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None


class PurchaseOrderSearch(WriteModel):
    """`PurchaseOrderSearchRequest` of the facts."""

    filter: Omittable[PurchaseOrderSearchFilter] = None
    order: Omittable[str | list[str]] = None
    limit: Omittable[Annotated[int, Field(ge=0, le=200)]] = None
    page: Omittable[Annotated[int, Field(ge=1)]] = None


class SalesOrderRowSearchFilter(WriteModel):
    """`SalesOrderRowSearchFilter` of the facts."""

    and_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="and")
    or_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="or")
    id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    sales_order_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    variant_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    location_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    tax_rate_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    quantity: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    price_per_unit: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    total_discount: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    tax_rate: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    currency: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    product_availability: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    created_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    updated_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    delivery_date: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    shipping_date: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None


class SalesOrderRowSearch(WriteModel):
    """`SalesOrderRowSearchRequest` of the facts."""

    filter: Omittable[SalesOrderRowSearchFilter] = None
    order: Omittable[str | list[str]] = None
    limit: Omittable[Annotated[int, Field(ge=0, le=200)]] = None
    page: Omittable[Annotated[int, Field(ge=1)]] = None


class SalesOrderSearchFilter(WriteModel):
    """`SalesOrderSearchFilter` of the facts."""

    and_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="and")
    or_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="or")
    id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    order_no: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    customer_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    customer_ref: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    location_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    status: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    invoicing_status: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    production_status: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    source: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    currency: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    product_availability: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    ingredient_availability: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    ecommerce_order_type: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    ecommerce_store_name: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    ecommerce_order_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    tracking_number: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    created_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    updated_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    order_created_date: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    delivery_date: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    picked_date: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None


class SalesOrderSearch(WriteModel):
    """`SalesOrderSearchRequest` of the facts."""

    filter: Omittable[SalesOrderSearchFilter] = None
    order: Omittable[str | list[str]] = None
    limit: Omittable[Annotated[int, Field(ge=0, le=200)]] = None
    page: Omittable[Annotated[int, Field(ge=1)]] = None


class VariantSearchFilter(WriteModel):
    """`VariantSearchFilter` of the facts."""

    and_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="and")
    or_: Omittable[list[FreeFields]] = Field(default=None, serialization_alias="or")
    abc_classification: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    created_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    internal_barcode: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    item_id: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    item_type: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    lead_time: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    minimum_order_quantity: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    purchase_price: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    registered_barcode: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = (
        None
    )
    sales_price: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    sku: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None
    supplier_item_codes: (
        Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None
    ) = None
    updated_at: Annotated[str, StringConstraints(max_length=256)] | Decimal | bool | SearchComparator | None = None


class VariantSearch(WriteModel):
    """`VariantSearchRequest` of the facts."""

    filter: Omittable[VariantSearchFilter] = None
    order: Omittable[str | list[str]] = None
    limit: Omittable[Annotated[int, Field(ge=0, le=200)]] = None
    page: Omittable[Annotated[int, Field(ge=1)]] = None
    include: Omittable[list[Literal["item", "archived", "deleted"]]] = None
