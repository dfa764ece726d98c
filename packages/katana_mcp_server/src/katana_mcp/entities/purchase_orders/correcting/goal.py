"""What an order is to be once it is corrected: rows by receipt as they should have come, and costs as before."""

from collections.abc import Sequence
from typing import cast

from cache_core.records import Record, canonical
from katana_mcp.documents.quantities import BatchQuantity
from katana_mcp.documents.states import transition
from katana_mcp.documents.traces import TRACE, retraced
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.purchase_orders.correcting.order import (
    CALLED,
    HEAD,
    RECEIPT,
    order_of,
)
from katana_mcp.entities.purchase_orders.correcting.request import (
    OWN,
    CorrectPurchaseOrderRequest,
    ForgottenRow,
    given,
)
from katana_mcp.entities.purchase_orders.pricing import COSTS, ROWS, called, sku
from katana_mcp.entities.purchase_orders.reading import COST
from katana_mcp.entities.purchase_orders.writes import PURCHASE_ORDER, WRITES
from katana_mcp.tools.requests import Request
from katana_mcp.values import EMPTY, get_int, rows

type Goal = dict[str, object]


def plain_request(request: CorrectPurchaseOrderRequest) -> Request:
    """Return what is asked for as a change of an order that nothing locks."""
    asked = given(request)
    asked.pop("reopen_billed", None)
    for name, own in (("update_rows", OWN), ("add_rows", OWN | {"received_date"})):
        if name in asked:
            found = cast("list[dict[str, object]]", asked[name])
            asked[name] = [{key: value for key, value in row.items() if key not in own} for row in found]
    return WRITES["modify"].request.model_validate(asked)


def corrected(request: CorrectPurchaseOrderRequest, facts: Facts) -> Transition:
    """Return the order before and after, as if nothing locked it."""
    return transition(PURCHASE_ORDER, "modify", plain_request(request), facts)


def before_of(change: Transition) -> Goal:
    """Return an order as it is, with what people call its goods and costs."""
    facts = change.facts
    return _named(order_of(facts.record or EMPTY, facts.beside.get(COST, ())), change)


def goal_of(request: CorrectPurchaseOrderRequest, change: Transition, before: State) -> Goal:
    """Return an order as it is to be; a receipt of which every row goes is none, and those after it move up."""
    edited = change.target or EMPTY
    kept = [_changed(row, before, request) for row in rows(edited, ROWS) if "id" in row]
    new = [row for row in rows(edited, ROWS) if "id" not in row]
    found = [*kept, *(_added(asked, row, before) for asked, row in zip(request.add_rows, new, strict=True))]
    places = {place: nr for nr, place in enumerate(sorted({receipt_of(row) for row in found}))}
    costs = [{**cost, RECEIPT: places.get(receipt_of(cost))} for cost in rows(before, COSTS)]
    head = {name: edited[name] for name in HEAD if name in edited}
    goal = {**before, **head, ROWS: [{**row, RECEIPT: places[receipt_of(row)]} for row in found], COSTS: costs}
    return _named(goal, change)


def receipt_of(row: State) -> int:
    """Return which receipt a row or a cost belongs to; -1 for none."""
    place = get_int(row, RECEIPT)
    return -1 if place is None else place


def _changed(row: Record, before: State, request: CorrectPurchaseOrderRequest) -> Goal:
    """Return a row that was there as it is to be."""
    old = next(one for one in rows(before, ROWS) if one["id"] == row["id"])
    new = {**old, **{name: row[name] for name in old if name in row}}
    asked = next((one for one in request.update_rows if one.row_id == row["id"]), None)
    if asked is not None and (units := named_units(asked.serial_number_ids)) is not None:
        return {**new, TRACE: units}
    return {**new, TRACE: retraced(old, new["quantity"], named_batches(None if asked is None else asked.batches))}


def named_batches(batches: Sequence[BatchQuantity] | None) -> list[State] | None:
    """Return batches as a row is traced by them; None where none are named."""
    return None if batches is None else [one.model_dump() for one in batches]


def named_units(units: Sequence[int] | None) -> list[State] | None:
    """Return serial numbers as a row is traced by them; None where none are named."""
    return [{"serial_number_id": unit} for unit in dict.fromkeys(units)] if units else None


def _added(asked: ForgottenRow, row: Record, before: State) -> Goal:
    """Return a row that was forgotten: it came with another one, or else with the last receipt."""
    held = rows(before, ROWS)
    beside = next((one for one in held if one["id"] == asked.received_with_row_id), None)
    place = max(map(receipt_of, held), default=0) if beside is None else receipt_of(beside)
    dates = [str(one["received_date"]) for one in held if receipt_of(one) == place]
    date = canonical({"date": asked.received_date})["date"] if asked.received_date else max(dates, default=None)
    batches = retraced({}, None, named_batches(asked.batches or ()))
    place_id = row.get("location_id") or before.get("location_id")
    return {**row, "location_id": place_id, "received_date": date, RECEIPT: place, TRACE: batches}


def _named(order: State, change: Transition) -> Goal:
    """Return an order whose rows and costs say what people call them."""
    facts = change.facts
    goods = [{**row, CALLED: sku(change, row)} for row in rows(order, ROWS)]
    costs = [
        {**one, CALLED: called(facts, "additional_cost", one.get("additional_cost_id"))} for one in rows(order, COSTS)
    ]
    return cast("Goal", canonical({**order, ROWS: goods, COSTS: costs}))
