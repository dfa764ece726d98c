"""What the tools answer that plan to write purchase orders: the preview, and which records it names."""

from collections.abc import Mapping

from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.answers import Number
from katana_mcp.writing.preview import Preview


class PlannedPurchaseOrder(Preview):
    """A purchase order as it would be."""

    supplier_id: int | None = None
    location_id: int | None = None
    additional_costs: Number | None = None


class CreatePurchaseOrderResponse(PlannedPurchaseOrder):
    """The answer of `create_purchase_order`."""


class ModifyPurchaseOrderResponse(PlannedPurchaseOrder):
    """The answer of `modify_purchase_order`."""


class DeletePurchaseOrderResponse(PlannedPurchaseOrder):
    """The answer of `delete_purchase_order`."""


class ReceivePurchaseOrderResponse(PlannedPurchaseOrder):
    """The answer of `receive_purchase_order`."""

    still_open: list[str] | None = None
    """What is then still to come, one phrase per row."""


class CorrectOrderResponse(PlannedPurchaseOrder):
    """The answer of `correct_purchase_order`."""

    receipts: list[str] | None = None
    """What then came with each receipt, the oldest first."""
    not_kept: list[str] | None = None
    """What of the order will differ: ids."""


ANSWERS: Mapping[Verb, type[Preview]] = {
    "create": CreatePurchaseOrderResponse,
    "modify": ModifyPurchaseOrderResponse,
    "delete": DeletePurchaseOrderResponse,
}
