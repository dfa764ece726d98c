"""What stock adjustments can be listed by."""

from typing import Annotated, Literal

from katana_mcp.surface.operations.filters import (
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
    """In a row: SKUs (texts) or variant ids."""
    adjusted_from: Annotated[Moment | None, not_before("stock_adjustment_date")] = None
    """Adjusted."""
    adjusted_to: Annotated[Until | None, not_after("stock_adjustment_date")] = None
    """Adjusted."""
    order_by: Literal[ByCreation, "-stock_adjustment_date", "stock_adjustment_date", ByChange] | None = None
    """Descending with `-`."""
    include_rows: bool = False
    """Also each adjustment's rows."""
