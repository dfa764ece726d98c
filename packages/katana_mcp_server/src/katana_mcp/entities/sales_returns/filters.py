"""What sales returns can be listed by."""

from typing import Annotated, Literal

from katana_client.models.values import SalesReturnRefundStatus, SalesReturnStatus
from katana_mcp.entities.sales_returns.rows import ROWS
from katana_mcp.surface.operations.filters import (
    ByChange,
    ByCreation,
    Moment,
    Refers,
    Until,
    Variants,
    not_after,
    not_before,
    open_until,
)
from katana_mcp.surface.operations.open_values import SomeValues, open_value
from katana_mcp.tools.requests import ListRequest, NameOrId, own_ids


class ListSalesReturnsRequest(ListRequest):
    """Filters of `list_sales_returns`; Katana does not list deleted returns."""

    also = own_ids("sales_return_id", "sales_return_ids")

    status: Annotated[SomeValues | None, open_value(SalesReturnStatus, "status")] = None
    """Any of these."""
    open: Annotated[bool | None, open_until("status", "RESTOCKED_ALL")] = None
    """True: not in stock again; false: restocked."""
    refund_status: Annotated[SomeValues | None, open_value(SalesReturnRefundStatus, "refund_status")] = None
    """Any of these; only with an accounting integration."""
    sales_order_id: Annotated[NameOrId | None, Refers("sales_order", "sales_order_id", "sales order")] = None
    """Returned from this sales order: id or order number."""
    customer_id: Annotated[NameOrId | None, Refers("customer", "customer_id", "customer")] = None
    """Id, name or a part of it."""
    return_location_id: Annotated[NameOrId | None, Refers("location", "return_location_id", "location")] = None
    """Where it comes back: id, name or a part of it."""
    skus_or_variant_ids: Annotated[
        Variants | None, Refers("variant", "variant_id", "variant", inside=(ROWS, "sales_return_id"))
    ] = None
    """In a row: SKUs (texts) or variant ids."""
    ordered_from: Annotated[Moment | None, not_before("order_created_date")] = None
    """Its `order_created_date`."""
    ordered_to: Annotated[Until | None, not_after("order_created_date")] = None
    """Its `order_created_date`."""
    returned_from: Annotated[Moment | None, not_before("return_date")] = None
    """Came back."""
    returned_to: Annotated[Until | None, not_after("return_date")] = None
    """Came back."""
    created_from: Annotated[Moment | None, not_before("created_at")] = None
    """Created."""
    created_to: Annotated[Until | None, not_after("created_at")] = None
    """Created."""
    updated_from: Annotated[Moment | None, not_before("updated_at")] = None
    """Changed."""
    updated_to: Annotated[Until | None, not_after("updated_at")] = None
    """Changed."""
    order_by: Literal[ByCreation, "-return_date", "return_date", ByChange] | None = None
    """Descending with `-`."""
    include_rows: bool = False
    """Also each return's rows."""
