"""What a production sends, what is shown of it, and the way back: the production deleted, dated, or reported again."""

from collections.abc import Sequence
from dataclasses import replace

from cache_core.records import canonical
from katana_mcp.documents.goods import goods_line
from katana_mcp.documents.steps import id_of, steps
from katana_mcp.documents.traces import traces
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.verbs import draft
from katana_mcp.entities.manufacturing_orders.checks import REOPENED, sold_for
from katana_mcp.entities.manufacturing_orders.completing.checks import against
from katana_mcp.entities.manufacturing_orders.completing.production import (
    COMPLETING,
    as_it_is,
    completed,
    is_final,
    is_new,
    moves,
    quantity_of,
    remaining,
    subject,
    used,
)
from katana_mcp.entities.manufacturing_orders.completing.request import CompleteManufacturingOrderRequest
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, RECIPE_ROWS
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import EMPTY, get_int, number, rows
from katana_mcp.writing.actions import Action, JsonObject, Ref
from katana_mcp.writing.change import Draft
from katana_mcp.writing.preview import PlanLine, field_in_words, value_in_words
from katana_mcp.writing.stock_moves import described

TOOL = "complete_manufacturing_order"


def checks(request: CompleteManufacturingOrderRequest, facts: Facts) -> Sequence[ToolWarning]:
    """Return what speaks against it, and what the way back leaves."""
    found = against(request, facts)
    order = as_it_is(facts, request.manufacturing_order_id)
    is_undone = is_new(request) and is_final(request, order) and not _no_way_back(request, order)
    if is_undone and order.get("status") != REOPENED:
        message = f"status: after the revert the order is {REOPENED}, not {order.get('status')}"
        found.append(advisory(warning_codes.NO_WAY_BACK, message, "status"))
    return found


def plan(request: CompleteManufacturingOrderRequest, facts: Facts) -> Draft:
    """Return the plan; without a request where something speaks against it."""
    order, change = as_it_is(facts, request.manufacturing_order_id), completed(request, facts)
    is_lawful = not any(warning.severity == "blocking" for warning in against(request, facts))
    sent = [_action(step, change) for step in steps(COMPLETING, change)] if is_lawful else []
    why, left = _no_way_back(request, order), remaining(order) - (quantity_of(request, order) if is_new(request) else 0)
    shown = draft(COMPLETING, change, _summary(request, order, change))
    return replace(
        shown,
        actions=tuple(sent),
        touches={"record": facts.record, **facts.beside},
        status=None if request.delete_production_id is not None else shown.status,
        lines=tuple(_lines(request, order, change)),
        own={**shown.own, "remaining_quantity": max(left, 0)} if is_new(request) else shown.own,
        stock=described(moves(request, facts), facts.levels),
        linked=sold_for(change),
        revert=_back(request, order) if sent and not why else None,
        one_way=why,
    )


def _action(action: Action, change: Transition) -> Action:
    """Return a step with what else Katana changes, and a new production as Katana shows it."""
    sold = ("sales_order",) if change.old.get("sales_order_id") is not None else ()
    along = (*((RECIPE_ROWS, OPERATIONS) if action.method != "PATCH" else ()), *sold)
    if action.method != "POST":
        return replace(action, refreshes=along)
    body = action.fields
    expects = {"manufacturing_order_id": body["manufacturing_order_id"], "quantity": body["completed_quantity"]}
    if "completed_date" in body:
        expects["production_date"] = body["completed_date"]
    for name, key, amount in (
        ("ingredients", "manufacturing_order_recipe_row_id", "quantity"),
        ("operations", "manufacturing_order_operation_id", "time"),
    ):
        if name in body:
            expects[name] = [{field: row[field] for field in (key, amount)} for row in rows(body, name)]
    return replace(action, expects=expects, refreshes=along)


def _lines(request: CompleteManufacturingOrderRequest, order: State, change: Transition) -> list[PlanLine]:
    """Return what is used of each ingredient; what comes back where a production goes."""
    if is_new(request):
        taken = [{**use.row, "quantity": use.amount} for use in used(request, order) if use.row is not None]
    else:
        gone = subject(request, order) if request.delete_production_id is not None else None
        taken = [
            {**ingredient, "id": ingredient.get("manufacturing_order_recipe_row_id")}
            for ingredient in rows(gone or EMPTY, "ingredients")
        ]
    found = [(row, line) for row in taken if (line := goods_line(change, row)) is not None]
    return [line.model_copy(update={"row_id": row.get("id")}) for row, line in found]


def _summary(request: CompleteManufacturingOrderRequest, order: State, change: Transition) -> str:
    called, product = COMPLETING.called(order), change.facts.with_id("variant", order.get("variant_id"))
    name = "" if product is None else f" {product.called}"
    if request.production_id is not None:
        moment = canonical({"date": request.completed_date})["date"]
        date = field_in_words("completed_date", value_in_words(moment), change.facts.days) or "unchanged"
        return f"production {request.production_id} of {called}: production_date {date}"
    if request.delete_production_id is not None:
        made = number((subject(request, order) or EMPTY), "quantity") or 0
        return f"delete production {request.delete_production_id} of {called}: {made}{name} are not made"
    made = quantity_of(request, order)
    rest = max(remaining(order) - made, made - made)
    then = "then it is done" if is_final(request, order) else f"then {plain_number(rest)} remain"
    return f"make {plain_number(made)}{name} for {called}; {then}"


def _back(request: CompleteManufacturingOrderRequest, order: State) -> JsonObject:
    """Return the call that takes it back."""
    named, production = {"manufacturing_order_id": id_of(order)}, subject(request, order) or EMPTY
    if request.production_id is not None:
        arguments = {
            **named,
            "production_id": request.production_id,
            "completed_date": production.get("production_date"),
        }
        return {"tool": TOOL, "arguments": arguments}
    if request.delete_production_id is not None:
        return {"tool": TOOL, "arguments": {**named, **_again(order, production)}}
    if is_final(request, order):
        return {"tool": "modify_manufacturing_order", "arguments": {**named, "status": REOPENED, "reopen": True}}
    return {"tool": TOOL, "arguments": {**named, "delete_production_id": Ref(0, "id")}}


def _again(order: State, production: State) -> JsonObject:
    """Return the arguments that report a production once more, with all that it used and took."""
    used_of = {
        get_int(ingredient, "manufacturing_order_recipe_row_id"): number(ingredient, "quantity")
        for ingredient in rows(production, "ingredients")
    }
    took = {
        get_int(operation, "manufacturing_order_operation_id"): number(operation, "time")
        for operation in rows(production, "operations")
    }
    ingredients = [
        {"recipe_row_id": id_of(row), "quantity": used_of.get(id_of(row), 0)} for row in rows(order, "recipe_rows")
    ]
    operations = [
        {"operation_row_id": id_of(row), "seconds": took.get(id_of(row), 0)} for row in rows(order, "operation_rows")
    ]
    return {
        "quantity": number(production, "quantity"),
        "is_final": False,
        "completed_date": production.get("production_date"),
        **({"ingredients": ingredients} if ingredients else {}),
        **({"operations": operations} if operations else {}),
    }


def _no_way_back(request: CompleteManufacturingOrderRequest, order: State) -> str:
    """Return why nothing takes it back; nothing where a call does."""
    if is_new(request):
        is_last = is_final(request, order) and bool(rows(order, "productions"))
        return "reopening the order would also undo its earlier productions" if is_last else ""
    gone = subject(request, order) or EMPTY
    if request.delete_production_id is None:
        return ""
    traced = [gone, *rows(gone, "ingredients")]
    if any(rows(state, "serial_numbers") or traces(state) for state in traced):
        return "its batches and serial numbers would not be the same again"
    return ""
