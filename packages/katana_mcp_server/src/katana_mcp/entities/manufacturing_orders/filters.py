"""What manufacturing orders can be listed by."""

from typing import Annotated, Literal

from katana_client.models.values import ManufacturingOrderIngredientAvailability, ManufacturingOrderStatus
from katana_mcp.entities.manufacturing_orders.rows import overdue as is_late
from katana_mcp.surface.operations.filters import (
    AtLocation,
    ByChange,
    ByCreation,
    Moment,
    OrderedListRequest,
    Refers,
    Until,
    Variants,
    equals,
    not_after,
    not_before,
    open_until,
    where_set,
)
from katana_mcp.surface.operations.open_values import SomeValues, open_value
from katana_mcp.tools.requests import NameOrId, own_ids

type SortKey = Literal[
    ByCreation, "-production_deadline_date", "production_deadline_date", "-done_date", "done_date", ByChange
]


class ListManufacturingOrdersRequest(OrderedListRequest):
    """Filters of `list_manufacturing_orders`."""

    also = own_ids("manufacturing_order_id", "manufacturing_order_ids", "linked_manufacturing_order_id")

    status: Annotated[SomeValues | None, open_value(ManufacturingOrderStatus, "status")] = None
    """Any of these."""
    open: Annotated[bool | None, open_until("status", "DONE")] = None
    """True: not done; false: done."""
    overdue: Annotated[bool | None, where_set(is_late)] = None
    """True: open orders whose production deadline has passed."""
    ingredient_availability: Annotated[
        SomeValues | None, open_value(ManufacturingOrderIngredientAvailability, "ingredient_availability")
    ] = None
    """Whether its ingredients are there."""
    skus_or_variant_ids: Annotated[Variants | None, Refers("variant", "variant_id", "variant")] = None
    """Orders that make any of these SKUs (texts) or variant ids."""
    ingredient_skus_or_variant_ids: Annotated[
        Variants | None,
        Refers("variant", "variant_id", "variant", inside=("manufacturing_order_recipe_row", "manufacturing_order_id")),
    ] = None
    """Orders whose recipe holds any of these."""
    location_id: AtLocation = None
    make_to_order: Annotated[bool | None, equals("is_linked_to_sales_order")] = None
    """True: made for a sales order; false: made to stock."""
    sales_order_id: Annotated[NameOrId | None, Refers("sales_order", "sales_order_id", "sales order")] = None
    """Made for this sales order: id or order number."""
    deadline_from: Annotated[Moment | None, not_before("production_deadline_date")] = None
    """When it is due."""
    deadline_to: Annotated[Until | None, not_after("production_deadline_date")] = None
    """When it is due."""
    done_from: Annotated[Moment | None, not_before("done_date")] = None
    """When it was done."""
    done_to: Annotated[Until | None, not_after("done_date")] = None
    """When it was done."""
    include_rows: bool = False
    """Also each order's recipe rows."""
    order_by: SortKey | None = None
    """Descending with `-`."""
