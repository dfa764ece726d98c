"""The plan of a correction: the steps that are foreseen, what an order is in the end, and the way back."""

from dataclasses import replace

from katana_mcp.documents.correcting import Correction, blocks, not_emptied, refused
from katana_mcp.documents.transition import Facts
from katana_mcp.entities.manufacturing_orders.checks import sold_for
from katana_mcp.entities.manufacturing_orders.correcting.checks import NOT_KEPT, checks
from katana_mcp.entities.manufacturing_orders.correcting.goal import before_of, corrected, goal_of
from katana_mcp.entities.manufacturing_orders.correcting.remaining_steps import rest
from katana_mcp.entities.manufacturing_orders.correcting.request import CORRECTED, SHOWN
from katana_mcp.entities.manufacturing_orders.correcting.showing import amount_changes, moves, productions
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, PRODUCTIONS, RECIPE_ROWS
from katana_mcp.tools.requests import Request
from katana_mcp.values import EMPTY
from katana_mcp.writing.change import Draft
from katana_mcp.writing.stock_moves import described


def plan(request: Request, facts: Facts) -> Draft:
    """Return the plan; without a request where something speaks against it."""
    change, record = corrected(request, facts), facts.record or EMPTY
    if blocks(checks(request, facts)):
        return replace(refused(SHOWN, change, facts.record), status=str(record.get("status")))
    before, held = before_of(facts), facts.beside
    goal = goal_of(change, before)
    names = {"recipe_rows": RECIPE_ROWS, "operation_rows": OPERATIONS, "productions": PRODUCTIONS}
    beside = {name: list(held.get(entity, ())) for name, entity in names.items()}
    return Correction(doc=SHOWN, asked=CORRECTED, change=change, before=before, goal=goal).draft(
        rest,
        {"record": record, **beside},
        amount_changes(before, goal),
        status=str(goal["status"]),
        own={"productions": productions(goal, change), "not_kept": [NOT_KEPT, *not_emptied(SHOWN, change)]},
        linked=sold_for(change),
        stock=described(moves(change, before, goal), facts.levels),
        prior_state={**record, **beside},
    )
