"""What purchase orders can be listed by."""

from typing import Annotated, Literal

from pydantic import Field

from katana_mcp.entities.purchase_orders.rows import overdue as is_late
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
    equals,
    not_after,
    not_before,
    one_of,
    open_until,
    spelling,
    where_set,
)
from katana_mcp.tools.requests import NameOrId, own_ids

type Status = Literal["DRAFT", "NOT_RECEIVED", "PARTIALLY_RECEIVED", "RECEIVED"]
type BillingStatus = Literal["NOT_BILLED", "PARTIALLY_BILLED", "BILLED"]
type Kind = Literal["regular", "outsourced"]


class ListPurchaseOrdersRequest(OrderedListRequest):
    """Filters of `list_purchase_orders`."""

    also = own_ids("purchase_order_id", "purchase_order_ids")

    status: Annotated[list[Status] | None, Field(min_length=1, max_length=4), spelling(Status), one_of("status")] = None
    """Any of these."""
    open: Annotated[bool | None, open_until("status", "RECEIVED")] = None
    """True: not wholly received; false: received."""
    overdue: Annotated[bool | None, where_set(is_late)] = None
    """True: open orders whose arrival date has passed; drafts do not count."""
    billing_status: Annotated[
        list[BillingStatus] | None, Field(min_length=1, max_length=3), spelling(BillingStatus), one_of("billing_status")
    ] = None
    """Only these billing statuses."""
    entity_type: Annotated[Kind | None, spelling(Kind), equals("entity_type")] = None
    """Bought, or made by a supplier of our ingredients."""
    supplier_id: Annotated[NameOrId | None, Refers("supplier", "supplier_id", "supplier")] = None
    """Id, name or a part of it."""
    location_id: AtLocation = None
    skus_or_variant_ids: Annotated[
        Variants | None, Refers("variant", "purchase_order_rows[].variant_id", "variant")
    ] = None
    """In a row: SKUs (texts) or variant ids."""
    currency: InCurrency = None
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
