"""What purchase orders can be listed by."""

from typing import Annotated, Literal

from katana_client.models.values import PurchaseOrderBillingStatus, PurchaseOrderEntityType, PurchaseOrderStatus
from katana_mcp.entities.purchase_orders.rows import overdue as is_late
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
from katana_mcp.surface.operations.open_values import OneValue, SomeValues, open_value
from katana_mcp.tools.requests import NameOrId, own_ids


class ListPurchaseOrdersRequest(OrderedListRequest):
    """Filters of `list_purchase_orders`."""

    also = own_ids("purchase_order_id", "purchase_order_ids")

    status: Annotated[SomeValues | None, open_value(PurchaseOrderStatus, "status")] = None
    """Any of these."""
    open: Annotated[bool | None, open_until("status", "RECEIVED")] = None
    """True: not fully received; false: received."""
    overdue: Annotated[bool | None, where_set(is_late)] = None
    """True: open orders whose arrival date has passed; drafts do not count."""
    billing_status: Annotated[SomeValues | None, open_value(PurchaseOrderBillingStatus, "billing_status")] = None
    """Only these billing statuses."""
    entity_type: Annotated[OneValue | None, open_value(PurchaseOrderEntityType, "entity_type")] = None
    """Bought, or made for us from our ingredients."""
    supplier_id: Annotated[NameOrId | None, Refers("supplier", "supplier_id", "supplier")] = None
    """Id, name or a part of it."""
    location_id: AtLocation = None
    skus_or_variant_ids: Annotated[
        Variants | None, Refers("variant", "purchase_order_rows[].variant_id", "variant")
    ] = None
    """In a row: SKUs (texts) or variant ids."""
    currency: InCurrency = None
    custom_fields: Annotated[CustomValues | None, carries("PurchaseOrder", "purchase_order_rows")] = None
    """By label or id."""
    arrival_from: Annotated[Moment | None, not_before("expected_arrival_date")] = None
    """Expected."""
    arrival_to: Annotated[Until | None, not_after("expected_arrival_date")] = None
    """Expected."""
    received_from: Annotated[Moment | None, not_before("purchase_order_rows[].received_date")] = None
    """With a row received."""
    received_to: Annotated[Until | None, not_after("purchase_order_rows[].received_date")] = None
    """With a row received."""
    total_min: TotalFrom = None
    total_max: TotalTo = None
    order_by: Literal[ByCreation, "-expected_arrival_date", "expected_arrival_date", ByChange, ByTotal] | None = None
    """Descending with `-`."""
    include_rows: bool = False
    """Also each order's rows."""
    rows_only: bool = False
    """Rows as results, those that meet the filters."""
