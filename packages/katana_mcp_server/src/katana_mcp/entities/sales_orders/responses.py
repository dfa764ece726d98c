"""What the tools answer that plan to write sales orders: the preview, and which records it names."""

from collections.abc import Mapping

from katana_mcp.surface.descriptor import Verb
from katana_mcp.writing.preview import Preview


class PlannedSalesOrder(Preview):
    """A sales order as it would be."""

    customer_id: int | None = None
    location_id: int | None = None


class CreateSalesOrderResponse(PlannedSalesOrder):
    """The answer of `create_sales_order`."""


class ModifySalesOrderResponse(PlannedSalesOrder):
    """The answer of `modify_sales_order`."""


class DeleteSalesOrderResponse(PlannedSalesOrder):
    """The answer of `delete_sales_order`."""


class FulfillOrderResponse(PlannedSalesOrder):
    """The answer of `fulfill_order`."""

    still_open: list[str] | None = None
    """What is then still to be shipped, one phrase per row."""


class CorrectOrderResponse(PlannedSalesOrder):
    """The answer of `correct_sales_order`."""

    shipments: list[str] | None = None
    """What then left with each shipment, the oldest first."""
    not_kept: list[str] | None = None
    """What of the order will differ: ids."""


ANSWERS: Mapping[Verb, type[Preview]] = {
    "create": CreateSalesOrderResponse,
    "modify": ModifySalesOrderResponse,
    "delete": DeleteSalesOrderResponse,
}
