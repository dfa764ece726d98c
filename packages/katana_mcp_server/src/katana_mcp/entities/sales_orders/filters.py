"""What sales orders can be listed by."""

from typing import Annotated, Literal

from katana_client.models.values import (
    SalesOrderInvoicingStatus,
    SalesOrderProductAvailability,
    SalesOrderProductionStatus,
    SalesOrderStatus,
)
from katana_mcp.entities.sales_orders.rows import overdue as is_late
from katana_mcp.surface.operations.custom_filters import CustomValues, carries
from katana_mcp.surface.operations.filters import (
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
    open_until,
    where_set,
)
from katana_mcp.surface.operations.open_values import SomeValues, open_value
from katana_mcp.tools.requests import NameOrId, own_ids


class ListSalesOrdersRequest(OrderedListRequest):
    """Filters of `list_sales_orders`."""

    also = own_ids("sales_order_id", "sales_order_ids")

    status: Annotated[SomeValues | None, open_value(SalesOrderStatus, "status")] = None
    """Any of these."""
    open: Annotated[bool | None, open_until("status", "DELIVERED")] = None
    """Undelivered."""
    overdue: Annotated[bool | None, where_set(is_late)] = None
    """Late, no quotes."""
    product_availability: Annotated[
        SomeValues | None, open_value(SalesOrderProductAvailability, "product_availability")
    ] = None
    """Of goods."""
    production_status: Annotated[SomeValues | None, open_value(SalesOrderProductionStatus, "production_status")] = None
    """Production."""
    invoicing_status: Annotated[SomeValues | None, open_value(SalesOrderInvoicingStatus, "invoicing_status")] = None
    """Null: not shipped."""
    customer_id: Annotated[NameOrId | None, Refers("customer", "customer_id", "customer")] = None
    """Id, name or part of it."""
    location_id: AtLocation = None
    skus_or_variant_ids: Annotated[Variants | None, Refers("variant", "sales_order_rows[].variant_id", "variant")] = (
        None
    )
    """Of its rows."""
    currency: InCurrency = None
    custom_fields: Annotated[CustomValues | None, carries("SalesOrder", "sales_order_rows")] = None
    """By label or id."""
    delivery_from: Annotated[Moment | None, not_before("delivery_date")] = None
    """Due date."""
    delivery_to: Annotated[Until | None, not_after("delivery_date")] = None
    """Due date."""
    picked_from: Annotated[Moment | None, not_before("picked_date")] = None
    """Shipped."""
    picked_to: Annotated[Until | None, not_after("picked_date")] = None
    """Shipped."""
    total_min: TotalFrom = None
    total_max: TotalTo = None
    order_by: Literal[ByCreation, "-delivery_date", "delivery_date", ByChange, ByTotal] | None = None
    """Descending with `-`."""
    include_rows: bool = False
    """With rows."""
    rows_only: bool = False
    """Rows as results."""
