"""What the tools answer that plan to write manufacturing orders: the preview, and which records it names."""

from collections.abc import Mapping

from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.answers import Number
from katana_mcp.writing.preview import Preview


class PlannedManufacturingOrder(Preview):
    """A manufacturing order as it would be."""

    variant_id: int | None = None
    location_id: int | None = None


class CreateManufacturingOrderResponse(PlannedManufacturingOrder):
    """The answer of `create_manufacturing_order`."""


class ModifyManufacturingOrderResponse(PlannedManufacturingOrder):
    """The answer of `modify_manufacturing_order`."""


class DeleteManufacturingOrderResponse(PlannedManufacturingOrder):
    """The answer of `delete_manufacturing_order`."""


class CompleteManufacturingOrderResponse(PlannedManufacturingOrder):
    """The answer of `complete_manufacturing_order`; its lines are the ingredients that are used."""

    remaining_quantity: Number | None = None
    """How many are then still to be made."""


class CorrectOrderResponse(PlannedManufacturingOrder):
    """The answer of `correct_manufacturing_order`."""

    productions: list[str] | None = None
    """What each production then made, the oldest first."""
    not_kept: list[str] | None = None
    """What of the order will differ: ids."""


class CreateManufacturingOrdersResponse(Preview):
    """The answer of `create_manufacturing_orders`; its lines are the rows that are made."""

    sales_order_id: int | None = None


ANSWERS: Mapping[Verb, type[Preview]] = {
    "create": CreateManufacturingOrderResponse,
    "modify": ModifyManufacturingOrderResponse,
    "delete": DeleteManufacturingOrderResponse,
}
