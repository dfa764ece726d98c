"""What speaks against a production: its order, rows that are not there, batches, serial numbers, shortages."""

from collections.abc import Iterator, Sequence

from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.tracking import BATCHES
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.usual_fields import Reference
from katana_mcp.entities.manufacturing_orders.checks import makes_nothing, order_of
from katana_mcp.entities.manufacturing_orders.completing.production import (
    COMPLETING,
    Use,
    as_it_is,
    completed,
    is_new,
    moves,
    quantity_of,
    remaining,
    subject,
    used,
    worked,
)
from katana_mcp.entities.manufacturing_orders.completing.request import CompleteManufacturingOrderRequest
from katana_mcp.entities.manufacturing_orders.producing import DONE
from katana_mcp.references.resolve import check_not_deleted
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_bool, rows
from katana_mcp.writing.stock_moves import shortages


def against(request: CompleteManufacturingOrderRequest, facts: Facts) -> list[ToolWarning]:
    """Return what speaks against it."""
    order = as_it_is(facts, request.manufacturing_order_id)
    deleted = check_not_deleted(order_of(order), order, COMPLETING.id, deleted=facts.deleted)
    if deleted:
        return deleted
    found = _new(request, facts, order) if is_new(request) else _named(request, order, completed(request, facts))
    return [*found, *shortages(moves(request, facts), facts.levels)]


def _named(request: CompleteManufacturingOrderRequest, order: State, change: Transition) -> Iterator[ToolWarning]:
    """Yield that the order has no such production, that it is locked, or that nothing would change."""
    called, key = order_of(order), request.production_id or request.delete_production_id
    path = "production_id" if request.production_id is not None else "delete_production_id"
    if subject(request, order) is None:
        has = ", ".join(str(production.get("id")) for production in rows(order, "productions")) or "none"
        yield blocking(warning_codes.UNKNOWN_ROW_ID, f"{path}: {called} has no production {key}; it has {has}", path)
    elif order.get("status") == DONE:
        message = (
            f"{path}: {called} is DONE: reopen it first, by modify_manufacturing_order, which undoes its productions"
        )
        yield blocking(warning_codes.LOCKED, message, path)
    elif change.is_nothing:
        message = f"production {key} of {called} already has this date: nothing would change"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message)


def _new(request: CompleteManufacturingOrderRequest, facts: Facts, order: State) -> Iterator[ToolWarning]:
    called, status = order_of(order), order.get("status")
    if status == DONE:
        yield blocking(warning_codes.ALREADY_COMPLETED, f"{called} is DONE: nothing is left to make")
        return
    yield from makes_nothing(facts, order, "manufacturing_order_id")
    made, left = quantity_of(request, order), remaining(order)
    if not made:
        message = f"quantity: nothing remains to be made of {called}: give the extra quantity made"
        yield blocking(warning_codes.INVALID_QUANTITY, message, "quantity")
    elif made > left:
        message = f"quantity: {plain_number(made)} of {called}, whose remaining quantity is {plain_number(left)}"
        yield advisory(warning_codes.OVER_PRODUCTION, message, "quantity")
    if status == "BLOCKED":
        yield advisory(warning_codes.BLOCKED_STATUS, f"{called} is BLOCKED, and this reports that it was made")
    yield from _rows(called, "recipe_row_id", used(request, order), rows(order, "recipe_rows"))
    yield from _rows(called, "operation_row_id", worked(request, order), rows(order, "operation_rows"))
    yield from _traced(request, facts, order)


def _rows(called: str, name: str, uses: Sequence[Use], held: Sequence[State]) -> Iterator[ToolWarning]:
    """Yield rows that are not there or named twice, and batches that come to more than was used."""
    seen: set[int] = set()
    for use in uses:
        path, words = f"{use.path}.{name}", name.removesuffix("_id").replace("_", " ")
        if use.row is None:
            has = ", ".join(str(row.get("id")) for row in held) or "none"
            message = f"{path}: {called} has no {words} {use.key}; it has {has}"
            yield blocking(warning_codes.UNKNOWN_ROW_ID, message, path)
        elif use.key in seen:
            message = f"{path}: {words} {use.key} is named twice: name it once, with all that was used"
            yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, message, path)
        in_batches = sum(batch.quantity for batch in (use.asked.batches if use.asked else ()))
        if in_batches > use.amount:
            message = f"{use.path}.batches: they add up to more than {plain_number(use.amount)}"
            yield blocking(warning_codes.BATCH_SUM_MISMATCH, message, f"{use.path}.batches")
        seen.add(use.key)


def _traced(request: CompleteManufacturingOrderRequest, facts: Facts, order: State) -> Iterator[ToolWarning]:
    """Yield serial numbers that do not fit, and goods that come or go in no batch."""
    made, count = quantity_of(request, order), len(request.serial_number_ids)
    if (count or is_marked(facts, order, "serial_tracked")) and made != made.to_integral_value():
        message = f"quantity: {plain_number(made)}, but each serial number is one whole unit"
        yield blocking(warning_codes.SERIAL_QTY_NOT_INTEGER, message, "quantity")
    elif count and count != made:
        message = f"serial_number_ids: {count} serial numbers were given for {plain_number(made)} units"
        yield blocking(warning_codes.SERIAL_COUNT_MISMATCH, message, "serial_number_ids")
    has_batch = request.batch_id is not None or bool(rows(order, "batch_transactions"))
    if is_marked(facts, order, "batch_tracked") and not has_batch:
        message = "batch_id: the product is tracked by batch, but no batch was given: it enters stock without one"
        yield advisory(warning_codes.UNTRACED_RECEIPT, message, "batch_id")
    if request.batch_id is not None:
        yield from _batch(request.batch_id, facts, order)
    for use in used(request, order):
        has_own = bool(use.asked and use.asked.batches) or (
            use.asked is None and bool(rows(use.row or {}, "batch_transactions"))
        )
        if use.amount and is_marked(facts, use.row or {}, "batch_tracked") and not has_own:
            ingredient = facts.with_id("variant", (use.row or {}).get("variant_id"))
            what = use.key if ingredient is None else ingredient.called
            message = f"{use.path}: {what} is tracked by batch, but no batch was given: it is used without one"
            yield advisory(warning_codes.UNTRACED_SHIPMENT, message, use.path)


def _batch(key: Reference, facts: Facts, order: State) -> Iterator[ToolWarning]:
    """Yield that a batch is not one of the product; one that never had stock is not listed, and may come."""
    variant, found = order.get("variant_id"), facts.beside.get(BATCHES, ())
    product = facts.with_id("variant", variant)
    called = f"variant {variant}" if product is None else product.called
    item = facts.names.item(facts.names.record("variant", variant))
    if item is not None and get_bool(item, "batch_tracked") is False:
        message = f"{called} is not kept in batches: `modify_item` with batch_tracked=true changes that"
        yield blocking(warning_codes.INVALID_ARGUMENT, f"batch_id: {message}", "batch_id")
    elif not found:
        message = f"batch_id: {called} has no batch {key} that ever had stock"
        message = f"{message}: Katana tells when the plan is applied whether there is such a batch"
        yield advisory(warning_codes.NOT_FOUND, message, "batch_id")
    elif found[0].get("variant_id") != variant:
        message = f"batch_id: {called} has no batch {key}: it is one of variant {found[0].get('variant_id')}"
        yield blocking(warning_codes.NOT_FOUND, message, "batch_id")
