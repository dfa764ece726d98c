"""What sales orders can be listed by."""

from typing import Annotated, Literal

from pydantic import Field

from katana_mcp.entities.sales_orders.rows import overdue as is_late
from katana_mcp.operations.filters import (
    AtLocation,
    ByChange,
    ByCreation,
    ByTotal,
    InCurrency,
    Moment,
    OrderedListRequest,
    Refers,
    TotalFrom,
    TotalTo,
    Until,
    Variants,
    not_after,
    not_before,
    one_of,
    open_until,
    spelling,
    where_set,
)
from katana_mcp.tools.requests import NameOrId, own_ids

type Status = Literal["PENDING", "NOT_SHIPPED", "PARTIALLY_PACKED", "PACKED", "PARTIALLY_DELIVERED", "DELIVERED"]

type Availability = Literal["IN_STOCK", "EXPECTED", "PICKED", "NOT_AVAILABLE", "NOT_APPLICABLE"]
type Production = Literal["NOT_STARTED", "NONE", "NOT_APPLICABLE", "IN_PROGRESS", "BLOCKED", "DONE"]
type Invoicing = Literal["notInvoiced", "partiallyInvoiced", "invoiced"]


class ListSalesOrdersRequest(OrderedListRequest):
    """Filters of `list_sales_orders`."""

    also = own_ids("sales_order_id", "sales_order_ids")

    status: Annotated[list[Status] | None, Field(min_length=1, max_length=6), spelling(Status), one_of("status")] = None
    """Only these statuses."""
    open: Annotated[bool | None, open_until("status", "DELIVERED")] = None
    """True: not wholly delivered; false: delivered."""
    overdue: Annotated[bool | None, where_set(is_late)] = None
    """True: open orders whose delivery date has passed; quotes do not count. False: no filter."""
    product_availability: Annotated[
        list[Availability] | None,
        Field(min_length=1, max_length=5),
        spelling(Availability),
        one_of("product_availability"),
    ] = None
    """Only orders whose products are so."""
    production_status: Annotated[
        list[Production] | None, Field(min_length=1, max_length=6), spelling(Production), one_of("production_status")
    ] = None
    """Only orders whose manufacturing stands so."""
    invoicing_status: Annotated[
        list[Invoicing] | None, Field(min_length=1, max_length=3), spelling(Invoicing), one_of("invoicing_status")
    ] = None
    """Only these invoicing statuses; orders without a shipment have none."""
    customer_id: Annotated[NameOrId | None, Refers("customer", "customer_id", "customer")] = None
    """Customer id, or name or a part of it."""
    location_id: AtLocation = None
    skus_or_variant_ids: Annotated[Variants | None, Refers("variant", "sales_order_rows[].variant_id", "variant")] = (
        None
    )
    """Orders with a row for any of these SKUs (texts) or variant ids (integers)."""
    currency: InCurrency = None
    delivery_from: Annotated[Moment | None, not_before("delivery_date")] = None
    """Due at or after this moment."""
    delivery_to: Annotated[Until | None, not_after("delivery_date")] = None
    """Due at or before this moment; a date alone includes that day."""
    picked_from: Annotated[Moment | None, not_before("picked_date")] = None
    """Last shipped at or after this moment."""
    picked_to: Annotated[Until | None, not_after("picked_date")] = None
    """Last shipped at or before this moment; a date alone includes that day."""
    total_min: TotalFrom = None
    total_max: TotalTo = None
    order_by: Literal[ByCreation, "-delivery_date", "delivery_date", ByChange, ByTotal] | None = None
    """Sort key, `-` for descending; newest created first by default."""
    include_rows: bool = False
    """Also each order's rows, with SKU and name."""
