"""What the tools answer that plan to write stock transfers: the preview, and which records it names."""

from collections.abc import Mapping

from katana_mcp.surface.descriptor import Verb
from katana_mcp.writing.preview import Preview


class PlannedStockTransfer(Preview):
    """A stock transfer as it would be."""

    source_location_id: int | None = None
    target_location_id: int | None = None


class CreateStockTransferResponse(PlannedStockTransfer):
    """The answer of `create_stock_transfer`."""


class ModifyStockTransferResponse(PlannedStockTransfer):
    """The answer of `modify_stock_transfer`."""


class DeleteStockTransferResponse(PlannedStockTransfer):
    """The answer of `delete_stock_transfer`."""


ANSWERS: Mapping[Verb, type[Preview]] = {
    "create": CreateStockTransferResponse,
    "modify": ModifyStockTransferResponse,
    "delete": DeleteStockTransferResponse,
}
