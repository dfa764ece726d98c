"""What stock transfers can be listed by."""

from typing import Annotated, Literal

from katana_client.models.values import StockTransferStatus
from katana_mcp.entities.stock_transfers.rows import overdue as is_late
from katana_mcp.surface.operations.filters import (
    ByChange,
    ByCreation,
    DatedListRequest,
    Moment,
    Refers,
    Until,
    Variants,
    not_after,
    not_before,
    open_until,
    where_set,
)
from katana_mcp.surface.operations.open_values import SomeValues, open_value
from katana_mcp.tools.requests import NameOrId, own_ids

type SortKey = Literal[
    ByCreation, "-transfer_date", "transfer_date", "-expected_arrival_date", "expected_arrival_date", ByChange
]


class ListStockTransfersRequest(DatedListRequest):
    """Filters of `list_stock_transfers`."""

    also = own_ids("stock_transfer_id", "stock_transfer_ids")

    status: Annotated[SomeValues | None, open_value(StockTransferStatus, "status")] = None
    """Any of these."""
    open: Annotated[bool | None, open_until("status", "received")] = None
    """True: not received; false: received."""
    overdue: Annotated[bool | None, where_set(is_late)] = None
    """True: in transit though the arrival date has passed; drafts do not count."""
    source_location_id: Annotated[NameOrId | None, Refers("location", "source_location_id", "location")] = None
    """Where it leaves: id, name or a part of it."""
    target_location_id: Annotated[NameOrId | None, Refers("location", "target_location_id", "location")] = None
    """Where it goes: id, name or a part of it."""
    skus_or_variant_ids: Annotated[
        Variants | None, Refers("variant", "stock_transfer_rows[].variant_id", "variant")
    ] = None
    """In a row: SKUs (texts) or variant ids."""
    transfer_from: Annotated[Moment | None, not_before("transfer_date")] = None
    """Transferred."""
    transfer_to: Annotated[Until | None, not_after("transfer_date")] = None
    """Transferred."""
    arrival_from: Annotated[Moment | None, not_before("expected_arrival_date")] = None
    """Expected."""
    arrival_to: Annotated[Until | None, not_after("expected_arrival_date")] = None
    """Expected."""
    order_by: SortKey | None = None
    """Descending with `-`."""
    include_rows: bool = False
    """Also each transfer's rows."""
