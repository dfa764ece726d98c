"""The plan of a correction: the steps that are foreseen, what an order is in the end, and the way back."""

from katana_mcp.documents.correcting import Correction, blocks, refused
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.purchase_orders.correcting.checks import checks
from katana_mcp.entities.purchase_orders.correcting.goal import before_of, corrected, goal_of
from katana_mcp.entities.purchase_orders.correcting.remaining_steps import rest
from katana_mcp.entities.purchase_orders.correcting.request import CorrectPurchaseOrderRequest
from katana_mcp.entities.purchase_orders.correcting.showing import moves, not_kept, receipts, trace_changes
from katana_mcp.entities.purchase_orders.reading import COST
from katana_mcp.entities.purchase_orders.showing import bills
from katana_mcp.entities.purchase_orders.writes import PURCHASE_ORDER
from katana_mcp.writing.change import Draft
from katana_mcp.writing.stock_moves import described


def plan(request: CorrectPurchaseOrderRequest, facts: Facts) -> Draft:
    """Return the plan; without a request where something speaks against it."""
    change = corrected(request, facts)
    if blocks(checks(request, facts)):
        return refused(PURCHASE_ORDER, change, facts.record)
    before = before_of(change)
    goal = goal_of(request, change, before)
    found = Correction(doc=PURCHASE_ORDER, asked=PURCHASE_ORDER, change=change, before=before, goal=goal)
    return found.draft(
        rest,
        {"record": facts.record, "costs": list(facts.beside.get(COST, ()))},
        changes=trace_changes(before, goal),
        own={"receipts": receipts(goal, change), "not_kept": not_kept(change)},
        linked=tuple(bills(change)),
        stock=described(moves(request, change), facts.levels),
    )
