"""What the tools answer that plan to write sales returns: the preview, and which records it names."""

from collections.abc import Mapping

from katana_mcp.surface.descriptor import Verb
from katana_mcp.writing.preview import Preview


class PlannedSalesReturn(Preview):
    """A sales return as it would be."""

    sales_order_id: int | None = None
    return_location_id: int | None = None


class CreateSalesReturnResponse(PlannedSalesReturn):
    """The answer of `create_sales_return`."""


class ModifySalesReturnResponse(PlannedSalesReturn):
    """The answer of `modify_sales_return`."""


class DeleteSalesReturnResponse(PlannedSalesReturn):
    """The answer of `delete_sales_return`."""


ANSWERS: Mapping[Verb, type[Preview]] = {
    "create": CreateSalesReturnResponse,
    "modify": ModifySalesReturnResponse,
    "delete": DeleteSalesReturnResponse,
}
