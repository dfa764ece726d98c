"""What the tools answer that plan to write stock adjustments: the preview, and which records it names."""

from collections.abc import Mapping

from katana_mcp.surface.descriptor import Verb
from katana_mcp.writing.preview import Preview


class PlannedStockAdjustment(Preview):
    """A stock adjustment as it would be."""

    location_id: int | None = None


class CreateStockAdjustmentResponse(PlannedStockAdjustment):
    """The answer of `create_stock_adjustment`."""


class UpdateStockAdjustmentResponse(PlannedStockAdjustment):
    """The answer of `modify_stock_adjustment`."""


class DeleteStockAdjustmentResponse(PlannedStockAdjustment):
    """The answer of `delete_stock_adjustment`."""


ANSWERS: Mapping[Verb, type[Preview]] = {
    "create": CreateStockAdjustmentResponse,
    "modify": UpdateStockAdjustmentResponse,
    "delete": DeleteStockAdjustmentResponse,
}
