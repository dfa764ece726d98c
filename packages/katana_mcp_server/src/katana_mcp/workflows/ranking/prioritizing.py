"""`prioritize_orders`: open orders moved within Katana's ranking, one block in the order given.

Katana books what is available by that ranking, and shows it nowhere: what is planned is what is asked for, not a
difference to what is.
"""

from collections.abc import Iterator

from cache_core.records import Record
from katana_mcp.references.display_names import titled
from katana_mcp.surface.operations.planning import planning_tool
from katana_mcp.tools.answers import first_of
from katana_mcp.workflows.ranking.checks import checks
from katana_mcp.workflows.ranking.orders import (
    MADE,
    READS,
    SOLD,
    PrioritizeOrdersRequest,
    RankedOrders,
    gather,
    number_of,
)
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.change import Change, Draft
from katana_mcp.writing.preview import PlanLine, Preview

TOOL = "prioritize_orders"
_NAMED = 10
"""Orders that a sentence names; the lines of a preview name all."""
_RECIPE_ROWS = "manufacturing_order_recipe_row"
_REFRESHES = {SOLD: (SOLD, MADE, _RECIPE_ROWS), MADE: (MADE, _RECIPE_ROWS)}
"""Whose availability changes; a sales order takes its manufacturing orders along."""
_EFFECT = "stock and what is on its way are booked by rank, highest first, except rows made to order"
_ONE_WAY = "Katana shows no rank, so nobody knows where the orders stood before"


class PrioritizeOrdersResponse(Preview):
    """The answer of `prioritize_orders`; each line is an order, highest first, and `linked` is what moves along."""


def _plan(request: PrioritizeOrdersRequest, facts: RankedOrders) -> Draft:
    moved, is_lawful = facts.moved(request), not any(check.severity == "blocking" for check in checks(request, facts))
    what = f"{titled(request.type)}{'' if len(request.orders) == 1 else 's'} {_some(request, facts)}"
    moves = f"move {what} {_where(request, facts)}"
    return Draft(
        summary=f"{moves}: {_EFFECT}",
        actions=(_action(moves, request, facts),) if is_lawful else (),
        touches={
            "orders": [_binding(order) for order in moved],
            **{name: _binding(facts.order(asked) or {}) for name, asked in request.anchors.items()},
        },
        lanes=(f"rank of {titled(request.type)}s",),
        lines=tuple(PlanLine(name=number_of(order)) for order in moved),
        linked=tuple(_along(request, facts)),
        one_way=_ONE_WAY,
    )


def _some(request: PrioritizeOrdersRequest, facts: RankedOrders) -> str:
    return first_of([_called(facts, asked) for asked in request.orders], _NAMED)


def _called(facts: RankedOrders, asked: int | str) -> str:
    order = facts.order(asked)
    return str(asked) if order is None else number_of(order)


def _where(request: PrioritizeOrdersRequest, facts: RankedOrders) -> str:
    if request.before is not None:
        return f"just above {_called(facts, request.before)}"
    if request.after is not None:
        return f"just below {_called(facts, request.after)}"
    return f"to the {request.position} of their ranking"


def _binding(order: Record) -> JsonObject:
    """Return what of an order the plan depends on."""
    return {name: order.get(name) for name in ("id", "status", "sales_order_id") if name in order}


def _along(request: PrioritizeOrdersRequest, facts: RankedOrders) -> Iterator[str]:
    """Yield which manufacturing orders move along, by the sales order that they are made for."""
    named = {order["id"] for order in facts.moved(request)} if request.type == MADE else set[object]()
    for key, sold in facts.sales.items():
        along = [record for record in facts.along if record.get("sales_order_id") == key and record["id"] not in named]
        if along:
            what = "manufacturing order" if len(along) == 1 else "manufacturing orders"
            verb = "moves" if len(along) == 1 else "move"
            numbers = ", ".join(number_of(record) for record in along)
            yield f"{what} {numbers} {verb} along: made for sales order {number_of(sold)}"


def _action(title: str, request: PrioritizeOrdersRequest, facts: RankedOrders) -> Action:
    place: dict[str, object] = {
        f"{name}_id": order["id"]
        for name, asked in request.anchors.items()
        if (order := facts.order(asked)) is not None
    }
    return Action(
        title=title,
        method="POST",
        path=f"/{request.type}_rerank",
        body={
            "order_ids": [order["id"] for order in facts.moved(request)],
            "place": place or {"position": request.position},
        },
        entity=request.type,
        is_answered=False,
        answers_ids="order_ids",
        is_repeatable=True,
        refreshes=_REFRESHES[request.type],
    )


PRIORITIZING = Change(
    request=PrioritizeOrdersRequest,
    gather=gather,
    plan=_plan,
    checks=checks,
    reads=READS,
    answer=PrioritizeOrdersResponse,
)
PRIORITIZE_ORDERS = planning_tool(
    TOOL,
    "sales",
    "Plan to move open sales or manufacturing orders within Katana's ranking; nothing is written.\n\n"
    "Stock is booked by rank. Shows what moves along, and a `plan_token` for `apply_plan`.",
    PRIORITIZING,
)
