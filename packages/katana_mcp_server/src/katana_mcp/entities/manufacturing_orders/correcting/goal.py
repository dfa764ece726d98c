"""A done order as it is, and as it is to be: its rows, and what each production made and used.

A row is named by its place among the rows of the same order, so that one that is made again is still the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import cast

from cache_core.records import Record, canonical
from katana_mcp.documents.correcting import spread
from katana_mcp.documents.states import transition
from katana_mcp.documents.traces import TRACE, retraced, traces
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.manufacturing_orders.checks import REOPENED
from katana_mcp.entities.manufacturing_orders.completing.production import kept, planned_time
from katana_mcp.entities.manufacturing_orders.correcting.request import BATCHES, CORRECTED, EDITED, MADE
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, PRODUCTIONS, RECIPE_ROWS
from katana_mcp.tools.requests import Request
from katana_mcp.values import get_int, number, rows

RECIPE, WORK = (part.held for part in EDITED.parts)
RUNS, MADE_OF, TOOK = "productions", "ingredients", "operations"
"""Of an order: its productions; of one: what it used of the recipe, and how long its work took."""
ROW, ENDS = "row", "ends"
"""The place of a row; and of an order, whether its last production made it done."""
_FIELDS = {part.held: ("id", *(field.name for field in part.fields)) for part in EDITED.parts}
_HEAD = ("id", "variant_id", "status", "additional_info", *(field.name for field in EDITED.head))
_ZERO = Decimal(0)

type Goal = dict[str, object]


def corrected(request: Request, facts: Facts) -> Transition:
    """Return the order before and after, as if it were not done."""
    opened = {**(facts.record or {}), "status": REOPENED, MADE: None}
    return transition(CORRECTED, "modify", request, replace(facts, record=opened))


def order_of(record: Record, beside: Mapping[str, Sequence[Record]]) -> Goal:
    """Return an order with its rows and its productions, the oldest first, and that which made it done last."""
    held = {
        name: sorted(beside.get(entity, ()), key=lambda row: get_int(row, "id") or 0)
        for name, entity in ((RECIPE, RECIPE_ROWS), (WORK, OPERATIONS))
    }
    places = {name: {get_int(row, "id"): place for place, row in enumerate(found)} for name, found in held.items()}
    done = record.get("done_date")
    found = sorted(beside.get(PRODUCTIONS, ()), key=lambda one: (_is_on(one, done), *_age(one)))
    return {
        **{name: record.get(name) for name in (*_HEAD, "done_date")},
        ENDS: bool(found) and _is_on(found[-1], done),
        **{name: [{field: row.get(field) for field in _FIELDS[name]} for row in rows_] for name, rows_ in held.items()},
        RUNS: [_production(one, places) for one in found],
    }


def _age(production: State) -> tuple[str, int]:
    return str(production.get("production_date")), get_int(production, "id") or 0


def _is_on(production: State, date: object) -> bool:
    return date is not None and production.get("production_date") == date


def _production(one: Record, places: Mapping[str, Mapping[int | None, int]]) -> Goal:
    units = [unit.get("id") for unit in rows(one, "serial_numbers")]
    used = [
        {
            ROW: places[RECIPE].get(get_int(row, "manufacturing_order_recipe_row_id")),
            "quantity": row.get("quantity"),
            TRACE: traces(row),
        }
        for row in rows(one, MADE_OF)
    ]
    took = [
        {ROW: places[WORK].get(get_int(row, "manufacturing_order_operation_id")), "time": row.get("time")}
        for row in rows(one, TOOK)
    ]
    made_into = [
        {name: value for name, value in trace.items() if name != "quantity"}
        for trace in traces({**one, "serial_numbers": units})
    ]
    dated = {name: one.get(name) for name in ("id", "quantity", "production_date")}
    return {**dated, MADE_OF: used, TOOK: took, TRACE: made_into}


def before_of(facts: Facts) -> Goal:
    """Return an order as it is."""
    return cast("Goal", canonical(order_of(facts.record or {}, facts.beside)))


def made(order: State) -> list[Decimal]:
    """Return how many each production made."""
    return [number(one, "quantity") or _ZERO for one in rows(order, RUNS)]


def goal_of(change: Transition, before: State) -> Goal:
    """Return an order as it is to be; a production of which nothing is left is none."""
    edited = change.target or {}
    held = {
        name: [row for row in rows(edited, name) if "id" in row]
        + [row for row in rows(edited, name) if "id" not in row]
        for name in (RECIPE, WORK)
    }
    head = {name: edited[name] for name in (*_HEAD, "done_date") if name in edited and name != "status"}
    goal = {**before, **head, **held}
    counts = spread(made(before), made_then(change, before))
    pairs = zip(rows(before, RUNS), counts, strict=True)
    then = [_then(one, count, before, goal) for one, count in pairs if count > 0]
    if then and before[ENDS]:
        then[-1]["production_date"] = goal["done_date"]
    found = {name: [{field: row.get(field) for field in _FIELDS[name]} for row in held[name]] for name in held}
    return cast("Goal", canonical({**goal, **found, RUNS: then}))


def made_then(change: Transition, before: State) -> Decimal:
    """Return how many are made in all: as named, or as planned where that many were made, or as it was."""
    total, planned = sum(made(before), _ZERO), number(before, "planned_quantity")
    asked = number(change.target or {}, MADE)
    if asked is not None:
        return asked
    return number(change.target or {}, "planned_quantity") or total if total == planned else total


def _then(one: State, count: Decimal, before: State, goal: State) -> Goal:
    """Return a production as it is to be, when it made so many."""
    was = number(one, "quantity") or _ZERO
    return {
        **one,
        "quantity": count,
        MADE_OF: [*_used(one, (was, count), before, goal)],
        TOOK: [*_took(one, (was, count), before, goal)],
    }


def _used(one: State, counts: tuple[Decimal, Decimal], before: State, goal: State) -> Iterator[Goal]:
    for place, row, old, line in _lines(one, MADE_OF, (before, goal), RECIPE):
        batches = cast("Sequence[State] | None", row.get(BATCHES))
        amount = _follow(line, "quantity", None if old is None else _use(old, counts[0]), _use(row, counts[1]))
        if not amount:
            continue
        if line is None or old is None or old.get("variant_id") != row.get("variant_id"):
            trace = retraced({}, None, batches or ())
        elif batches is None and amount == number(line, "quantity"):
            trace = [{**entry} for entry in rows(line, TRACE)]
        else:
            trace = retraced(line, amount, batches)
        yield {ROW: place, "quantity": amount, TRACE: trace}


def _use(row: State, count: Decimal) -> Decimal:
    return (number(row, "planned_quantity_per_unit") or _ZERO) * count


def _took(one: State, counts: tuple[Decimal, Decimal], before: State, goal: State) -> Iterator[Goal]:
    was, then = (number(order, "planned_quantity") for order in (before, goal))
    for place, row, old, line in _lines(one, TOOK, (before, goal), WORK):
        planned = None if old is None else planned_time(old, counts[0], was)
        time = _follow(line, "time", planned, planned_time(row, counts[1], then))
        if time:
            yield {ROW: place, "time": time}


def _lines(
    one: State, name: str, orders: tuple[State, State], held: str
) -> Iterator[tuple[int, State, State | None, State | None]]:
    """Yield each row as it is to be with its place, it as it was, and what a production took of it."""
    before, goal = orders
    lines = {get_int(line, ROW): line for line in rows(one, name)}
    there = {row["id"]: (place, row) for place, row in enumerate(rows(before, held))}
    for place, row in enumerate(rows(goal, held)):
        old_place, old = there.get(row.get("id"), (None, None))
        yield place, row, old, None if old is None else lines.get(old_place)


def _follow(line: State | None, name: str, planned: Decimal | None, then: Decimal) -> Decimal:
    """Return how much is used: as planned where it was as planned, or is new; else as it was reported."""
    was = _ZERO if line is None else number(line, name) or _ZERO
    return was if planned is not None and was != kept(planned) else kept(then)
