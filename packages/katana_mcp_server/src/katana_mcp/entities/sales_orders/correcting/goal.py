"""A shipped order as it is, and as it is to be: its rows, and what of each left with which shipment.

A row is named by its place among the rows of the same order, so that one that is made again is still the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import cast

from cache_core.records import Record, canonical
from katana_mcp.documents.correcting import spread
from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.states import transition
from katana_mcp.documents.traces import TRACE, retraced, traces
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.sales_orders import pricing
from katana_mcp.entities.sales_orders.correcting.request import BATCHES, CORRECTED, EDITED, MADE_WITH, SHIPMENT
from katana_mcp.entities.sales_orders.fulfilling.shipment import HEAD, status_of
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.entities.sales_orders.shipped_goods import GONE, is_service
from katana_mcp.tools.requests import Request
from katana_mcp.values import get_int, number, rows

ROW, IS_TRACKED = "row", "is_tracked"
"""Of what left: the place of its row, and whether its goods are tracked by batch."""
_CONVERSION = ("conversion_rate", "conversion_date")
SHIPPED_WITH = (*HEAD, *_CONVERSION, "packer_id")
"""What of a shipment is kept."""
_HEAD = ("id", "status", "additional_info", *(field.name for field in EDITED.head))
_ROW = ("id", *(field.name for field in EDITED.parts[0].fields), *MADE_WITH)

type Goal = dict[str, object]
type Lines = dict[int, dict[int, Goal]]
"""What left, by the place of its row and that of its shipment."""


def corrected(request: Request, facts: Facts) -> Transition:
    """Return the order before and after, as if nothing of it had left."""
    opened = {**(facts.record or {}), "status": "NOT_SHIPPED"}
    others = {name: found for name, found in facts.beside.items() if name != FULFILLMENTS}
    return transition(CORRECTED, "modify", request, replace(facts, record=opened, beside=others))


def order_of(record: Record, shipments: Sequence[Record]) -> Goal:
    """Return an order with its rows and its shipments, the oldest first."""
    order = pricing.read(record, Facts())
    held = [row for row in rows(order, ROWS) if row.get("deleted_at") is None]
    places = {get_int(row, "id"): place for place, row in enumerate(held)}
    found = sorted(shipments, key=lambda one: (str(one.get("picked_date")), get_int(one, "id") or 0))
    gone = [
        {**_picked(("id", *SHIPPED_WITH), one), GONE: [_line(row, places) for row in rows(one, GONE)]} for one in found
    ]
    return {**_picked(_HEAD, order), ROWS: [_picked(_ROW, row) for row in held], FULFILLMENTS: gone}


def _line(line: Record, places: Mapping[int | None, int]) -> Goal:
    return {ROW: places.get(get_int(line, "sales_order_row_id")), "quantity": line.get("quantity"), TRACE: traces(line)}


def _picked(names: Sequence[str], record: State) -> Goal:
    return {name: record.get(name) for name in names}


def before_of(facts: Facts) -> Goal:
    """Return an order as it is, with which of its goods are tracked by batch."""
    order = order_of(facts.record or {}, facts.beside.get(FULFILLMENTS, ()))
    return cast(
        "Goal", canonical({**order, FULFILLMENTS: [_marked(one, order, facts) for one in rows(order, FULFILLMENTS)]})
    )


def _marked(shipment: State, order: State, facts: Facts) -> Goal:
    held = rows(order, ROWS)
    lines = [
        {**line, IS_TRACKED: place is not None and is_marked(facts, held[place], "batch_tracked")}
        for line in rows(shipment, GONE)
        for place in (get_int(line, ROW),)
    ]
    return {**shipment, GONE: lines}


def left_of(order: State) -> Lines:
    """Return what left of each row, by its place, with each shipment, by its place."""
    found: Lines = {}
    for nr, shipment in enumerate(rows(order, FULFILLMENTS)):
        for line in rows(shipment, GONE):
            found.setdefault(get_int(line, ROW) or 0, {})[nr] = {**line}
    return found


def amount(line: State) -> Decimal:
    """Return how much of a row a line is."""
    return number(line, "quantity") or Decimal(0)


def follows(row: State, left: Mapping[int, State]) -> bool:
    """Return whether all of a row left, so that what left is as much as the row says."""
    return bool(left) and sum(map(amount, left.values())) >= amount(row)


def goal_of(change: Transition, before: State) -> Goal:
    """Return an order as it is to be; a shipment of which nothing is left is none."""
    target = change.target or {}
    found = [row for row in rows(target, ROWS) if "id" in row] + [row for row in rows(target, ROWS) if "id" not in row]
    shipments = rows(before, FULFILLMENTS)
    lines: list[list[Goal]] = [[] for _ in shipments]
    for place, row in enumerate(found):
        for nr, line in _left(row, before, change.facts):
            lines[nr].append({**line, ROW: place})
    head = {name: target[name] for name in _HEAD if name in target}
    is_converted = head.get("currency") != before.get("currency")
    gone = [
        {**one, **(dict.fromkeys(_CONVERSION) if is_converted else {}), GONE: own}
        for one, own in zip(shipments, lines, strict=True)
        if own
    ]
    goal = {**before, **head, ROWS: [_picked(_ROW, row) for row in found], FULFILLMENTS: gone}
    return cast("Goal", canonical({**goal, "status": status_then(goal, change.facts)}))


def _left(row: State, before: State, facts: Facts) -> Iterator[tuple[int, Goal]]:
    """Yield what of a row as it is to be left, with the place of each shipment."""
    batches = cast("Sequence[State] | None", row.get(BATCHES))
    if "id" not in row:
        place = shipment_of(row, before)
        if place is not None and not is_service(facts, row):
            tracked = is_marked(facts, row, "batch_tracked")
            traced = retraced({}, None, batches or ())
            yield place, {"quantity": row.get("quantity"), TRACE: traced, IS_TRACKED: tracked}
        return
    place = next(nr for nr, one in enumerate(rows(before, ROWS)) if one["id"] == row["id"])
    old, left = rows(before, ROWS)[place], left_of(before).get(place, {})
    amounts = [amount(line) for line in left.values()]
    then = spread(amounts, amount(row)) if follows(old, left) else amounts
    for (nr, line), quantity in zip(left.items(), then, strict=True):
        if quantity > 0:
            is_same = batches is None and quantity == amount(line)
            yield nr, line if is_same else {**line, "quantity": quantity, TRACE: retraced(line, quantity, batches)}


def shipment_of(row: State, before: State) -> int | None:
    """Return the place of the shipment that a new row left with: as named, or the last one where all has left."""
    found = rows(before, FULFILLMENTS)
    if row.get(SHIPMENT) is not None:
        return next((nr for nr, one in enumerate(found) if one["id"] == row[SHIPMENT]), None)
    return len(found) - 1 if before.get("status") in ("PACKED", "DELIVERED") and found else None


def status_then(order: State, facts: Facts) -> object:
    """Return the status that Katana works out of an order's shipments."""
    counted = {**order, ROWS: [{**row, "id": nr} for nr, row in enumerate(rows(order, ROWS), 1)]}
    shipments = [
        {**one, GONE: [{**line, "sales_order_row_id": (get_int(line, ROW) or 0) + 1} for line in rows(one, GONE)]}
        for one in rows(order, FULFILLMENTS)
    ]
    return status_of(facts, counted, shipments)
