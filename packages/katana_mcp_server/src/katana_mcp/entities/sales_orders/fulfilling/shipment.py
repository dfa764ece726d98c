"""An order before and after a shipment of it: a new one, one that changes, or one that is taken back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from cache_core.records import canonical
from katana_mcp.documents.declaration import Field, Part
from katana_mcp.documents.quantities import Portion, portions
from katana_mcp.documents.states import between, named_in, transition
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.sales_orders.fulfilling.request import FulfillOrderRequest, ShippedRow
from katana_mcp.entities.sales_orders.fulfilling.tracing import traced
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.entities.sales_orders.shipped_goods import GONE, is_service
from katana_mcp.entities.sales_orders.writes import SALES_ORDER, WRITES
from katana_mcp.surface.operations.filters import Moment
from katana_mcp.tools.requests import ShortText
from katana_mcp.values import EMPTY, get_int, number, rows

_TRACKING = ("tracking_number", "tracking_url", "tracking_carrier", "tracking_method")
HEAD = ("status", "picked_date", *_TRACKING)
"""What of a shipment is given, and may be another later."""
_SHIPMENTS = Part(
    name="fulfillments",
    one="fulfillment",
    held=FULFILLMENTS,
    fields=(
        Field("status", ShortText, clears=False),
        Field("picked_date", Moment, clears=False, filled=True),
        *(Field(name, ShortText) for name in _TRACKING),
    ),
    says={},
    most=1,
    collection="sales_order_fulfillments",
    parent="sales_order_id",
    look=lambda body: {"sales_order_id": body["sales_order_id"]},
    kind=lambda row: f"{row['status']} shipment",
    entity=FULFILLMENTS,
    leads=True,
)
SHIPPING = replace(SALES_ORDER, parts=(*SALES_ORDER.parts, _SHIPMENTS))
"""A sales order with its shipments."""


def as_it_is(facts: Facts, order: int | str) -> State:
    """Return the order as it is, with its shipments."""
    asked = WRITES["modify"].request.model_validate({"sales_order_id": order})
    found = transition(SALES_ORDER, "modify", asked, facts).before or EMPTY
    return {**found, FULFILLMENTS: list(facts.beside.get(FULFILLMENTS, ()))}


def _goods(facts: Facts, order: State) -> list[State]:
    """Return what of an order is shipped: its goods, or all of it where there are none."""
    found = rows(order, ROWS)
    return [row for row in found if not is_service(facts, row)] or found


def open_of(order: State) -> dict[int, Decimal]:
    """Return how much of each row is not shipped, by its id."""
    taken = _taken(rows(order, FULFILLMENTS))
    return {key: max(ordered - taken.get(key, Decimal(0)), Decimal(0)) for key, ordered in _ordered(order).items()}


def _ordered(order: State) -> dict[int, Decimal]:
    return {get_int(row, "id") or 0: number(row, "quantity") or Decimal(0) for row in rows(order, ROWS)}


def _taken(shipments: Sequence[State]) -> dict[int, Decimal]:
    found: dict[int, Decimal] = {}
    for row in (row for shipment in shipments for row in rows(shipment, GONE)):
        key = get_int(row, "sales_order_row_id") or 0
        found[key] = found.get(key, Decimal(0)) + (number(row, "quantity") or Decimal(0))
    return found


def shipped(request: FulfillOrderRequest, facts: Facts, order: State) -> list[Portion[ShippedRow]]:
    """Return what is shipped: what is named, or all goods that are open; nothing where a shipment is named."""
    if request.fulfillment_id is not None or request.delete_fulfillment_id is not None:
        return []
    held = {get_int(row, "id") or 0: row for row in rows(order, ROWS)}
    still = open_of(order)
    goods = {get_int(row, "id") for row in _goods(facts, order)}
    left = still if request.rows else {key: amount for key, amount in still.items() if key in goods}
    return portions(request.rows, held, left)


def subject(request: FulfillOrderRequest, order: State) -> State | None:
    """Return the shipment that is named, if the order has it."""
    key = request.fulfillment_id or request.delete_fulfillment_id
    return next((row for row in rows(order, FULFILLMENTS) if row.get("id") == key), None)


def fulfilled(request: FulfillOrderRequest, facts: Facts) -> Transition:
    """Return the order before and after, as every other change of it is looked at."""
    order = as_it_is(facts, request.sales_order_id)
    given = canonical({name: value for name, value in named_in(request).items() if name in HEAD})
    key, found = request.fulfillment_id, rows(order, FULFILLMENTS)
    gone = [*_rows(facts, order, shipped(request, facts, order))]
    if key is not None:
        found = [{**record, **given} if record.get("id") == key else record for record in found]
    elif request.delete_fulfillment_id is not None:
        found = [record for record in found if record.get("id") != request.delete_fulfillment_id]
    elif gone:
        new = {name: value for name, value in given.items() if value is not None}
        found = [*found, {"status": "DELIVERED", **new, GONE: gone}]
    is_quote = order.get("status") == "PENDING" and bool(gone)
    after = {**order, FULFILLMENTS: found, "status": status_of(facts, order, found)}
    return between(SHIPPING, facts, order, after, {**order, "status": "NOT_SHIPPED"} if is_quote else None)


def _rows(facts: Facts, order: State, portions: Sequence[Portion[ShippedRow]]) -> Iterator[Mapping[str, object]]:
    entries = traced(facts, order, portions)
    for portion in portions:
        if portion.row is not None and portion.quantity:
            trace = entries.get(portion.key)
            row = {"sales_order_row_id": portion.key, "quantity": portion.quantity}
            yield row if trace is None else {**row, "traceability": trace}


def status_of(facts: Facts, order: State, shipments: Sequence[State]) -> object:
    """Return the status that Katana works out of shipments; one of which nothing is shipped keeps its own."""
    ordered, taken = _ordered(order), _taken(shipments)
    handed = _taken([shipment for shipment in shipments if shipment.get("status") == "DELIVERED"])
    keys = [get_int(row, "id") or 0 for row in _goods(facts, order)]
    if not shipments:
        return "NOT_SHIPPED" if rows(order, FULFILLMENTS) else order.get("status")
    if all(handed.get(key, Decimal(0)) >= ordered[key] for key in keys):
        return "DELIVERED"
    if all(taken.get(key, Decimal(0)) >= ordered[key] for key in keys):
        return "PACKED"
    return "PARTIALLY_DELIVERED" if any(handed.values()) else "PARTIALLY_PACKED"
