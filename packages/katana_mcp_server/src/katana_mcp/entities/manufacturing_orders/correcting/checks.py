"""What speaks against a correction, said before anything is touched: what is not done, or would not be the same."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import cast

from katana_mcp.documents import checks as usual
from katana_mcp.documents.correcting import batch_sum, blocks, no_change
from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.traces import TRACE, in_trace, is_of_one
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.manufacturing_orders.checks import order_of as called
from katana_mcp.entities.manufacturing_orders.correcting.goal import (
    ENDS,
    MADE_OF,
    RECIPE,
    ROW,
    RUNS,
    before_of,
    corrected,
    goal_of,
    made,
    made_then,
)
from katana_mcp.entities.manufacturing_orders.correcting.request import BATCHES, CORRECTED
from katana_mcp.entities.manufacturing_orders.correcting.showing import moves
from katana_mcp.entities.manufacturing_orders.parts import PRODUCTIONS
from katana_mcp.entities.manufacturing_orders.producing import DONE
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.stock_moves import shortages

NOT_KEPT = "the ids of productions, when operations were completed; costs follow the average cost of those days"
_OPEN = ("PENDING", "NOT_SHIPPED", "READY_FOR_FULFILLMENT")
_IN_KATANA = "correct it in Katana"


def checks(request: Request, facts: Facts) -> Sequence[ToolWarning]:
    """Return what speaks against it."""
    change = corrected(request, facts)
    if facts.deleted:
        return usual.checks(CORRECTED, change)
    before = before_of(facts)
    if closed := [*_standing(facts, change, before)]:
        return closed
    found = [*usual.checks(CORRECTED, change), *_units(change, before)]
    if blocks(found):
        return found
    goal = goal_of(change, before)
    if goal == before:
        return [*found, no_change(called(change.old))]
    found += _batches(change, before, goal)
    if not blocks(found):
        message = f"the product of {called(change.old)} is out of stock until its last production is made again"
        found += shortages(moves(change, before, goal), facts.levels)
        found.append(advisory(warning_codes.STATUS_MOVES_BACK, f"{message}; not kept: {NOT_KEPT}"))
    return found


def _standing(facts: Facts, change: Transition, before: State) -> Iterator[ToolWarning]:
    """Yield why an order is not one that can be reopened and made the same."""
    order, status = called(change.old), before.get("status")
    if status != DONE:
        message = f"{order} is {status}, not DONE: change it with modify_manufacturing_order"
        yield blocking(warning_codes.NOT_CLOSED, message)
        return
    total, planned = sum(made(before), Decimal(0)), number(before, "planned_quantity") or Decimal(0)
    if not total:
        yield blocking(warning_codes.LOCKED, f"{order} is DONE, and Katana lists no production of it: {_IN_KATANA}")
    elif not before[ENDS] and total < planned:
        message = f"{order} made less than planned and was done on a day without a production"
        why = "so it cannot be completed the same way again"
        yield blocking(warning_codes.LOCKED, f"{message}, {why}: {_IN_KATANA}")
    yield from _untraced(facts, change, before)
    sold = facts.names.record("sales_order", change.old.get("sales_order_id"))
    if sold is not None and is_marked(facts, before, "serial_tracked") and text(sold, "status") not in _OPEN:
        message = f"the serial numbers of {order} are shipped with sales order {text(sold, 'order_no')}"
        yield blocking(warning_codes.LOCKED, f"{message}: take its shipments back first, with fulfill_order")


def _untraced(facts: Facts, change: Transition, before: State) -> Iterator[ToolWarning]:
    """Yield that Katana does not show from which batches something was taken, or which units were made."""
    held = rows(before, RECIPE)
    shown = [*facts.beside.get(PRODUCTIONS, ())]
    for one in rows(before, RUNS):
        if is_marked(facts, before, "serial_tracked") and in_trace(one) != number(one, "quantity"):
            message = f"Katana does not show all serial numbers of production {one['id']} of {called(change.old)}"
            yield blocking(warning_codes.LOCKED, f"{message}: others might be made; {_IN_KATANA}")
        source = next(record for record in shown if record.get("id") == one["id"])
        for line, used in zip(rows(one, MADE_OF), rows(source, MADE_OF), strict=True):
            place = get_int(line, ROW)
            if place is None:
                yield blocking(
                    warning_codes.LOCKED, f"production {one['id']} used a row that is not there: {_IN_KATANA}"
                )
            elif is_marked(facts, held[place], "batch_tracked") and _seen(used) != number(line, "quantity"):
                message = f"Katana does not show from which batches production {one['id']} took row {held[place]['id']}"
                yield blocking(warning_codes.LOCKED, f"{message}: {_IN_KATANA}")


def _seen(used: State) -> Decimal:
    """Return of how much Katana shows the batch, or that it was of none."""
    entries = rows(used, "traceability") or rows(used, "batch_transactions")
    return sum((Decimal(str(entry.get("quantity") or 0)) for entry in entries), Decimal(0))


def _units(change: Transition, before: State) -> Iterator[ToolWarning]:
    """Yield that another number of units would need other serial numbers."""
    if made_then(change, before) != sum(made(before), Decimal(0)) and is_marked(change.facts, before, "serial_tracked"):
        needs = "another quantity needs other serial numbers"
        message = f"{called(change.old)} made units with serial numbers: {needs}: {_IN_KATANA}"
        yield blocking(warning_codes.LOCKED, message, "planned_quantity")


def _batches(change: Transition, before: State, goal: State) -> Iterator[ToolWarning]:
    """Yield batches that do not come to what is used, or have to be named because more or less is used."""
    ingredients = [row for row in rows(change.target or {}, RECIPE) if "id" in row]
    ingredients += [row for row in rows(change.target or {}, RECIPE) if "id" not in row]
    for place, row in enumerate(ingredients):
        batches = cast("Sequence[State] | None", row.get(BATCHES))
        path = f"ingredient {row.get('id') or place}.{BATCHES}"
        lines = [line for one in rows(goal, RUNS) for line in rows(one, MADE_OF) if line[ROW] == place]
        if batches is not None and len(lines) > 1:
            message = (
                f"{path}: it was used in {len(lines)} productions, but batches can be named for one production only"
            )
            yield blocking(warning_codes.LOCKED, f"{message}: {_IN_KATANA}", "update_recipe_rows")
        elif batches is not None:
            used = sum((number(line, "quantity") or Decimal(0) for line in lines), Decimal(0))
            yield from batch_sum(path, batches, used)
        elif any(_has_other(line, _before(before, row)) for line in lines):
            message = f"{path}: give the batches, because the amount changes and was taken from several"
            yield blocking(warning_codes.BATCH_REQUIRED, message, "update_recipe_rows")
        elif "id" not in row and is_marked(change.facts, row, "batch_tracked"):
            message = f"{path}: it is tracked by batch, but no batch was named: it is used from none"
            yield advisory(warning_codes.UNTRACED_SHIPMENT, message, "update_recipe_rows")


def _before(before: State, row: State) -> list[State]:
    """Return what productions used of a row as it was."""
    places = {old["id"]: place for place, old in enumerate(rows(before, RECIPE))}
    place = places.get(row.get("id"))
    return [line for one in rows(before, RUNS) for line in rows(one, MADE_OF) if line[ROW] == place]


def _has_other(line: State, before: Sequence[Mapping[str, object]]) -> bool:
    """Return whether batches no longer come to what is used, though they did."""
    is_kept = any(rows(old, TRACE) == rows(line, TRACE) and old["quantity"] == line["quantity"] for old in before)
    return bool(rows(line, TRACE)) and not is_kept and not is_of_one(line)
