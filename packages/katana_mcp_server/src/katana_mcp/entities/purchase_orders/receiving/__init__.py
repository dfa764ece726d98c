"""`receive_purchase_order`: what has come of an order, in whole or in part, in one request."""

from dataclasses import replace

from katana_mcp.documents.gathering import Asked, references
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.purchase_orders.receiving.plan import checks, plan
from katana_mcp.entities.purchase_orders.receiving.request import ReceivePurchaseOrderRequest
from katana_mcp.entities.purchase_orders.responses import ReceivePurchaseOrderResponse
from katana_mcp.entities.purchase_orders.writes import WRITES
from katana_mcp.references.services import Services
from katana_mcp.writing.change import Change

_MODIFY = WRITES["modify"]


async def _gather(request: ReceivePurchaseOrderRequest, services: Services) -> Facts:
    """Return the order with all that receiving the whole of it touches, and the places that are named."""
    whole = _MODIFY.request.model_validate({"purchase_order_id": request.purchase_order_id, "status": "RECEIVED"})
    facts: Facts = await _MODIFY.gather(whole, services)
    places: list[Asked] = [("location", row.location_id) for row in request.rows if row.location_id is not None]
    return replace(facts, references={**facts.references, **await references(services, places)})


RECEIVING = Change(
    request=ReceivePurchaseOrderRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=_MODIFY.reads,
    answer=ReceivePurchaseOrderResponse,
)
