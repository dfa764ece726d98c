"""What is left to do so that a shipped order gets from how it is to how it is to be: take shipments back, edit, ship.

Shipments are taken back, the oldest first, where rows or head are otherwise, or where they are themselves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from cache_core.records import Record, canonical
from katana_client.models.sales_order_fulfillments import SalesOrderFulfillment
from katana_client.models.sales_order_rows import SalesOrderRow
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
from katana_mcp.entities.sales_orders.checks import OPEN
from katana_mcp.entities.sales_orders.correcting.goal import IS_TRACKED, ROW, SHIPPED_WITH, amount, order_of
from katana_mcp.entities.sales_orders.correcting.request import EDITED, MADE_WITH, SHIPPED
from katana_mcp.entities.sales_orders.fulfilling.plan import known_by
from katana_mcp.entities.sales_orders.fulfilling.shipment import HEAD
from katana_mcp.entities.sales_orders.fulfilling.tracing import with_rest
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.entities.sales_orders.shipped_goods import GONE
from katana_mcp.references.services import Services
from katana_mcp.values import get_int, rows
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.change import BACK, BEFORE, GOAL

_ROW_FIELDS, _SHIPMENT_FIELDS = (doc.parts[0].fields for doc in (EDITED, SHIPPED))
_NAMES = tuple(field.name for field in _ROW_FIELDS)
_ROW_LIKE = partial(is_as, SalesOrderRow, names=tuple(name for name in _NAMES if name != "quantity"))
type Ids = Sequence[object]
"""The ids of rows by their places; None for one that is yet to be added."""


async def look(saga: JsonObject, services: Services) -> JsonObject:
    """Return the record of an order, and its shipments."""
    record = await record_now("sales_orders", saga, services)
    return {
        "record": record,
        "shipments": await listed("sales_order_fulfillments", services, sales_order_id=record["id"]),
    }


def rest(saga: JsonObject, now: JsonObject) -> Sequence[Action]:
    """Return what is left to do; the first step names only what is there.

    Args:
        saga: the order as it was, as it is to be, and whether it goes back.
        now: its record and its shipments, as Katana has them.

    Raises:
        Astray: somebody else changed the order so that nothing is certain.
    """
    before, goal = (cast("State", saga[name]) for name in (BEFORE, GOAL))
    order = order_of(cast("Record", now["record"]), rows(now, "shipments"))
    check_expected([*rows(before, ROWS), *rows(goal, ROWS)], rows(order, ROWS), _ROW_LIKE)
    expected = [*rows(before, FULFILLMENTS), *rows(goal, FULFILLMENTS)]
    check_expected(expected, rows(order, FULFILLMENTS), _is_alike, "shipment")
    return list(_left(before if saga[BACK] else goal, order))


def _left(goal: State, order: State) -> Iterator[Action]:
    pairs, _ = paired(rows(goal, ROWS), rows(order, ROWS), (is_itself, partial(is_as, SalesOrderRow, names=_NAMES)))
    head = {field.name: goal[field.name] for field in EDITED.head if goal.get(field.name) is not None}
    bare: State = {**order, FULFILLMENTS: ()}
    then = {**bare, **head, ROWS: as_targets(pairs, _ROW_FIELDS, MADE_WITH)}
    ids = [None if row is None else row["id"] for _, row in pairs]
    is_edited = bool(steps_between(EDITED, bare, then))
    there = _with_ids(order, [row["id"] for row in rows(order, ROWS)])
    targets = _with_ids(goal, ids)
    found, odd = paired(targets, there, (_is_exactly, _took_the_same))
    going = there if is_edited else odd
    stays = [one for one in there if one not in going]
    yield from steps_between(SHIPPED, {**order, FULFILLMENTS: there}, {**order, FULFILLMENTS: stays})
    if is_edited:
        opened: State | None = None if order["status"] in OPEN or going else {**bare, "status": OPEN[1]}
        yield from steps_between(EDITED, bare, then, opened)
    names = [field.name for field in _SHIPMENT_FIELDS]
    kept = [
        {**one, **{name: aim[name] for name in names if aim.get(name) is not None}}
        for aim, one in found
        if one is not None and one in stays
    ]
    new = [aim for aim, one in found if one not in stays]
    now = {**then, FULFILLMENTS: stays}
    sent = steps_between(SHIPPED, now, {**then, FULFILLMENTS: [*kept, *map(_sent, new)]})
    added = iter(new)
    yield from (_named(action, next(added), goal) if action.method == "POST" else action for action in sent)


def _with_ids(order: State, ids: Ids) -> list[State]:
    """Return shipments whose lines name the rows by their ids."""
    return [
        {**one, GONE: [{**line, "sales_order_row_id": ids[get_int(line, ROW) or 0]} for line in rows(one, GONE)]}
        for one in rows(order, FULFILLMENTS)
    ]


def _took(shipment: State, name: str = "sales_order_row_id") -> list[str]:
    return sorted(
        str([line.get(name), f"{amount(line).normalize():f}", traced(rows(line, TRACE))])
        for line in rows(shipment, GONE)
    )


def _took_the_same(target: State, there: State) -> bool:
    return _took(target) == _took(there)


def _is_exactly(target: State, there: State) -> bool:
    return _took_the_same(target, there) and is_as(SalesOrderFulfillment, target, there, HEAD)


def _is_alike(expected: State, there: State) -> bool:
    """Return whether two shipments may be the same: on the same date, with as much of everything."""
    return _took(expected, "") == _took(there, "") and is_as(SalesOrderFulfillment, expected, there, ("picked_date",))


def _sent(shipment: State) -> State:
    """Return a shipment that is yet to be made, as it is sent: with what it was traced by."""
    lines = [{"sales_order_row_id": line["sales_order_row_id"] or 1, **_amounts(line)} for line in rows(shipment, GONE)]
    return {**{name: shipment[name] for name in SHIPPED_WITH if shipment.get(name) is not None}, GONE: lines}


def _amounts(line: State) -> State:
    entries = rows(line, TRACE)
    traced_by = with_rest([*entries], amount(line)) if line.get(IS_TRACKED) else entries
    units = [{"quantity": 1, **entry} for entry in traced_by]
    return {"quantity": line["quantity"], **({"traceability": units} if units else {})}


def _named(action: Action, shipment: State, goal: State) -> Action:
    """Return what ships, with what stands in for rows that are yet to be added."""
    held, lines = rows(goal, ROWS), rows(shipment, GONE)
    keys = [
        line["sales_order_row_id"]
        or {LATER: f"the id of the new row of variant {held[get_int(line, ROW) or 0].get('variant_id')}"}
        for line in lines
    ]
    sent = [{**line, "sales_order_row_id": key} for line, key in zip(rows(action.fields, GONE), keys, strict=True)]
    found = replace(action, body=canonical({**action.fields, GONE: sent}))
    return known_by(replace(found, expects={**found.expects, GONE: sent}))
