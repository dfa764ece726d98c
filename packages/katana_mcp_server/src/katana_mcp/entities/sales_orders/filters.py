"""What sales orders can be listed by."""

from typing import Annotated, Literal

from pydantic import Field

from katana_mcp.entities.sales_orders.rows import overdue as is_late
from katana_mcp.operations.filters import (
    Amount,
    Currency,
    DatedListRequest,
    Moment,
    Refers,
    Until,
    Variants,
    at_least,
    at_most,
    equals,
    not_after,
    not_before,
    one_of,
    open_until,
    spelling,
    where_set,
)
from katana_mcp.tools.requests import NameOrId

type Status = Literal["PENDING", "NOT_SHIPPED", "PARTIALLY_PACKED", "PACKED", "PARTIALLY_DELIVERED", "DELIVERED"]

type Availability = Literal["IN_STOCK", "EXPECTED", "PICKED", "NOT_AVAILABLE", "NOT_APPLICABLE"]
type Production = Literal["NOT_STARTED", "NONE", "NOT_APPLICABLE", "IN_PROGRESS", "BLOCKED", "DONE"]
type Invoicing = Literal["notInvoiced", "partiallyInvoiced", "invoiced"]


class ListSalesOrdersRequest(DatedListRequest):
    """Filters of `list_sales_orders`."""

    status: Annotated[
        Annotated[list[Status], Field(min_length=1, max_length=6)] | None, spelling(Status), one_of("status")
    ] = None
    """Only these statuses."""
    open: Annotated[bool | None, open_until("status", "DELIVERED")] = None
    """True: not wholly delivered; false: delivered."""
    overdue: Annotated[bool | None, where_set(is_late)] = None
    """True: open orders whose delivery date has passed; quotes do not count. False: no filter."""
    product_availability: Annotated[
        Annotated[list[Availability], Field(min_length=1, max_length=5)] | None,
        spelling(Availability),
        one_of("product_availability"),
    ] = None
    """Only orders whose products are so."""
    production_status: Annotated[
        Annotated[list[Production], Field(min_length=1, max_length=6)] | None,
        spelling(Production),
        one_of("production_status"),
    ] = None
    """Only orders whose manufacturing stands so."""
    invoicing_status: Annotated[
        Annotated[list[Invoicing], Field(min_length=1, max_length=3)] | None,
        spelling(Invoicing),
        one_of("invoicing_status"),
    ] = None
    """Only these invoicing statuses; orders without a shipment have none."""
    customer_id: Annotated[NameOrId | None, Refers("customer", "customer_id", "customer")] = None
    """Customer id, or the customer's exact name."""
    location_id: Annotated[NameOrId | None, Refers("location", "location_id", "location")] = None
    """Location id, or the location's exact name."""
    skus_or_variant_ids: Annotated[Variants | None, Refers("variant", "sales_order_rows[].variant_id", "variant")] = (
        None
    )
    """Orders with a row for any of these SKUs (texts) or variant ids (integers)."""
    currency: Annotated[Currency | None, equals("currency")] = None
    """ISO 4217 code, EUR."""
    delivery_from: Annotated[Moment | None, not_before("delivery_date")] = None
    """Due at or after this moment."""
    delivery_to: Annotated[Until | None, not_after("delivery_date")] = None
    """Due at or before this moment; a date alone includes that day."""
    picked_from: Annotated[Moment | None, not_before("picked_date")] = None
    """Last shipped at or after this moment."""
    picked_to: Annotated[Until | None, not_after("picked_date")] = None
    """Last shipped at or before this moment; a date alone includes that day."""
    total_min: Annotated[Amount | None, at_least("total")] = None
    """Total with tax, in the order's currency, at least this."""
    total_max: Annotated[Amount | None, at_most("total")] = None
    """Total with tax, in the order's currency, at most this."""
    order_by: (
        Literal[
            "-created_at",
            "created_at",
            "-delivery_date",
            "delivery_date",
            "-updated_at",
            "updated_at",
            "-total_in_base_currency",
            "total_in_base_currency",
        ]
        | None
    ) = None
    """Sort key, `-` for descending; newest created first by default."""
    include_rows: bool = False
    """Also each order's rows, with SKU and name."""
