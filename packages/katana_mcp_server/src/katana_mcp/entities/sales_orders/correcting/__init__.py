"""`correct_sales_order`: a shipped order taken back, changed and shipped again, step by step and never by halves."""

from dataclasses import replace

from katana_mcp.documents.gathering import gather
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.sales_orders.checks import RETURNS, is_open
from katana_mcp.entities.sales_orders.correcting.checks import checks
from katana_mcp.entities.sales_orders.correcting.goal import before_of, corrected, goal_of
from katana_mcp.entities.sales_orders.correcting.plan import plan
from katana_mcp.entities.sales_orders.correcting.remaining_steps import look, rest
from katana_mcp.entities.sales_orders.correcting.request import CORRECTED, REQUEST
from katana_mcp.entities.sales_orders.correcting.showing import moves
from katana_mcp.entities.sales_orders.fulfilling import shipments_now
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.entities.sales_orders.responses import CorrectOrderResponse
from katana_mcp.entities.sales_orders.shipped_goods import with_kits
from katana_mcp.entities.sales_orders.writes import SALES_ORDER
from katana_mcp.references.resolve import unasked
from katana_mcp.references.services import Services, current
from katana_mcp.surface.operations.get import of_ids, rows_beside
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import EMPTY, get_int, rows
from katana_mcp.writing.change import Change, Saga
from katana_mcp.writing.stock_moves import read_levels


async def _gather(request: Request, services: Services) -> Facts:
    """Return the order with its shipments and returns as they are now, and all that shipping it again touches."""
    facts = await gather(CORRECTED, "modify", request, services)
    record = facts.record or EMPTY
    if is_open(record):
        return facts
    key = get_int(record, "id") or 0
    await current(services, (RETURNS,), ())
    if not await services.fresh.read_newest(RETURNS):
        raise Refused(unasked(f"what of sales order {key} came back"))
    returns = tuple(await rows_beside(services, RETURNS, of_ids("sales_order_id", key)))
    facts = replace(facts, beside={FULFILLMENTS: await shipments_now(key, services), RETURNS: returns})
    change = corrected(request, facts)
    facts = await with_kits(facts, [*rows(change.old, ROWS), *rows(change.new, ROWS)], services)
    before, change = before_of(facts), corrected(request, facts)
    if not change.all_found:
        return facts
    moved = [move.variant for move in moves(change, before, goal_of(change, before))]
    return replace(facts, levels=await read_levels(services, moved))


CORRECTING = Change(
    request=REQUEST,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=(SALES_ORDER.entity, RETURNS, *SALES_ORDER.reads["modify"]),
    answer=CorrectOrderResponse,
    saga=Saga(look=look, rest=rest),
)
