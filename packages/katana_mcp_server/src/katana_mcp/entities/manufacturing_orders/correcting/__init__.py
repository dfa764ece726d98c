"""`correct_manufacturing_order`: a done order reopened, changed and made again, step by step and never by halves."""

from dataclasses import replace

from katana_mcp.documents.correcting import blocks
from katana_mcp.documents.gathering import gather
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.manufacturing_orders.correcting.checks import checks
from katana_mcp.entities.manufacturing_orders.correcting.goal import before_of, corrected, goal_of
from katana_mcp.entities.manufacturing_orders.correcting.plan import plan
from katana_mcp.entities.manufacturing_orders.correcting.remaining_steps import look, rest
from katana_mcp.entities.manufacturing_orders.correcting.request import CORRECTED, REQUEST
from katana_mcp.entities.manufacturing_orders.correcting.showing import moves
from katana_mcp.entities.manufacturing_orders.responses import CorrectOrderResponse
from katana_mcp.entities.manufacturing_orders.writes import WRITES
from katana_mcp.references.services import Services
from katana_mcp.tools.requests import Request
from katana_mcp.writing.change import Change, Saga
from katana_mcp.writing.stock_moves import read_levels


async def _gather(request: Request, services: Services) -> Facts:
    """Return the order with all that belongs to it as it is now, and the stock of what it is made of."""
    facts = await gather(CORRECTED, "modify", request, services)
    if blocks(checks(request, facts)):
        return facts
    change, before = corrected(request, facts), before_of(facts)
    moved = [move.variant for move in moves(change, before, goal_of(change, before))]
    return replace(facts, levels=await read_levels(services, moved))


CORRECTING = Change(
    request=REQUEST,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=WRITES["modify"].reads,
    answer=CorrectOrderResponse,
    saga=Saga(look=look, rest=rest),
)
