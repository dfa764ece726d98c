"""What is left to do so that a done order gets from how it is to how it is to be: reopen, edit, report productions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from cache_core.records import Record, canonical
from katana_client.models.manufacturing_order_operation_rows import ManufacturingOrderOperationRow
from katana_client.models.manufacturing_order_productions import ManufacturingOrderProduction
from katana_client.models.manufacturing_order_recipe_rows import ManufacturingOrderRecipeRow
from katana_mcp.documents.correcting import (
    LATER,
    as_targets,
    check_expected,
    is_as,
    is_itself,
    listed,
    paired,
    record_now,
    steps_between,
)
from katana_mcp.documents.traces import TRACE, traced
from katana_mcp.documents.transition import State
from katana_mcp.entities.manufacturing_orders.checks import REOPENED
from katana_mcp.entities.manufacturing_orders.correcting.goal import (
    ENDS,
    MADE_OF,
    RECIPE,
    ROW,
    RUNS,
    TOOK,
    WORK,
    order_of,
)
from katana_mcp.entities.manufacturing_orders.correcting.request import EDITED, PRODUCED
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, PRODUCTIONS, RECIPE_ROWS
from katana_mcp.entities.manufacturing_orders.producing import DONE
from katana_mcp.references.services import Services
from katana_mcp.values import get_int, number, rows
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.change import BACK, BEFORE, GOAL

_MODELS = {RECIPE: ManufacturingOrderRecipeRow, WORK: ManufacturingOrderOperationRow}
_FIELDS = {part.held: part.fields for part in EDITED.parts}
_LIKE = {RECIPE: ("variant_id", "planned_quantity_per_unit"), WORK: ("operation_name", "planned_time_parameter")}
"""What tells rows of one kind apart, whoever added them."""
_BESIDE = {
    RECIPE: ("manufacturing_order_recipe_rows", "manufacturing_order_id", RECIPE_ROWS),
    WORK: ("manufacturing_order_operation_rows", "manufacturing_order_id", OPERATIONS),
    RUNS: ("manufacturing_order_productions", "manufacturing_order_ids", PRODUCTIONS),
}
_MADE_ALONG = (RECIPE_ROWS, OPERATIONS, PRODUCTIONS)


async def look(saga: JsonObject, services: Services) -> JsonObject:
    """Return the record of an order, its productions, and its rows: those of a kind that changes as they are now."""
    record = await record_now("manufacturing_orders", saga, services)
    key = get_int(record, "id") or 0
    before, goal = (cast("State", saga[name]) for name in (BEFORE, GOAL))
    found: dict[str, object] = {"record": record}
    for name, (collection, mine, _) in _BESIDE.items():
        stays = name != RUNS and before[name] == goal[name]
        own = [key] if mine.endswith("s") else key
        found[name] = before[name] if stays else await listed(collection, services, **{mine: own})
    return found


def rest(saga: JsonObject, now: JsonObject) -> Sequence[Action]:
    """Return what is left to do; the first step names only what is there.

    Args:
        saga: the order as it was, as it is to be, and whether it goes back.
        now: its record, its rows and its productions, as Katana has them.

    Raises:
        Astray: somebody else changed the order so that nothing is certain.
    """
    before, goal = (cast("State", saga[name]) for name in (BEFORE, GOAL))
    beside = {entity: rows(now, name) for name, (_, _, entity) in _BESIDE.items()}
    order = order_of(cast("Record", now["record"]), beside)
    for held, names in _LIKE.items():
        expected = [*rows(before, held), *rows(goal, held)]
        check_expected(expected, rows(order, held), partial(is_as, _MODELS[held], names=names))
    made = partial(is_as, ManufacturingOrderProduction, names=("quantity",))
    check_expected([*rows(before, RUNS), *rows(goal, RUNS)], rows(order, RUNS), made, "production")
    return list(_left(before if saga[BACK] else goal, order))


def _left(goal: State, order: State) -> Iterator[Action]:
    bare: State = {**order, RUNS: ()}
    head = {field.name: goal[field.name] for field in EDITED.head if goal.get(field.name) is not None}
    then: dict[str, object] = {**bare, **head}
    ids: dict[str, list[object]] = {}
    for held, model in _MODELS.items():
        names = tuple(field.name for field in _FIELDS[held])
        pairs, _ = paired(rows(goal, held), rows(order, held), (is_itself, partial(is_as, model, names=names)))
        then[held] = as_targets(pairs, _FIELDS[held])
        ids[held] = [None if row is None else row["id"] for _, row in pairs]
    is_edited = bool(steps_between(EDITED, bare, then))
    own = {held: [row["id"] for row in rows(order, held)] for held in _MODELS}
    there, targets = _with_ids(order, own), _with_ids(goal, ids)
    if goal[ENDS] and targets:
        targets[-1] = {**targets[-1], "production_date": goal["done_date"]}
    found, odd = paired(targets, there, (_is_exactly, _made_the_same))
    is_done, is_whole = order["status"] == DONE, not (is_edited or odd or any(one is None for _, one in found))
    if not (is_done and is_whole):
        going = there if is_edited or is_done else odd
        if not is_done:
            stays = [one for one in there if one not in going]
            yield from steps_between(PRODUCED, {**order, RUNS: there}, {**order, RUNS: stays})
        opened = {**bare, "status": REOPENED, "done_date": None} if is_done else None
        yield from steps_between(EDITED, bare, then, opened)
        yield from _reported(
            goal, {**then, "done_date": None}, [(aim, None if one in going else one) for aim, one in found]
        )
    if is_done and is_whole:
        yield from _dated(goal, bare)
    elif not goal[ENDS]:
        yield from _dated(goal, {**bare, "done_date": None})


def _dated(goal: State, order: State) -> tuple[Action, ...]:
    """Return what gives a done order its date: one that its status makes done is done now."""
    return steps_between(PRODUCED, order, {**order, "done_date": goal["done_date"]})


def _reported(goal: State, order: State, found: Sequence[tuple[State, State | None]]) -> Iterator[Action]:
    """Yield another date of what is reported already, what is still to be reported, and that the order is done."""
    kept = [one for _, one in found if one is not None]
    dated = [{**one, "production_date": aim["production_date"]} for aim, one in found if one is not None]
    new = [aim for aim, one in found if one is None]
    sent = steps_between(PRODUCED, {**order, RUNS: kept}, {**order, RUNS: [*dated, *(_sent(aim, goal) for aim in new)]})
    added = iter(new)
    yield from (_named(action, next(added), goal) if action.method == "POST" else action for action in sent)
    if not goal[ENDS]:
        yield from steps_between(EDITED, order, order, {**order, "status": DONE})


def _with_ids(order: State, ids: Mapping[str, Sequence[object]]) -> list[State]:
    """Return productions that name the rows by their ids."""
    return [
        {**one, "place": place, **{name: _keyed(rows(one, name), ids[held]) for name, held in _HELD.items()}}
        for place, one in enumerate(rows(order, RUNS))
    ]


def _keyed(lines: Sequence[State], ids: Sequence[object]) -> list[State]:
    return [{**line, "key": ids[get_int(line, ROW) or 0]} for line in lines]


_HELD = {MADE_OF: RECIPE, TOOK: WORK}


def _content(one: State) -> list[object]:
    used = [[line["key"], _text(line, "quantity"), traced(rows(line, TRACE))] for line in rows(one, MADE_OF)]
    took = [[line["key"], _text(line, "time")] for line in rows(one, TOOK)]
    return [_text(one, "quantity"), sorted(map(str, used)), sorted(map(str, took)), traced(rows(one, TRACE))]


def _text(line: State, name: str) -> str:
    amount = number(line, name)
    return "" if amount is None else f"{amount.normalize():f}"


def _made_the_same(target: State, there: State) -> bool:
    return _content(target) == _content(there)


def _is_exactly(target: State, there: State) -> bool:
    return _made_the_same(target, there) and is_as(ManufacturingOrderProduction, target, there, ("production_date",))


def _sent(one: State, goal: State) -> State:
    """Return a production that is yet to be reported, as it is sent: with all that it used and took."""
    used = [
        {
            "manufacturing_order_recipe_row_id": line["key"] or 1,
            "quantity": line["quantity"],
            "traceability": rows(line, TRACE),
        }
        for line in rows(one, MADE_OF)
    ]
    took = [{"manufacturing_order_operation_id": line["key"] or 1, "time": line["time"]} for line in rows(one, TOOK)]
    is_last = one.get("place") == len(rows(goal, RUNS)) - 1
    return {
        "quantity": one["quantity"],
        "completed_quantity": one["quantity"],
        "completed_date": one["production_date"],
        "is_final": bool(goal[ENDS]) and is_last,
        MADE_OF: used,
        TOOK: took,
        **({"traceability": rows(one, TRACE)} if rows(one, TRACE) else {}),
    }


def _named(action: Action, one: State, goal: State) -> Action:
    """Return what reports a production, with what stands in for rows that are yet to be added; known by what it used.

    The date is not looked at: Katana may take its own after an order was reopened, which another step corrects.
    """
    body = dict(action.fields)
    for name, key in ((MADE_OF, "manufacturing_order_recipe_row_id"), (TOOK, "manufacturing_order_operation_id")):
        lines = zip(rows(body, name), rows(one, name), strict=True)
        body[name] = [{**sent, key: line["key"] or {LATER: f"the id of the new {_word(name)}"}} for sent, line in lines]
    fields_by_part = {
        MADE_OF: ("manufacturing_order_recipe_row_id", "quantity"),
        TOOK: ("manufacturing_order_operation_id", "time"),
    }
    expects = {
        "manufacturing_order_id": body["manufacturing_order_id"],
        "quantity": one["quantity"],
        **{
            held: [{name: line[name] for name in names} for line in rows(body, held)]
            for held, names in fields_by_part.items()
        },
    }
    title = f"report {_text(one, 'quantity')} made on {str(one['production_date'])[: len('2026-02-20')]}"
    then = ", which is then done" if body.get("is_final") else ""
    message = f"{title} for manufacturing order {goal.get('order_no')}{then}"
    return replace(action, title=message, body=canonical(body), expects=canonical(expects), refreshes=_MADE_ALONG)


def _word(name: str) -> str:
    return "ingredient" if name == MADE_OF else "operation"
