"""The plan of a correction: the steps that are foreseen, what an order is in the end, and the way back."""

from collections.abc import Sequence
from dataclasses import replace

from katana_mcp.documents.binding import touches
from katana_mcp.documents.shown import summary
from katana_mcp.documents.transition import Facts, Transition
from katana_mcp.documents.verbs import draft
from katana_mcp.entities.purchase_orders.correcting.checks import checks
from katana_mcp.entities.purchase_orders.correcting.goal import before_of, corrected, goal_of
from katana_mcp.entities.purchase_orders.correcting.request import CorrectPurchaseOrderRequest
from katana_mcp.entities.purchase_orders.correcting.rest import rest
from katana_mcp.entities.purchase_orders.correcting.showing import batch_changes, moves, not_kept, receipts
from katana_mcp.entities.purchase_orders.reading import COST
from katana_mcp.entities.purchase_orders.showing import bills
from katana_mcp.entities.purchase_orders.writes import PURCHASE_ORDER
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.change import BACK, BEFORE, GOAL, SAGA, Draft
from katana_mcp.writing.stock_moves import described

_ONE_WAY = "correct it again with the values in prior_state; until it is fully applied, roll_back puts it back"


def plan(request: CorrectPurchaseOrderRequest, facts: Facts) -> Draft:
    """Return the plan; without a request where something speaks against it."""
    change = corrected(request, facts)
    shown = draft(PURCHASE_ORDER, change, _summary(change, ()))
    if any(each.severity == "blocking" for each in checks(request, facts)):
        return replace(shown, prior_state=facts.record, one_way=_ONE_WAY)
    before = before_of(change)
    goal = goal_of(request, change, before)
    saga: JsonObject = {BEFORE: before, GOAL: goal, BACK: False}
    steps = tuple(rest(saga, {"record": facts.record, "costs": list(facts.beside.get(COST, ()))}))
    return replace(
        shown,
        summary=_summary(change, steps),
        actions=steps,
        touches={**touches(PURCHASE_ORDER, change, shown.totals), SAGA: saga},
        changes=(*shown.changes, *batch_changes(before, goal)),
        own={**shown.own, "receipts": receipts(goal, change), "not_kept": not_kept(change)},
        linked=tuple(bills(change)),
        stock=described(moves(request, change), facts.levels),
        one_way=_ONE_WAY,
    )


def _summary(change: Transition, steps: Sequence[Action]) -> str:
    told = summary(PURCHASE_ORDER, change)
    return f"correct {told} ({len(steps)} steps)" if steps else f"correct {told}"
