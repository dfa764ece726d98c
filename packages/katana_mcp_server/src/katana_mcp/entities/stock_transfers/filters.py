"""What stock transfers can be listed by."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from cache_core.conditions import OneOf, Where
from katana_mcp.entities.stock_transfers.rows import overdue as is_late
from katana_mcp.operations.filters import (
    DatedListRequest,
    Moment,
    Refers,
    Until,
    not_after,
    not_before,
    one_of,
    spelling,
    switch,
    unless,
)
from katana_mcp.tools.requests import NameOrId, SkuOrVariantId

type Status = Literal["draft", "inTransit", "received"]
STATUSES = ("draft", "inTransit", "received")


def is_open(_: datetime) -> Where:
    """Not received."""
    return unless("status", "received")


def is_closed(_: datetime) -> Where:
    """Received."""
    return (OneOf("status", ("received",)),)


class ListStockTransfersRequest(DatedListRequest):
    """Filters of `list_stock_transfers`."""

    status: Annotated[
        Annotated[list[Status], Field(min_length=1, max_length=3)] | None, spelling(STATUSES), one_of("status")
    ] = None
    """Only these statuses."""
    open: Annotated[bool | None, switch(is_open, is_closed)] = None
    """True: not received; false: received."""
    overdue: Annotated[bool | None, switch(is_late, lambda _: ())] = None
    """True: in transit though the arrival date has passed; drafts do not count. False: no filter."""
    source_location_id: Annotated[NameOrId | None, Refers("location", "source_location_id", "location")] = None
    """Where it leaves: location id, or the location's exact name."""
    target_location_id: Annotated[NameOrId | None, Refers("location", "target_location_id", "location")] = None
    """Where it goes: location id, or the location's exact name."""
    skus_or_variant_ids: Annotated[
        list[SkuOrVariantId] | None,
        Refers("variant", "stock_transfer_rows[].variant_id", "variant"),
        Field(min_length=1, max_length=100),
    ] = None
    """Transfers with a row for any of these SKUs (texts) or variant ids (integers)."""
    transfer_from: Annotated[Moment | None, not_before("transfer_date")] = None
    """Transferred at or after this moment."""
    transfer_to: Annotated[Until | None, not_after("transfer_date")] = None
    """Transferred at or before this moment; a date alone includes that day."""
    arrival_from: Annotated[Moment | None, not_before("expected_arrival_date")] = None
    """Expected at or after this moment."""
    arrival_to: Annotated[Until | None, not_after("expected_arrival_date")] = None
    """Expected at or before this moment; a date alone includes that day."""
    order_by: (
        Literal[
            "-created_at",
            "created_at",
            "-transfer_date",
            "transfer_date",
            "-expected_arrival_date",
            "expected_arrival_date",
            "-updated_at",
            "updated_at",
        ]
        | None
    ) = None
    """Sort key, `-` for descending; newest created first by default."""
    include_rows: bool = False
    """Also each transfer's rows, with SKU and name."""
