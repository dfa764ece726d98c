"""What speaks against a correction, said before anything is touched: what is not shipped, or would not be the same."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import cast

from katana_mcp.documents import checks as usual
from katana_mcp.documents.correcting import batch_sum, blocks, no_change
from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.states import added_parts, changed_rows, requested_rows
from katana_mcp.documents.traces import TRACE, in_trace, is_of_one, is_of_units
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.sales_orders.checks import RETURNS, is_open
from katana_mcp.entities.sales_orders.correcting.goal import (
    ROW,
    amount,
    before_of,
    corrected,
    follows,
    goal_of,
    left_of,
    shipment_of,
)
from katana_mcp.entities.sales_orders.correcting.request import BATCHES, CORRECTED, SHIPMENT
from katana_mcp.entities.sales_orders.correcting.showing import moves
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS
from katana_mcp.entities.sales_orders.pricing import ROWS
from katana_mcp.entities.sales_orders.shipped_goods import GONE
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int, rows
from katana_mcp.writing.stock_moves import shortages

NOT_KEPT = "the ids of shipments; stock costs are worked out anew"


def checks(request: Request, facts: Facts) -> Sequence[ToolWarning]:
    """Return what speaks against it."""
    change = corrected(request, facts)
    if facts.deleted:
        return usual.checks(CORRECTED, change)
    before = before_of(facts)
    if closed := [*_standing(facts, change, before)]:
        return closed
    found = [*usual.checks(CORRECTED, change), *_changed(change, before), *_new(change, before)]
    if blocks(found):
        return found
    goal = goal_of(change, before)
    if {**goal, "status": None} == {**before, "status": None}:
        return [*found, no_change(_called(change))]
    if not rows(goal, FULFILLMENTS):
        message = f"nothing shipped of {_called(change)} would remain: take its shipments back with fulfill_order"
        found.append(blocking(warning_codes.NO_ROWS_LEFT, message, "delete_row_ids"))
    if not blocks(found):
        message = "the goods of the order are in stock again until its last shipment is made again"
        found += shortages(moves(change, before, goal), facts.levels)
        found.append(advisory(warning_codes.STATUS_MOVES_BACK, f"{message}; not kept: {NOT_KEPT}"))
    return found


def _called(change: Transition) -> str:
    return CORRECTED.called(change.old)


def _standing(facts: Facts, change: Transition, before: State) -> Iterator[ToolWarning]:
    """Yield why an order is not one that can be taken back and shipped the same."""
    order, shipments, record = _called(change), rows(before, FULFILLMENTS), facts.record or {}
    if is_open(before):
        message = f"{order} is {before.get('status')}: nothing of it is shipped, so change it with modify_sales_order"
        yield blocking(warning_codes.NOT_CLOSED, message)
        return
    if not shipments:
        yield blocking(
            warning_codes.LOCKED,
            f"{order} is {before.get('status')}, but Katana lists no shipment: correct it in Katana",
        )
    returns = [text(record, "order_no") or str(record.get("id")) for record in facts.beside.get(RETURNS, ())]
    if returns:
        why = "they refer to its shipments, which would get new ids; correct it in Katana"
        message = f"{order} has sales returns ({', '.join(returns)}): {why}"
        yield blocking(warning_codes.LOCKED, message)
    invoiced = [
        shipment for shipment in facts.beside.get(FULFILLMENTS, ()) if text(shipment, "invoice_status") in _INVOICED
    ]
    if invoiced or text(record, "invoicing_status") in _INVOICED:
        message = (
            f"{order} is invoiced: the invoice would lose its shipments; correct it in Katana, or by a credit note"
        )
        yield blocking(warning_codes.LOCKED, message)
    held = rows(before, ROWS)
    for line in (line for shipment in shipments for line in rows(shipment, GONE)):
        place = get_int(line, ROW)
        row = None if place is None else held[place]
        if row is None:
            yield blocking(
                warning_codes.LOCKED, f"a shipment of {order} has goods of a missing row: correct it in Katana"
            )
        elif is_marked(facts, row, "serial_tracked") and in_trace(line) != amount(line):
            message = f"Katana does not show all serial numbers of row {row['id']} of {order}: others might be shipped"
            yield blocking(warning_codes.LOCKED, f"{message}; correct it in Katana")


_INVOICED = ("INVOICED", "PARTIALLY_INVOICED", "invoiced", "partiallyInvoiced")


def _changed(change: Transition, before: State) -> Iterator[ToolWarning]:
    """Yield quantities, batches and serial numbers of rows that left that do not come to what is asked for."""
    places = {row["id"]: place for place, row in enumerate(rows(before, ROWS))}
    left = left_of(before)
    for path, asked, row, fields in changed_rows(change, ROWS):
        lines = left.get(places[row["id"]], {})
        yield from _quantity(path, asked, {**row, **fields}, (row, list(lines.values())))
    for key in change.sent[ROWS].deletes:
        made = change.sent[ROWS].before[key].get("linked_manufacturing_order_id")
        if made is not None:
            message = (
                f"manufacturing order {made} makes row {key}, and no new row is linked to it: unlink it in Katana first"
            )
            yield blocking(warning_codes.LOCKED, f"delete_row_ids: {message}", "delete_row_ids")


def _quantity(path: str, asked: State, row: State, was: tuple[State, Sequence[State]]) -> Iterator[ToolWarning]:
    """Yield what of a changed row does not fit; `was` is it as it is, and what of it left with each shipment."""
    old, lines = was
    batches, total = cast("Sequence[State] | None", asked.get(BATCHES)), sum(map(amount, lines), Decimal(0))
    moves_amount = amount(row) != amount(old) and follows(old, dict(enumerate(lines)))
    if not lines and batches:
        yield blocking(warning_codes.INVALID_ARGUMENT, f"{path}.batches: nothing of row {row['id']} is shipped", path)
    elif len(lines) > 1 and batches is not None:
        message = f"{path}.batches: row {row['id']} left with {len(lines)} shipments: ship it again with fulfill_order"
        yield blocking(warning_codes.LOCKED, message, f"{path}.batches")
    elif batches is not None:
        yield from batch_sum(f"{path}.batches", batches, amount(row) if moves_amount else total)
    if amount(row) < total and not moves_amount:
        message = f"{path}.quantity: {plain_number(total)} of row {row['id']} are shipped already"
        yield blocking(
            warning_codes.OVER_SHIPMENT, f"{message}: take a shipment back with fulfill_order", f"{path}.quantity"
        )
    if any(map(is_of_units, lines)) and (moves_amount or batches is not None):
        message = f"{path}: row {row['id']} left with serial numbers: take its shipment back with fulfill_order"
        yield blocking(warning_codes.LOCKED, f"{message}, and ship it anew", path)
    elif moves_amount and batches is None and any(rows(line, TRACE) and not is_of_one(line) for line in lines):
        message = f"{path}: name the batches of row {row['id']}: not all of it left from one"
        yield blocking(warning_codes.BATCH_REQUIRED, message, f"{path}.batches")


def _new(change: Transition, before: State) -> Iterator[ToolWarning]:
    """Yield shipments that the order does not have, and goods that would leave untraced."""
    for nr, (asked, row) in enumerate(
        zip(requested_rows(change.asked, "add_rows"), [row for _, _, row in added_parts(change, ROWS)], strict=True)
    ):
        path, place = f"add_rows[{nr}]", shipment_of(row, before)
        goods = change.facts.one("variant", asked.get("sku_or_variant_id"))
        called = asked.get("sku_or_variant_id") if goods is None else goods.called
        if asked.get(SHIPMENT) is not None and place is None:
            has = ", ".join(str(one["id"]) for one in rows(before, FULFILLMENTS))
            message = f"{path}.{SHIPMENT}: {_called(change)} has no shipment {asked[SHIPMENT]}; it has {has}"
            yield blocking(warning_codes.UNKNOWN_ROW_ID, message, f"{path}.{SHIPMENT}")
        yield from batch_sum(f"{path}.batches", cast("Sequence[State]", asked.get(BATCHES, ())), amount(row))
        if place is not None and is_marked(change.facts, row, "serial_tracked"):
            message = f"{path}: {called} is tracked by serial number: sell it in an order of its own"
            yield blocking(warning_codes.SERIAL_NUMBERS_REQUIRED, message, path)
        if place is not None and is_marked(change.facts, row, "batch_tracked") and not asked.get(BATCHES):
            message = f"{path}: {called} is tracked by batch, but no batch was named: it leaves from none"
            yield advisory(warning_codes.UNTRACED_SHIPMENT, message, path)
