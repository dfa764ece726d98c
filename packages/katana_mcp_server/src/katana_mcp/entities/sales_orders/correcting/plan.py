"""The plan of a correction: the steps that are foreseen, what an order is in the end, and the way back."""

from dataclasses import replace

from katana_mcp.documents.correcting import Correction, blocks, not_emptied, refused
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.sales_orders.checks import linked
from katana_mcp.entities.sales_orders.correcting.checks import NOT_KEPT, checks
from katana_mcp.entities.sales_orders.correcting.goal import before_of, corrected, goal_of
from katana_mcp.entities.sales_orders.correcting.remaining_steps import rest
from katana_mcp.entities.sales_orders.correcting.request import CORRECTED, SHOWN
from katana_mcp.entities.sales_orders.correcting.showing import batch_changes, moves, shipments
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS
from katana_mcp.tools.requests import Request
from katana_mcp.values import EMPTY
from katana_mcp.writing.change import Draft
from katana_mcp.writing.stock_moves import described


def plan(request: Request, facts: Facts) -> Draft:
    """Return the plan; without a request where something speaks against it."""
    change, gone = corrected(request, facts), list(facts.beside.get(FULFILLMENTS, ()))
    if blocks(checks(request, facts)):
        return replace(refused(SHOWN, change, facts.record), status=str((facts.record or EMPTY).get("status")))
    before = before_of(facts)
    goal = goal_of(change, before)
    return Correction(doc=SHOWN, asked=CORRECTED, change=change, before=before, goal=goal).draft(
        rest,
        {"record": facts.record, "shipments": gone},
        batch_changes(before, goal),
        status=str(goal["status"]),
        own={"shipments": shipments(goal, change), "not_kept": [NOT_KEPT, *not_emptied(SHOWN, change)]},
        linked=linked(change),
        stock=described(moves(change, before, goal), facts.levels),
        prior_state={**(facts.record or EMPTY), "fulfillments": gone},
    )
