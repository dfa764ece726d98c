"""What speaks against receiving: the order's status, rows that are not there or have come, quantities and batches."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from katana_mcp.documents.quantities import Handling, Portion, misfits, traces
from katana_mcp.documents.transition import Facts, State
from katana_mcp.entities.purchase_orders.pricing import ROWS, good_of
from katana_mcp.entities.purchase_orders.receipts import INGREDIENTS
from katana_mcp.entities.purchase_orders.receiving.arrival import Arrival
from katana_mcp.entities.purchase_orders.receiving.request import ReceivedRow
from katana_mcp.references import wording as naming
from katana_mcp.references.display_names import text
from katana_mcp.references.resolve import check_not_deleted
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import EMPTY, get_int, number, rows

_RECEIVING: Handling[ReceivedRow] = Handling(
    does="receive",
    too_much=warning_codes.OVER_RECEIPT,
    is_over=warning_codes.ALREADY_RECEIVED,
    why_over=lambda portion: f"was received on {(portion.row or EMPTY).get('received_date')}",
)


def against(facts: Facts, order: State, came: Sequence[Arrival]) -> list[ToolWarning]:
    """Return what speaks against it."""
    name = text(order, "order_no") or str(order.get("id"))
    deleted = check_not_deleted(f"purchase order {name}", order, "purchase_order_id", deleted=facts.deleted)
    blocked = deleted or [*_status(f"purchase order {name}", order)]
    return blocked or [*_rows(f"purchase order {name}", order, facts, came)]


def _status(called: str, order: State) -> Iterator[ToolWarning]:
    status = order.get("status")
    if status == "DRAFT":
        message = f"{called} is a draft: order it first, by modify_purchase_order with status NOT_RECEIVED"
        yield blocking(warning_codes.DRAFT_ORDER, message)
    elif status == "RECEIVED":
        yield blocking(warning_codes.ALREADY_RECEIVED, f"{called} is fully received: nothing is left to receive")
    elif not rows(order, ROWS):
        yield blocking(warning_codes.EMPTY_ORDER, f"{called} has no rows to receive")


def _rows(called: str, order: State, facts: Facts, came: Sequence[Arrival]) -> Iterator[ToolWarning]:
    has = [get_int(row, "id") or 0 for row in rows(order, ROWS)]
    for portion, misfit in misfits(called, [arrival.portion for arrival in came], has, _RECEIVING):
        if misfit is not None:
            yield misfit
        elif portion.row is not None:
            yield from _deleted(portion, portion.row, facts)
            yield from _traced(portion, portion.row, facts)


def _deleted(portion: Portion[ReceivedRow], row: State, facts: Facts) -> Iterator[ToolWarning]:
    variant = facts.with_id("variant", row.get("variant_id"))
    if variant is not None and variant.deleted:
        what = f"{variant.called} of row {portion.key}"
        message = f"{portion.path}: {what} is deleted in Katana: no stock of it will be listed"
        yield advisory(warning_codes.DELETED_ITEM, message, portion.path)


def _traced(portion: Portion[ReceivedRow], row: State, facts: Facts) -> Iterator[ToolWarning]:
    asked, path = portion.asked, portion.path
    if asked is not None:
        named = facts.references.get(("location", asked.location_id or ""))
        yield from [] if named is None else naming.unnamed("location", named, f"{path}.location_id")
    yield from traces(portion, portion.quantity * (number(row, "purchase_uom_conversion_rate") or Decimal(1)))
    if good_of(facts, row).in_batches and not (asked and asked.batches):
        message = f"{path}: row {portion.key} is tracked by batch, but no batch was named: Katana may refuse it"
        yield advisory(warning_codes.UNTRACED_RECEIPT, message, path)
    for used in facts.beside.get(INGREDIENTS, ()):
        is_its = used.get("purchase_order_row_id") == portion.key
        good = good_of(facts, {"variant_id": used.get("ingredient_variant_id")})
        if is_its and good.in_batches and not used.get("batch_transactions"):
            message = f"{path}: ingredient {used.get('id')} of row {portion.key} is tracked by batch"
            yield blocking(warning_codes.BATCH_REQUIRED, f"{message}: name its batches in Katana first", path)
