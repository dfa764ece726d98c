"""What speaks against receiving: the order's status, rows that are not there or have come, quantities and batches."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from katana_mcp import naming
from katana_mcp.documents.transition import Facts, State
from katana_mcp.entities.purchase_orders.buying import ROWS, good_of
from katana_mcp.entities.purchase_orders.receipts import INGREDIENTS
from katana_mcp.entities.purchase_orders.receiving.arrival import Arrival
from katana_mcp.lookup import gone
from katana_mcp.names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import number, rows


def against(facts: Facts, order: State, came: Sequence[Arrival]) -> list[ToolWarning]:
    """Return what speaks against it."""
    name = text(order, "order_no") or str(order.get("id"))
    deleted = gone("purchase_order", name, order, deleted=facts.deleted)
    blocked = deleted or [*_status(f"purchase order {name}", order)]
    return blocked or [*_rows(f"purchase order {name}", order, facts, came)]


def _status(called: str, order: State) -> Iterator[ToolWarning]:
    status = order.get("status")
    if status == "DRAFT":
        told = f"{called} is a draft: modify_purchase_order with status NOT_RECEIVED orders it first"
        yield blocking(warning_codes.DRAFT_ORDER, told)
    elif status == "RECEIVED":
        yield blocking(warning_codes.ALREADY_RECEIVED, f"{called} has been received: nothing of it is open")
    elif not rows(order, ROWS):
        yield blocking(warning_codes.EMPTY_ORDER, f"{called} has no rows to receive")


def _rows(called: str, order: State, facts: Facts, came: Sequence[Arrival]) -> Iterator[ToolWarning]:
    seen: set[int] = set()
    for each in came:
        path = f"{each.path}.row_id"
        if each.row is None:
            has = ", ".join(str(row["id"]) for row in rows(order, ROWS))
            told = f"{path}: {called} has no row {each.key}; it has {has}"
            yield blocking(warning_codes.UNKNOWN_ROW_ID, told, path)
        elif each.key in seen:
            told = f"{path}: row {each.key} is named twice: receive it once, in as many batches as it has"
            yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, told, path)
        elif each.row.get("received_date") is not None:
            told = f"{path}: row {each.key} came on {each.row['received_date']}"
            yield blocking(warning_codes.ALREADY_RECEIVED, told, path)
        else:
            yield from _amount(each, each.row)
            yield from _traced(each, each.row, facts)
        seen.add(each.key)


def _amount(each: Arrival, row: State) -> Iterator[ToolWarning]:
    path, ordered = f"{each.path}.quantity", number(row, "quantity") or Decimal(0)
    if each.quantity > ordered:
        told = f"{path}: {plain_number(each.quantity)} came of row {each.key}, of which {plain_number(ordered)} is open"
        why = f"{told}; change the row's quantity first, or receive what was ordered"
        yield blocking(warning_codes.OVER_RECEIPT, why, path)
    elif not each.quantity:
        yield blocking(warning_codes.INVALID_QUANTITY, f"{path} is 0: leave the row out", path)


def _traced(each: Arrival, row: State, facts: Facts) -> Iterator[ToolWarning]:
    if each.asked is not None:
        known = facts.references.get(("location", each.asked.location_id or ""))
        yield from [] if known is None else naming.unnamed("location", known, f"{each.path}.location_id")
        yield from _batches(each, sum((one.quantity for one in each.asked.batches), Decimal(0)))
        yield from _serials(each, row, len(each.asked.serial_number_ids))
    if good_of(facts, row).in_batches and not (each.asked and each.asked.batches):
        told = f"{each.path}: row {each.key} is tracked by batch, and comes in none: an account may refuse that"
        yield advisory(warning_codes.UNTRACED_RECEIPT, told, each.path)
    for used in facts.beside.get(INGREDIENTS, ()):
        is_its = used.get("purchase_order_row_id") == each.key
        good = good_of(facts, {"variant_id": used.get("ingredient_variant_id")})
        if is_its and good.in_batches and not used.get("batch_transactions"):
            told = f"{each.path}: ingredient {used.get('id')} of row {each.key} is tracked by batch"
            yield blocking(warning_codes.BATCH_REQUIRED, f"{told}: name its batches in Katana first", each.path)


def _batches(each: Arrival, traced: Decimal) -> Iterator[ToolWarning]:
    if traced > each.quantity:
        path = f"{each.path}.batches"
        told = f"{path}: they come to {plain_number(traced)}, more than the {plain_number(each.quantity)} that came"
        yield blocking(warning_codes.BATCH_SUM_MISMATCH, told, path)


def _serials(each: Arrival, row: State, count: int) -> Iterator[ToolWarning]:
    if not count:
        return
    path = f"{each.path}.serial_number_ids"
    units = each.quantity * (number(row, "purchase_uom_conversion_rate") or Decimal(1))
    if units != units.to_integral_value():
        told = f"{path}: {plain_number(units)} stock units came, and a serial number stands for a whole one"
        yield blocking(warning_codes.SERIAL_QTY_NOT_INTEGER, told, f"{each.path}.quantity")
    elif count != units:
        told = f"{path}: there are {count}, and {plain_number(units)} stock units came"
        yield blocking(warning_codes.SERIAL_COUNT_MISMATCH, told, path)
