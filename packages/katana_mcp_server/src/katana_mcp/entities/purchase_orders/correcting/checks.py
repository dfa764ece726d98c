"""What speaks against a correction, said before anything is touched: what Katana cannot reopen, or would not keep."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from cache_core.records import Record
from katana_mcp.documents import checks as usual
from katana_mcp.documents.correcting import batch_sum, blocks
from katana_mcp.documents.quantities import BatchQuantity
from katana_mcp.documents.traces import TRACE, is_of_one, is_of_units, traced
from katana_mcp.documents.transition import Facts, Transition
from katana_mcp.entities.purchase_orders import cascading, pricing
from katana_mcp.entities.purchase_orders.checks import order_of as order_in_words
from katana_mcp.entities.purchase_orders.correcting.goal import (
    before_of,
    corrected,
    named_batches,
    named_units,
)
from katana_mcp.entities.purchase_orders.correcting.request import (
    CorrectedRow,
    CorrectPurchaseOrderRequest,
    ForgottenRow,
)
from katana_mcp.entities.purchase_orders.correcting.showing import merged_units, moves, not_kept
from katana_mcp.entities.purchase_orders.pricing import ROWS, good_of
from katana_mcp.entities.purchase_orders.showing import bills
from katana_mcp.entities.purchase_orders.writes import PURCHASE_ORDER
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import EMPTY, get_int, number, rows
from katana_mcp.writing.stock_moves import shortages


def _nothing(_: Transition) -> dict[str, str]:
    return {}


_ORDER = replace(PURCHASE_ORDER, rules=(*cascading.RULES, *pricing.RULES), left=_nothing)
"""An order of which nothing is locked."""


def checks(request: CorrectPurchaseOrderRequest, facts: Facts) -> Sequence[ToolWarning]:
    """Return what speaks against it."""
    change = corrected(request, facts)
    if facts.deleted:
        return usual.checks(_ORDER, change)
    closed = [*_standing(change), *_bills(request, change)]
    if blocks(closed):
        return [warning for warning in closed if warning.severity == "blocking"]
    found = [*closed, *_usual(request, change), *_rows(request, change), *_merged(change)]
    if not blocks(found):
        found += shortages(moves(request, change), facts.levels)
        found.append(_away(change))
    return found


def _standing(change: Transition) -> Iterator[ToolWarning]:
    """Yield why an order is not one that can be corrected."""
    order, status = order_in_words(change), change.old.get("status")
    if status in {"DRAFT", "NOT_RECEIVED"}:
        message = f"{order} is {status}: nothing of it is received, so change it with modify_purchase_order"
        yield blocking(warning_codes.NOT_RECEIVED, message)
    elif status == "PARTIALLY_RECEIVED":
        message = f"{order} is partly received, and Katana reopens only what was received completely"
        how = "receive its open rows, or delete them with modify_purchase_order, and correct it then"
        yield blocking(
            warning_codes.INVALID_STATUS_TRANSITION, f"{message}: {how}; to change open rows, use modify_purchase_order"
        )
    elif change.old.get("entity_type") == "outsourced":
        message = f"{order} is outsourced: the batches and quantities of its ingredients would be lost"
        yield blocking(warning_codes.LOCKED, f"{message}; correct it in Katana")


def _bills(request: CorrectPurchaseOrderRequest, change: Transition) -> Iterator[ToolWarning]:
    found = bills(change)
    if not found and text(change.old, "billing_status") in (None, "NOT_BILLED"):
        return
    message = f"{order_in_words(change)} is billed{f' ({", ".join(found)})' if found else ''}"
    why = "reopening it may post to accounting again, and its bills may lose their receipts"
    if request.reopen_billed:
        yield advisory(warning_codes.BILLED_ORDER, f"{message}: {why}", "reopen_billed")
    else:
        yield blocking(warning_codes.BILLED_ORDER, f"{message}: {why}; if you want this, pass reopen_billed=true")


def _usual(request: CorrectPurchaseOrderRequest, change: Transition) -> list[ToolWarning]:
    """Return what speaks against the same change of an open order; batches or units alone are a change too."""
    old = {row["id"]: row for row in rows(before_of(change), ROWS)}
    own = any(
        asked is not None and traced(asked) != traced(rows(old[row.row_id], TRACE))
        for row in request.update_rows
        if row.row_id in old
        for asked in (named_batches(row.batches), named_units(row.serial_number_ids))
    )
    found = usual.checks(_ORDER, change)
    return [warning for warning in found if not (own and warning.code == warning_codes.NO_EFFECTIVE_CHANGE)]


def _rows(request: CorrectPurchaseOrderRequest, change: Transition) -> Iterator[ToolWarning]:
    held = {get_int(row, "id"): row for row in rows(before_of(change), ROWS)}
    for nr, asked in enumerate(request.update_rows):
        row = held.get(asked.row_id)
        if row is not None:
            yield from _traced(f"update_rows[{nr}]", asked, row)
            yield from _strange_units(f"update_rows[{nr}].serial_number_ids", asked, row)
    for nr, added in enumerate(request.add_rows):
        yield from _added(f"add_rows[{nr}]", added, held, change)
    if held and not rows(change.target or {}, ROWS):
        message = f"{order_in_words(change)} would have no rows left"
        yield blocking(warning_codes.NO_ROWS_LEFT, message, "delete_row_ids")


def _traced(path: str, asked: CorrectedRow, row: Record) -> Iterator[ToolWarning]:
    """Yield batches that do not add up, or are not known any more, and units that are not as many as come.

    What a receipt names replaces what the row was of before (facts of 2026-10, 5.2): a unit that is not named does not
    come with it. A serial number is one stock unit.
    """
    was = number(row, "quantity") or Decimal(0)
    amount, held = was if asked.quantity is None else asked.quantity, rows(row, TRACE)
    yield from batch_sum(f"{path}.batches", map(BatchQuantity.model_dump, asked.batches or ()), amount)
    if is_of_units(row) or asked.serial_number_ids:
        yield from _units(path, asked, row, amount)
    elif held and asked.batches is None and amount != was and not is_of_one(row):
        message = f"{path}: give the batches of row {asked.row_id}: its {plain_number(was)} came in several batches"
        yield blocking(warning_codes.BATCH_REQUIRED, message, f"{path}.batches")


def _units(path: str, asked: CorrectedRow, row: Record, amount: Decimal) -> Iterator[ToolWarning]:
    units = amount * (number(row, "purchase_uom_conversion_rate") or Decimal(1))
    named = asked.serial_number_ids
    count = len(rows(row, TRACE)) if named is None else len(set(named))
    if asked.batches is not None:
        message = f"{path}.batches: row {asked.row_id} holds serial numbers, and goods are tracked one way"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, f"{path}.batches")
    if units != units.to_integral_value():
        message = f"{path}.quantity: {plain_number(units)} stock units, but each serial number is one whole unit"
        yield blocking(warning_codes.SERIAL_QTY_NOT_INTEGER, message, f"{path}.quantity")
    elif count != units:
        how = f"{path}.serial_number_ids: name those of row {asked.row_id}"
        has = ", ".join(str(one.get("serial_number_id")) for one in rows(row, TRACE)) or "none"
        message = f"{how}: {plain_number(units)} stock units, and {count} serial numbers; it had {has}"
        yield blocking(warning_codes.SERIAL_COUNT_MISMATCH, message, f"{path}.serial_number_ids")


def _strange_units(path: str, asked: CorrectedRow, row: Record) -> Iterator[ToolWarning]:
    """Yield units that a row did not come with.

    Whether Katana takes one that another row holds, or a new one, is nowhere said (facts of 2026-10, 5.4), and of which
    good it is no list tells (`/serial_numbers_stock`): a refusal would come when the goods are out of stock already.
    """
    own = [get_int(one, "serial_number_id") for one in rows(row, TRACE)]
    strange = [unit for unit in asked.serial_number_ids or () if unit not in own]
    if strange:
        message = f"{path}: row {asked.row_id} did not come with serial number {', '.join(map(str, strange))}"
        has = ", ".join(str(unit) for unit in own if unit is not None) or "none"
        why = "Katana may refuse it when the goods are out of stock already; correct it in Katana"
        yield blocking(warning_codes.LOCKED, f"{message}, but with {has}: {why}", path)


def _added(
    path: str, asked: ForgottenRow, held: Mapping[int | None, Record], change: Transition
) -> Iterator[ToolWarning]:
    yield from batch_sum(f"{path}.batches", map(BatchQuantity.model_dump, asked.batches or ()), asked.quantity)
    beside = asked.received_with_row_id
    if beside is not None and beside not in held:
        message = f"{path}.received_with_row_id: {order_in_words(change)} has no row {beside}"
        has = ", ".join(map(str, held))
        yield blocking(warning_codes.UNKNOWN_ROW_ID, f"{message}; it has {has}", f"{path}.received_with_row_id")
    variant = change.facts.one("variant", asked.sku_or_variant_id)
    if variant is not None and good_of(change.facts, {"variant_id": variant.id}).in_batches and not asked.batches:
        message = f"{path}: {variant.called} is tracked by batch, but no batch was named: Katana may refuse it"
        yield advisory(warning_codes.UNTRACED_RECEIPT, message, path)


def _merged(change: Transition) -> Iterator[ToolWarning]:
    """Yield rows with serial numbers that reopening would make one with others.

    Reopening merges rows that differ in nothing but quantity (facts of 2026-10, 7.1), and whether a unit that one row
    holds may then come with another one is nowhere said: attaching serial numbers to rows of purchase orders was never
    tried (5.4), and a refusal halfway would leave the goods out of stock.
    """
    merged = merged_units(change.facts.record or EMPTY)
    if merged:
        ids = ", ".join(map(str, merged))
        message = f"rows {ids} hold serial numbers, and reopening merges those that differ only in quantity"
        why = "Katana would not say which number belongs to which row"
        yield blocking(warning_codes.LOCKED, f"{message}: {why}; correct it in Katana")


def _away(change: Transition) -> ToolWarning:
    """Return what of an order the correction does not keep, and that its goods are away meanwhile."""
    message = "the goods of the order leave stock while it is reopened, until the last receipt"
    return advisory(warning_codes.STATUS_MOVES_BACK, f"{message}; not kept: {'; '.join(not_kept(change))}")
