"""What the status of a purchase order and its receipts forbid, and what a status and a deletion do besides."""

from collections.abc import Iterator

from katana_mcp.documents.states import changed_rows, requested_ids
from katana_mcp.documents.transition import State, Transition
from katana_mcp.entities.purchase_orders.pricing import COSTS, ROWS, UNIT, good_of
from katana_mcp.entities.purchase_orders.receipts import RECEIVED, moves, received
from katana_mcp.entities.purchase_orders.showing import bills, rows_in_words
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import rows
from katana_mcp.writing.stock_moves import described, in_a_sentence

_UNRECEIVED = frozenset({"supplier_id", "location_id", "tracking_location_id", "currency"})
_OPEN = frozenset({"order_no", "expected_arrival_date"})
_LOCKED = frozenset({"variant_id", "quantity", "price_per_unit", *UNIT, "tax_rate_id", "location_id"})
"""What of a row stays as it is once it is received."""
REFUSED = {(status, "DRAFT"): "" for status in RECEIVED} | {
    ("DRAFT", "RECEIVED"): "",
    ("PARTIALLY_RECEIVED", "NOT_RECEIVED"): ": Katana can undo receipts only after the whole order was received",
}
"""From which status to which Katana refuses to go, and why."""


def order_of(change: Transition) -> str:
    """Return an order in words, by the number that it has."""
    return f"purchase order {text(change.old, 'order_no') or change.old.get('id')}"


def _standing(change: Transition) -> str:
    """Return the status under which everything else is changed."""
    return str(change.unlocked.get("status"))


def _is_modified(change: Transition) -> bool:
    return change.before is not None and change.after is not None


def _locked(change: Transition, what: str, path: str) -> ToolWarning:
    message = f"{path}: {order_of(change)} is {change.old.get('status')}, so {what}"
    return blocking(warning_codes.LOCKED, message, path)


def _head(change: Transition) -> Iterator[ToolWarning]:
    if not _is_modified(change):
        return
    standing = _standing(change)
    for name in change.head:
        closed = (name in _UNRECEIVED and standing in RECEIVED) or (name in _OPEN and standing == "RECEIVED")
        if closed:
            yield _locked(change, f"its {name} can no longer be changed", name)
    if "tracking_location_id" in change.head and change.old.get("entity_type") != "outsourced":
        message = f"{order_of(change)} is not outsourced, so it has no tracking location"
        yield blocking(warning_codes.LOCKED, message, "tracking_location_id")


def _status(change: Transition) -> Iterator[ToolWarning]:
    if not _is_modified(change):
        return
    was, status, asked = change.old.get("status"), change.status, change.asked
    if asked.get("unreceive") and asked.get("status") not in (None, "NOT_RECEIVED"):
        message = f"unreceive undoes receipts, so it cannot be used with status {asked['status']}"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "unreceive")
    if (was, status) in REFUSED:
        return
    if status == "RECEIVED":
        yield from _receives(change)
    elif change.unlocks:
        yield _unreceives(change)
    elif status == "DRAFT":
        message = f"{order_of(change)} is {was}: as a draft, its goods no longer count as expected stock"
        yield advisory(warning_codes.STATUS_MOVES_BACK, message, "status")


def _unreceives(change: Transition) -> ToolWarning:
    """Return what taking receipts back means; it has to be asked for as such."""
    came, moved = received(change.old), moves(change)
    message = f"undoing the receipt of {order_of(change)} removes the received goods from stock"
    if not change.asked.get("unreceive"):
        what = in_a_sentence(described(moved, change.facts.levels)) if moved else rows_in_words(came, change)
        why = f"{message}: {what}; if you want this, pass unreceive=true"
        return blocking(warning_codes.UNRECEIVE_REQUIRED, why, "status")
    message += f": {rows_in_words(came, change)}"
    gone = [row for row in came if row["id"] in change.sent[ROWS].deletes]
    message += f"; the receipt date of {rows_in_words(gone, change)} is lost with the row" if gone else ""
    merged = len(rows(change.old, ROWS)) - len(rows(change.unlocked, ROWS))
    message += "; rows that differ only in quantity become one row" if merged else ""
    return advisory(warning_codes.STATUS_MOVES_BACK, message, "status")


def _receives(change: Transition) -> Iterator[ToolWarning]:
    then, order = rows(change.new, ROWS), order_of(change)
    batched = [row for row in then if good_of(change.facts, row).in_batches]
    if batched:
        message = (
            f"rows of {order} are tracked by batch, so a status cannot receive them: {rows_in_words(batched, change)}"
        )
        yield blocking(warning_codes.BATCH_REQUIRED, message, "status")
        return
    if not then:
        yield blocking(warning_codes.EMPTY_ORDER, f"{order} would have no rows to receive", "status")
        return
    came = {row["id"] for row in received(change.old)}
    open_rows = [row for row in then if row.get("id") not in came]
    now, before = ([row for row in open_rows if (row.get("received_date") is not None) is own] for own in (False, True))
    message = f"every open row of {order} is received" + (f" now: {rows_in_words(now, change)}" if now else "")
    message += f"; with the receipt date given: {rows_in_words(before, change)}" if before else ""
    yield advisory(warning_codes.RECEIVES_ROWS, message, "status")


def _rows(change: Transition) -> Iterator[ToolWarning]:
    if not _is_modified(change):
        return
    if change.sent[ROWS].adds and _standing(change) == "RECEIVED":
        yield _locked(change, "no rows can be added: order them with create_purchase_order", "add_rows")
    if change.sent[COSTS].adds and change.old.get("default_group_id") is None:
        message = f"add_additional_costs: {order_of(change)} has no group for costs; add it in Katana"
        yield blocking(warning_codes.LOCKED, message, "add_additional_costs")
    for here, _, row, fields in changed_rows(change, ROWS):
        yield from _changed(change, here, row, fields)
    yield from _deleted(change)


def _changed(change: Transition, here: str, row: State, fields: State) -> Iterator[ToolWarning]:
    called, has_come = f"row {row['id']}", row.get("received_date") is not None
    for name in [field for field in fields if has_come and field in _LOCKED]:
        shown = "sku_or_variant_id" if name == "variant_id" else name
        yield _locked(change, f"{called} is received and its {shown} can no longer be changed", f"{here}.{shown}")
    if has_come and "arrival_date" in fields:
        message = f"{here}.arrival_date: {called} is received: Katana may refuse this, and then the plan stops"
        yield advisory(warning_codes.LOCKED, message, f"{here}.arrival_date")
    if "received_date" in fields and not has_come and change.status != "RECEIVED":
        message = f"{here}.received_date: {called} is not received, so it has no date to change"
        yield blocking(warning_codes.LOCKED, message, f"{here}.received_date")


def _deleted(change: Transition) -> Iterator[ToolWarning]:
    order, diff = order_of(change), change.sent[ROWS]
    for place, key in enumerate(requested_ids(change.asked, "delete_row_ids")):
        has_come = text(diff.before.get(key, {}), "received_date") is not None
        if _standing(change) == "RECEIVED" or has_come:
            yield _locked(change, f"received row {key} cannot be deleted", f"delete_row_ids[{place}]")
    if change.new.get("status") != (change.target or {}).get("status"):
        message = f"{order} has no open row left, so it becomes {change.new.get('status')} and no rows can be added"
        yield advisory(warning_codes.RECEIVES_ROWS, message, "delete_row_ids")
    if diff.deletes and not rows(change.new, ROWS) and change.status != "RECEIVED":
        message = f"{order} would have no rows left; use delete_purchase_order to delete it"
        yield blocking(warning_codes.NO_ROWS_LEFT, message, "delete_row_ids")


def _goes(change: Transition) -> Iterator[ToolWarning]:
    if change.before is None or change.after is not None:
        return
    order, status = order_of(change), change.old.get("status")
    if status in RECEIVED:
        message = (
            f"{order} is {status}: Katana may refuse to delete it; otherwise the received goods are removed from stock"
        )
        yield advisory(warning_codes.STOCK_WAS_MOVED, message)
    if bills(change) or text(change.old, "billing_status") not in (None, "NOT_BILLED"):
        message = f"{order} has bills, so Katana may refuse to delete it; the bills stay in accounting"
        yield advisory(warning_codes.BILLED_ORDER, message)


RULES = (_head, _status, _rows, _goes)
