"""What speaks against a shipment: rows that are not there or have gone, quantities, serial numbers, its date."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.quantities import Handling, Portion, misfits, traces, uncountable
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.sales_orders.fulfilling.departing import moves
from katana_mcp.entities.sales_orders.fulfilling.request import FulfillOrderRequest, ShippedRow
from katana_mcp.entities.sales_orders.fulfilling.shipment import SHIPPING, as_it_is, fulfilled, shipped, subject
from katana_mcp.entities.sales_orders.fulfilling.tracing import (
    Entry,
    in_words,
    takes_first_expiring,
    traced,
)
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS, MADE
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.entities.sales_orders.shipped_goods import GONE
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import check_not_deleted
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking, info
from katana_mcp.values import get_int, ids, rows
from katana_mcp.writing.stock_moves import shortages

_SHIPPING: Handling[ShippedRow] = Handling(
    does="ship",
    too_much=warning_codes.OVER_SHIPMENT,
    is_over=warning_codes.ALREADY_COMPLETED,
    why_over=lambda _: "is already packed or delivered: nothing is left to ship",
)


def against(request: FulfillOrderRequest, facts: Facts) -> list[ToolWarning]:
    """Return what speaks against it."""
    order = as_it_is(facts, request.sales_order_id)
    deleted = check_not_deleted(SHIPPING.called(order), order, SHIPPING.id, deleted=facts.deleted)
    if deleted:
        return deleted
    going, change = shipped(request, facts, order), fulfilled(request, facts)
    is_new = request.fulfillment_id is None and request.delete_fulfillment_id is None
    found = [*(_new(facts, order, going) if is_new else _named(request, order, change))]
    found += [*_made(request, facts, order, going), *shortages(moves(request, facts, order, going), facts.levels)]
    return [*found, *_stays(order, change)] if is_new else found


def _named(request: FulfillOrderRequest, order: State, change: Transition) -> Iterator[ToolWarning]:
    """Yield that the order has no such shipment, or that it is like that already."""
    called, key = SHIPPING.called(order), request.fulfillment_id or request.delete_fulfillment_id
    if subject(request, order) is None:
        path = "fulfillment_id" if request.fulfillment_id is not None else "delete_fulfillment_id"
        has = ", ".join(str(row.get("id")) for row in rows(order, FULFILLMENTS)) or "none"
        yield blocking(warning_codes.UNKNOWN_ROW_ID, f"{path}: {called} has no shipment {key}; it has {has}", path)
    elif change.is_nothing:
        message = f"shipment {key} of {called} already has these values: nothing would change"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message)


def _new(facts: Facts, order: State, going: Sequence[Portion[ShippedRow]]) -> Iterator[ToolWarning]:
    called, held = SHIPPING.called(order), rows(order, ROWS)
    if not held:
        yield blocking(warning_codes.EMPTY_ORDER, f"{called} has no rows to ship")
    elif not going:
        packed = [str(row.get("id")) for row in rows(order, FULFILLMENTS) if row.get("status") == "PACKED"]
        then = f"; to deliver it, give status DELIVERED and fulfillment_id {', '.join(packed)}" if packed else ""
        message = f"{called} is already packed or delivered: nothing is left to ship{then}"
        yield blocking(warning_codes.ALREADY_COMPLETED, message)
    if order.get("status") == "PENDING" and going:
        message = f"{called} is PENDING, a quote: the plan sets it to NOT_SHIPPED first"
        yield advisory(warning_codes.BLOCKED_STATUS, message)
    entries = traced(facts, order, going)
    for portion, misfit in misfits(called, going, [get_int(row, "id") or 0 for row in held], _SHIPPING):
        if misfit is not None:
            yield misfit
        elif portion.row is not None:
            yield from traces(portion, portion.quantity)
            yield from _serials(facts, order, portion, portion.row)
            yield from _batches(facts, portion, portion.row, entries.get(portion.key, []))


def _serials(facts: Facts, order: State, portion: Portion[ShippedRow], row: State) -> Iterator[ToolWarning]:
    """Yield that serial numbers are to be named: Katana takes those by itself that the row holds."""
    if not is_marked(facts, row, "serial_tracked") or (portion.asked and portion.asked.serial_number_ids):
        return
    if portion.quantity != portion.quantity.to_integral_value():
        yield uncountable(portion, portion.quantity)
        return
    lines = [line for shipment in rows(order, FULFILLMENTS) for line in rows(shipment, GONE)]
    left = {record_id for line in lines for record_id in ids(line, "serial_numbers") or []}
    reserved = {*(ids(row, "serial_numbers") or [])} - left
    if len(reserved) < portion.quantity:
        path = f"{portion.path}.serial_number_ids"
        needed = f"row {portion.key} is tracked by serial number: give {plain_number(portion.quantity)} serial numbers"
        message = f"{path}: {needed}; {len(reserved)} are reserved for it"
        yield blocking(warning_codes.SERIAL_NUMBERS_REQUIRED, message, path)


def _batches(facts: Facts, portion: Portion[ShippedRow], row: State, entries: Sequence[Entry]) -> Iterator[ToolWarning]:
    """Yield which batches were chosen, and that goods that are tracked by batch leave in none."""
    if not is_marked(facts, row, "batch_tracked"):
        return
    path, is_chosen = f"{portion.path}.batches", takes_first_expiring(facts, portion)
    if is_chosen and entries:
        message = (
            f"{path}: no batches given, so row {portion.key} takes those that expire first: {in_words(facts, entries)}"
        )
        yield info(warning_codes.DEFAULT_BATCHES, message, path)
    if any(entry.get("batch_id") is None for entry in entries) or (is_chosen and not entries):
        message = f"{path}: row {portion.key} is tracked by batch, but part of it would be shipped without a batch"
        yield advisory(warning_codes.UNTRACED_SHIPMENT, message, path)


def _made(
    request: FulfillOrderRequest, facts: Facts, order: State, going: Sequence[Portion[ShippedRow]]
) -> Iterator[ToolWarning]:
    """Yield that goods which are made for a row would leave before they are there."""
    shipment = subject(request, order) if request.picked_date is not None else None
    keys = {portion.key for portion in going} | {
        get_int(line, "sales_order_row_id") for line in rows(shipment or {}, GONE)
    }
    for row in (row for row in rows(order, ROWS) if get_int(row, "id") in keys):
        key = row.get("linked_manufacturing_order_id")
        made = next((record for record in facts.beside.get(MADE, ()) if record.get("id") == key), None)
        if made is None:
            continue
        done, name = text(made, "done_date"), text(made, "order_no") or key
        if done is None:
            why = f"manufacturing order {name} makes row {row.get('id')} and is {made.get('status')}, not DONE"
            message = f"{why}: other stock would be shipped, and what it makes stays in stock"
            yield advisory(warning_codes.INVENTORY_ORDERING, message)
        elif request.picked_date is not None and request.picked_date <= datetime.fromisoformat(done):
            why = f"picked_date: manufacturing order {name} makes row {row.get('id')} and was done on {done}"
            message = f"{why}: with an earlier date the stock is negative until then; use a later date"
            yield advisory(warning_codes.INVENTORY_ORDERING, message, "picked_date")


def _stays(order: State, change: Transition) -> Iterator[ToolWarning]:
    """Yield which status the way back does not bring back."""
    was = order.get("status")
    if was in ("PENDING", "READY_FOR_FULFILLMENT") and change.new.get("status") != was:
        message = f"status: after the revert the order is NOT_SHIPPED, not {was}"
        yield advisory(warning_codes.NO_WAY_BACK, message, "status")
