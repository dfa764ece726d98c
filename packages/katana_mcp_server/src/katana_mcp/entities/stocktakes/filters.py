"""What stocktakes can be listed by."""

from typing import Annotated, Literal

from katana_client.models.values import StocktakeStatus
from katana_mcp.entities.stocktakes.rows import ROWS
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
    open_until,
)
from katana_mcp.surface.operations.open_values import SomeValues, open_value
from katana_mcp.tools.requests import own_ids


class ListStocktakesRequest(DatedListRequest):
    """Filters of `list_stocktakes`."""

    also = own_ids("stocktake_id", "stocktake_ids")

    stocktake_number: Annotated[ExactText | None, exactly("stocktake_number")] = None
    """The exact number."""
    status: Annotated[SomeValues | None, open_value(StocktakeStatus, "status")] = None
    """Any of these."""
    open: Annotated[bool | None, open_until("status", "COMPLETED")] = None
    """True: not completed; false: completed."""
    location_id: AtLocation = None
    skus_or_variant_ids: Annotated[
        Variants | None, Refers("variant", "variant_id", "variant", inside=(ROWS, "stocktake_id"))
    ] = None
    """In a row: SKUs (texts) or variant ids."""
    completed_from: Annotated[Moment | None, not_before("completed_date")] = None
    """Completed."""
    completed_to: Annotated[Until | None, not_after("completed_date")] = None
    """Completed."""
    order_by: Literal[ByCreation, "-completed_date", "completed_date", ByChange] | None = None
    """Descending with `-`."""
    include_rows: bool = False
    """Also each stocktake's rows."""
