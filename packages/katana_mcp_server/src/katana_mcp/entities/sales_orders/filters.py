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
    """Any of these."""
    open: Annotated[bool | None, open_until("status", "DELIVERED")] = None
    """Not wholly delivered; false: delivered."""
    overdue: Annotated[bool | None, where_set(is_late)] = None
    """Open past its delivery date; no quotes."""
    product_availability: Annotated[
        list[Availability] | None,
        Field(min_length=1, max_length=5),
        spelling(Availability),
        one_of("product_availability"),
    ] = None
    """Of its products."""
    production_status: Annotated[
        list[Production] | None, Field(min_length=1, max_length=6), spelling(Production), one_of("production_status")
    ] = None
    """Of its manufacturing."""
    invoicing_status: Annotated[
        list[Invoicing] | None, Field(min_length=1, max_length=3), spelling(Invoicing), one_of("invoicing_status")
    ] = None
    """None without shipments."""
    customer_id: Annotated[NameOrId | None, Refers("customer", "customer_id", "customer")] = None
    """Id, name or a part of it."""
    location_id: AtLocation = None
    skus_or_variant_ids: Annotated[Variants | None, Refers("variant", "sales_order_rows[].variant_id", "variant")] = (
        None
    )
    """In a row: SKUs (texts) or variant ids."""
    currency: InCurrency = None
    delivery_from: Annotated[Moment | None, not_before("delivery_date")] = None
    """When it is due."""
    delivery_to: Annotated[Until | None, not_after("delivery_date")] = None
    """When it is due."""
    picked_from: Annotated[Moment | None, not_before("picked_date")] = None
    """Last shipped."""
    picked_to: Annotated[Until | None, not_after("picked_date")] = None
    """Last shipped."""
    total_min: TotalFrom = None
    total_max: TotalTo = None
    order_by: Literal[ByCreation, "-delivery_date", "delivery_date", ByChange, ByTotal] | None = None
    """Descending with `-`."""
    include_rows: bool = False
    """Also each order's rows."""
