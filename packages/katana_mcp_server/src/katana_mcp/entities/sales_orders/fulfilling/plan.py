"""What a shipment sends, what is shown of it, and the way back: that shipment taken back, changed, or made again."""

from collections.abc import Sequence
from dataclasses import replace

from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.shown import changes, in_words
from katana_mcp.documents.steps import id_of, steps
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.verbs import draft
from katana_mcp.entities.sales_orders.fulfilling.checks import against
from katana_mcp.entities.sales_orders.fulfilling.departing import moves
from katana_mcp.entities.sales_orders.fulfilling.request import FulfillOrderRequest
from katana_mcp.entities.sales_orders.fulfilling.shipment import (
    HEAD,
    SHIPPING,
    as_it_is,
    fulfilled,
    open_of,
    shipped,
    subject,
)
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS
from katana_mcp.entities.sales_orders.pricing import ROWS, row_line
from katana_mcp.entities.sales_orders.shipped_goods import GONE
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.values import EMPTY, ids, number, rows
from katana_mcp.writing.actions import Action, JsonObject, Ref
from katana_mcp.writing.change import Draft
from katana_mcp.writing.stock_moves import described

TOOL = "fulfill_order"


def checks(request: FulfillOrderRequest, facts: Facts) -> Sequence[ToolWarning]:
    """Return what speaks against it."""
    return against(request, facts)


def plan(request: FulfillOrderRequest, facts: Facts) -> Draft:
    """Return the plan; without a request where something speaks against it."""
    order, change = as_it_is(facts, request.sales_order_id), fulfilled(request, facts)
    is_lawful = not any(warning.severity == "blocking" for warning in against(request, facts))
    sent = [known_by(step) for step in steps(SHIPPING, change)] if is_lawful else []
    why = _no_way_back(request, facts, order)
    still = [in_words(row_line, [row], change) for row in _open(change.new)]
    shown = draft(SHIPPING, change, _summary(request, facts, order, change))
    return replace(
        shown,
        actions=tuple(sent),
        touches={"record": facts.record, "shipments": list(facts.beside.get(FULFILLMENTS, ()))},
        own={**shown.own, "still_open": still},
        stock=described(moves(request, facts, order, shipped(request, facts, order)), facts.levels),
        prior_state={**(facts.record or EMPTY), "fulfillments": rows(order, FULFILLMENTS)},
        revert={"tool": TOOL, "arguments": _back(request, order, len(sent) - 1)} if sent and not why else None,
        one_way=why,
    )


def _open(order: State) -> list[State]:
    still = open_of(order)
    held = {id_of(row): row for row in rows(order, ROWS)}
    return [{**held[key], "quantity": amount} for key, amount in still.items() if amount]


def _summary(request: FulfillOrderRequest, facts: Facts, order: State, change: Transition) -> str:
    called, shipment = SHIPPING.called(order), subject(request, order)
    if request.fulfillment_id is not None:
        of_shipments = [
            field_change for field_change in changes(SHIPPING, change) if field_change.field.startswith("fulfillments[")
        ]
        words = ", ".join(
            f"{field_change.field.rpartition('.')[2]} {field_change.new or 'cleared'}" for field_change in of_shipments
        )
        return f"shipment {request.fulfillment_id} of {called}: {words or 'nothing changes'}"
    going = [
        {**portion.row, "quantity": portion.quantity}
        for portion in shipped(request, facts, order)
        if portion.row is not None
    ] or _taken(order, shipment or EMPTY)
    what, still = (in_words(row_line, found, change) or "nothing" for found in (going, _open(change.new)))
    if request.delete_fulfillment_id is not None:
        return (
            f"delete shipment {request.delete_fulfillment_id} of {called}, return to stock: {what}; then open: {still}"
        )
    return f"ship {what} of {called} as {request.status or 'DELIVERED'}; still open: {still}"


def _taken(order: State, shipment: State) -> list[State]:
    """Return the rows of an order in the quantities that a shipment took of them."""
    held = {row.get("id"): row for row in rows(order, ROWS)}
    lines = rows(shipment, GONE)
    return [{**held.get(line.get("sales_order_row_id"), {}), "quantity": line.get("quantity")} for line in lines]


def known_by(action: Action) -> Action:
    """Return what ships, known by rows and quantities: how Katana shows batches and serial numbers is its own."""
    lines = action.expects.get(GONE)
    if action.method != "POST" or not isinstance(lines, list):
        return action
    found = [{name: row[name] for name in ("sales_order_row_id", "quantity")} for row in rows(action.expects, GONE)]
    return replace(action, expects={**action.expects, GONE: found})


def _back(request: FulfillOrderRequest, order: State, place: int) -> JsonObject:
    """Return the arguments that take it back; `place` is that of the request that ships."""
    named, shipment = {"sales_order_id": id_of(order)}, subject(request, order) or EMPTY
    if request.fulfillment_id is not None:
        was = {name: shipment.get(name) for name in HEAD if name in request.model_fields_set}
        return {**named, "fulfillment_id": request.fulfillment_id, **was}
    if request.delete_fulfillment_id is None:
        return {**named, "delete_fulfillment_id": Ref(place, "id")}
    held = {name: value for name in HEAD if (value := shipment.get(name)) is not None}
    return {**named, "rows": [_again(row) for row in rows(shipment, GONE)], **held}


def _again(line: State) -> JsonObject:
    """Return the argument that ships a row once more, from the same batches and serial numbers."""
    batches = [
        {"batch_id": row["batch_id"], "quantity": row.get("quantity")}
        for row in rows(line, "batch_transactions")
        if row.get("batch_id") is not None
    ]
    traced = {"batches": batches, "serial_number_ids": ids(line, "serial_numbers")}
    plain = {"row_id": line.get("sales_order_row_id"), "quantity": number(line, "quantity")}
    return {**plain, **{name: value for name, value in traced.items() if value}}


def _no_way_back(request: FulfillOrderRequest, facts: Facts, order: State) -> str:
    """Return why nothing takes it back; nothing where a call does."""
    shipment = subject(request, order) if request.delete_fulfillment_id is not None else None
    if shipment is None:
        return ""
    if shipment.get("invoice_status") not in (None, "NOT_INVOICED"):
        return "a new shipment is not linked to the invoice"
    held = {row.get("id"): row for row in rows(order, ROWS)}
    for line in rows(shipment, GONE):
        row = held.get(line.get("sales_order_row_id"), {})
        in_batches = any(transaction.get("batch_id") for transaction in rows(line, "batch_transactions"))
        if is_marked(facts, row, "batch_tracked") and not in_batches:
            return "goods shipped without a batch would be shipped again with one"
        if any(entry.get("bin_location_id") for entry in rows(line, "traceability")):
            return "the bins from which goods were shipped cannot be set again"
    return ""
