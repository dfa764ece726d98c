"""What stock adjustments can be listed by."""

from typing import Annotated, Literal

from katana_mcp.operations.filters import (
    AtLocation,
    ByChange,
    ByCreation,
    DatedListRequest,
    ExactText,
    Moment,
    Refers,
    Until,
    Variants,
    exactly,
    not_after,
    not_before,
)
from katana_mcp.tools.requests import own_ids


class ListStockAdjustmentsRequest(DatedListRequest):
    """Filters of `list_stock_adjustments`."""

    also = own_ids("stock_adjustment_id", "stock_adjustment_ids")

    location_id: AtLocation = None
    reason: Annotated[ExactText | None, exactly("reason")] = None
    """The exact reason; `search_stock_adjustments` finds parts of it."""
    skus_or_variant_ids: Annotated[
        Variants | None, Refers("variant", "stock_adjustment_rows[].variant_id", "variant")
    ] = None
    """Adjustments with a row for any of these SKUs (texts) or variant ids (integers)."""
    adjusted_from: Annotated[Moment | None, not_before("stock_adjustment_date")] = None
    """Adjusted at or after this moment."""
    adjusted_to: Annotated[Until | None, not_after("stock_adjustment_date")] = None
    """Adjusted at or before this moment; a date alone includes that day."""
    order_by: Literal[ByCreation, "-stock_adjustment_date", "stock_adjustment_date", ByChange] | None = None
    """Sort key, `-` for descending; newest created first by default."""
    include_rows: bool = False
    """Also each adjustment's rows, with SKU and name."""
