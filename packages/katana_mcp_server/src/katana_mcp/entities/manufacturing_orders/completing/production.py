"""An order before and after a production of it: a new one, one of another date, or one that goes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from cache_core.records import canonical
from katana_mcp.documents.declaration import Field, Part
from katana_mcp.documents.states import between, transition
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.usual_fields import Made
from katana_mcp.entities.manufacturing_orders.completing.request import (
    CompleteManufacturingOrderRequest,
    UsedIngredient,
)
from katana_mcp.entities.manufacturing_orders.parts import PRODUCTIONS
from katana_mcp.entities.manufacturing_orders.producing import DONE, PARTLY, moved, productions
from katana_mcp.entities.manufacturing_orders.writes import MANUFACTURING_ORDER, WRITES
from katana_mcp.surface.operations.filters import Moment
from katana_mcp.values import EMPTY, get_int, number, rows
from katana_mcp.writing.stock_moves import StockMove

NOW = "when it is applied"
"""The date of a production without one: Katana's clock gives it."""
_ZERO = Decimal(0)
_PRODUCTIONS = Part(
    name="productions",
    one="production",
    held="productions",
    fields=(Field("quantity", Made, clears=False), Field("production_date", Moment, clears=False, filled=True)),
    says={},
    most=1,
    collection="manufacturing_order_productions",
    parent="manufacturing_order_id",
    look=lambda body: {"manufacturing_order_ids": [body["manufacturing_order_id"]]},
    kind=lambda _: "production",
    entity=PRODUCTIONS,
    leads=True,
)
COMPLETING = replace(MANUFACTURING_ORDER, parts=(*MANUFACTURING_ORDER.parts, _PRODUCTIONS))
"""A manufacturing order with its productions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How much of a row of an order is used: of an ingredient its quantity, of an operation its seconds.

    Attributes:
        path: of its argument; that of the list where it is not named.
        key: the id of the row.
        row: as it is; None where the order has no such row.
        amount: how much.
        asked: what names it; None where the plan of the order says how much, or it is an operation.
    """

    path: str
    key: int
    row: State | None
    amount: Decimal
    asked: UsedIngredient | None = None


def as_it_is(facts: Facts, order: int | str) -> State:
    """Return the order as it is, with its productions."""
    asked = WRITES["modify"].request.model_validate({"manufacturing_order_id": order})
    found = transition(MANUFACTURING_ORDER, "modify", asked, facts).before or EMPTY
    return {**found, "productions": list(productions(facts))}


def is_new(request: CompleteManufacturingOrderRequest) -> bool:
    """Return whether a production is to be added."""
    return request.production_id is None and request.delete_production_id is None


def subject(request: CompleteManufacturingOrderRequest, order: State) -> State | None:
    """Return the production that is named, if the order has it."""
    key = request.production_id or request.delete_production_id
    return next((production for production in rows(order, "productions") if production.get("id") == key), None)


def remaining(order: State) -> Decimal:
    """Return how many of an order are still to be made."""
    planned, made = (number(order, name) or _ZERO for name in ("planned_quantity", "completed_quantity"))
    return _ZERO if order.get("status") == DONE else max(_ZERO, planned - made)


def quantity_of(request: CompleteManufacturingOrderRequest, order: State) -> Decimal:
    """Return how many are made: as many as are named, or all that remain."""
    return remaining(order) if request.quantity is None else request.quantity


def is_final(request: CompleteManufacturingOrderRequest, order: State) -> bool:
    """Return whether the order is then done."""
    return quantity_of(request, order) >= remaining(order) if request.is_final is None else request.is_final


def used(request: CompleteManufacturingOrderRequest, order: State) -> list[Use]:
    """Return how much of each ingredient is used: as named, or as the recipe says of so many."""
    made = quantity_of(request, order)
    asked = [(ingredient.recipe_row_id, ingredient.quantity, ingredient) for ingredient in request.ingredients]

    def planned(row: State) -> Decimal:
        return (number(row, "planned_quantity_per_unit") or _ZERO) * made

    return _uses("ingredients", asked, rows(order, "recipe_rows"), planned)


def worked(request: CompleteManufacturingOrderRequest, order: State) -> list[Use]:
    """Return how long each operation takes: as named, or its share of the plan."""
    made, whole = quantity_of(request, order), number(order, "planned_quantity")
    asked = [(operation.operation_row_id, operation.seconds, None) for operation in request.operations]
    return _uses("operations", asked, rows(order, "operation_rows"), lambda row: planned_time(row, made, whole))


def _uses(
    name: str,
    asked: Sequence[tuple[int, Decimal, UsedIngredient | None]],
    found: Sequence[State],
    planned: Callable[[State], Decimal],
) -> list[Use]:
    held = {get_int(row, "id") or 0: row for row in found}
    named = [
        Use(path=f"{name}[{nr}]", key=key, row=held.get(key), amount=amount, asked=entry)
        for nr, (key, amount, entry) in enumerate(asked)
    ]
    keys = {use.key for use in named}
    rest = [Use(path=name, key=key, row=row, amount=kept(planned(row))) for key, row in held.items() if key not in keys]
    return [*named, *rest]


def kept(amount: Decimal) -> Decimal:
    """Return an amount with no more decimals than Katana keeps, or it would not be known again."""
    short = round(amount, 10)
    return amount if amount == short else short


def planned_time(row: State, made: Decimal, planned: Decimal | None) -> Decimal:
    """Return the seconds of a part of an order: by unit, or the share of what is taken once."""
    seconds = number(row, "planned_time_parameter") or _ZERO
    return seconds * made if row.get("type") in ("process", "perUnit") else seconds * made / (planned or made or 1)


def completed(request: CompleteManufacturingOrderRequest, facts: Facts) -> Transition:
    """Return the order before and after, as every other change of it is looked at."""
    order = as_it_is(facts, request.manufacturing_order_id)
    found, date = rows(order, "productions"), canonical({"date": request.completed_date})["date"]
    after: dict[str, object] = {**order}
    if request.production_id is not None:
        moved_to = {} if date is None else {"production_date": date}
        key = request.production_id
        after["productions"] = [{**record, **moved_to} if record.get("id") == key else record for record in found]
    elif request.delete_production_id is not None:
        after["productions"] = [record for record in found if record.get("id") != request.delete_production_id]
    elif quantity_of(request, order):
        after["productions"] = [*found, _new(request, order, date)]
        ended = {"status": DONE, "done_date": date or NOW} if is_final(request, order) else {"status": PARTLY}
        after |= ended
    return between(COMPLETING, facts, order, after)


def _new(request: CompleteManufacturingOrderRequest, order: State, date: object) -> Mapping[str, object]:
    """Return a production with what is sent of it: what nobody names, Katana takes from its own plan."""
    made = quantity_of(request, order)
    dated = {} if date is None else {"production_date": date, "completed_date": date}
    new: dict[str, object] = {
        "quantity": made,
        "completed_quantity": made,
        "is_final": is_final(request, order),
        **dated,
    }
    if request.ingredients:
        new["ingredients"] = [_ingredient(use) for use in used(request, order) if use.amount]
    if request.operations:
        timed = [use for use in worked(request, order) if use.amount]
        new["operations"] = [{"manufacturing_order_operation_id": use.key, "time": use.amount} for use in timed]
    if request.batch_id is not None:
        new["traceability"] = [{"batch_id": request.batch_id}]
    elif request.serial_number_ids:
        new["traceability"] = [{"serial_number_id": serial_id} for serial_id in request.serial_number_ids]
    return new


def _ingredient(use: Use) -> Mapping[str, object]:
    named = [] if use.asked is None else use.asked.batches
    batches = [{"batch_id": batch.batch_id, "quantity": f"{batch.quantity:f}"} for batch in named]
    plain = {"manufacturing_order_recipe_row_id": use.key, "quantity": use.amount}
    return {**plain, "traceability": batches} if batches else plain


def moves(request: CompleteManufacturingOrderRequest, facts: Facts) -> Iterator[StockMove]:
    """Yield what comes and goes at the order's location."""
    order = as_it_is(facts, request.manufacturing_order_id)
    if is_new(request):
        taken = [{**(use.row or EMPTY), "quantity": use.amount} for use in used(request, order)]
        new = {"quantity": quantity_of(request, order), "ingredients": taken}
        yield from moved(facts, order, new, 1, "quantity")
    elif request.delete_production_id is not None:
        yield from moved(facts, order, subject(request, order) or EMPTY, -1, "delete_production_id")
