"""`correct_purchase_order`: a received order reopened, changed and received again, step by step and never by halves."""

from dataclasses import replace

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.purchase_orders.correcting.checks import checks
from katana_mcp.entities.purchase_orders.correcting.goal import plain_request
from katana_mcp.entities.purchase_orders.correcting.looking import look
from katana_mcp.entities.purchase_orders.correcting.plan import plan
from katana_mcp.entities.purchase_orders.correcting.remaining_steps import rest
from katana_mcp.entities.purchase_orders.correcting.request import CorrectPurchaseOrderRequest
from katana_mcp.entities.purchase_orders.reading import BILLS
from katana_mcp.entities.purchase_orders.responses import CorrectOrderResponse
from katana_mcp.entities.purchase_orders.writes import WRITES
from katana_mcp.references.services import Services, current
from katana_mcp.surface.operations.get import of_ids, rows_beside
from katana_mcp.values import EMPTY, get_int
from katana_mcp.writing.change import Change, Saga

_MODIFY = WRITES["modify"]


async def _gather(request: CorrectPurchaseOrderRequest, services: Services) -> Facts:
    """Return the order with all that taking its receipts back touches, what is named, and its bills."""
    opened = plain_request(request).model_copy(update={"unreceive": True})
    opened.model_fields_set.add("unreceive")
    facts: Facts = await _MODIFY.gather(opened, services)
    await current(services, (BILLS,), ())
    mine = of_ids("purchase_order_id", get_int(facts.record or EMPTY, "id"))
    return replace(facts, beside={**facts.beside, BILLS: tuple(await rows_beside(services, BILLS, mine))})


CORRECTING = Change(
    request=CorrectPurchaseOrderRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=(*_MODIFY.reads, BILLS),
    answer=CorrectOrderResponse,
    saga=Saga(look=look, rest=rest),
)
