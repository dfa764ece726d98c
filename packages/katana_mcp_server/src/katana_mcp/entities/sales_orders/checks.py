"""What the status and the shipments of a sales order forbid, and what a change or the way back leaves as it is."""

from collections.abc import Iterable, Iterator, Sequence

from cache_core.records import RecordId
from katana_mcp.documents.states import changed_rows, requested_ids
from katana_mcp.documents.trace_checks import trace_checks
from katana_mcp.documents.tracking import BINS, TRACEABILITY, TracedRow
from katana_mcp.documents.transition import State, Transition
from katana_mcp.entities.sales_orders.parts import FULFILLMENTS, MADE
from katana_mcp.entities.sales_orders.pricing import ADDRESSES, FEE, ROWS
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_int, rows

OPEN = ("PENDING", "NOT_SHIPPED", "READY_FOR_FULFILLMENT")
"""The statuses in which nothing has left; only these are set, the others follow from shipments."""
_SHIPPED = ("PARTIALLY_PACKED", "PACKED", "PARTIALLY_DELIVERED", "DELIVERED")
REFUSED = {(was, to): ": its status follows from its shipments" for was in _SHIPPED for to in OPEN}
"""From which status to which a request cannot go, and why."""
_WHILE_OPEN = ("order_no", "customer_id", "location_id", "currency")
_ROW_LOCKED = (
    "variant_id",
    "quantity",
    "price_per_unit",
    "total_discount",
    "tax_rate_id",
    "location_id",
    TRACEABILITY,
)


RETURNS = "sales_return"
"""Where facts hold the returns of an order."""
LINK = "linked_manufacturing_order_id"
"""The field of a row that is the id of the order that makes it."""


def is_open(order: State) -> bool:
    """Return whether nothing of an order has left."""
    return order.get("status") in OPEN


def _locked(path: str, why: str) -> ToolWarning:
    return blocking(warning_codes.LOCKED, f"{path}: {why}", path)


def locks(change: Transition) -> Iterator[ToolWarning]:
    """Yield what the status of an order, or that a row has left, forbids."""
    order = change.before
    if order is None or change.after is None:
        return
    status = f"the order is {order.get('status')}"
    if not is_open(order):
        yield from (
            _locked(name, f"{status}: it can no longer be changed") for name in _WHILE_OPEN if name in change.head
        )
        for name, asked in (("add_rows", change.asked.get("add_rows")), ("delete_row_ids", _ids(change))):
            yield from [_locked(name, f"{status}: rows can no longer be added or deleted")] if asked else []
        yield from _shipped(change)
    if order.get("status") == "DELIVERED" and "delivery_date" in change.head:
        yield _locked("delivery_date", f"{status}: it can no longer be changed")
    yield from _made(change)


def _ids(change: Transition) -> Iterable[RecordId]:
    return requested_ids(change.asked, "delete_row_ids")


def _shipped(change: Transition) -> Iterator[ToolWarning]:
    shipments = change.facts.beside.get(FULFILLMENTS, ())
    gone = {
        row.get("sales_order_row_id")
        for shipment in shipments
        for row in rows(shipment, "sales_order_fulfillment_rows")
    }
    for here, _, row, fields in changed_rows(change, ROWS):
        if row["id"] in gone and fields.keys() & set(_ROW_LOCKED):
            yield _locked(here, f"row {row['id']} has been packed or delivered: it can no longer be changed")


def _made(change: Transition) -> Iterator[ToolWarning]:
    for here, _, row, fields in changed_rows(change, ROWS):
        made = row.get("linked_manufacturing_order_id")
        if made is not None and "location_id" in fields:
            yield _locked(f"{here}.location_id", f"manufacturing order {made} makes the goods of row {row['id']}")


def traced_rows(change: Transition) -> list[TracedRow]:
    """Return the rows that would reserve other batches or units, or fewer goods than they have reserved."""
    place, found = get_int(change.new, "location_id"), list[TracedRow]()
    for path, asked, before, fields in changed_rows(change, ROWS):
        row = {**before, **fields}
        where = get_int(row, "location_id") or place
        is_asked = TRACEABILITY in asked
        if is_asked or ("quantity" in fields and "variant_id" not in fields):
            given = f"{path}.{TRACEABILITY}" if is_asked else f"{path}.quantity"
            found.append(TracedRow(given, row, where, is_whole=False, is_looked_up=is_asked, reserves=True))
    return found


def _traced(change: Transition) -> Iterator[ToolWarning]:
    yield from trace_checks(change, traced_rows(change))
    for path, asked, before, fields in changed_rows(change, ROWS):
        if before.get(TRACEABILITY) and "variant_id" in fields and TRACEABILITY not in asked:
            message = f"{path}: other goods release its batches and serial numbers, and the revert reserves none"
            yield advisory(warning_codes.NO_WAY_BACK, message, path)
        if before.get(BINS) and TRACEABILITY in fields:
            message = f"{path}.{TRACEABILITY}: its batches were reserved in bins, which the revert does not bring back"
            yield advisory(warning_codes.NO_WAY_BACK, message, f"{path}.{TRACEABILITY}")


def _second(change: Transition) -> Iterator[ToolWarning]:
    """Yield that an order has one shipping fee, and one address of a type."""
    before = "" if change.before is None else "add_"
    target = change.target or {}
    fees, kinds = rows(target, FEE), [row.get("entity_type") for row in rows(target, ADDRESSES)]
    if len(fees) > 1 and change.sent[FEE].adds:
        path = f"{before}shipping_fees"
        yield blocking(
            warning_codes.ONLY_ONE_ALLOWED, f"{path}: an order has only one shipping fee: change that one", path
        )
    if len(set(kinds)) < len(kinds) and change.sent[ADDRESSES].adds:
        path = f"{before}addresses"
        message = f"{path}: an order can have only one billing and one shipping address: change the existing one"
        yield blocking(warning_codes.ONLY_ONE_ALLOWED, message, path)


def _stays(change: Transition) -> Iterator[ToolWarning]:
    """Yield what does not follow a change."""
    if change.before is None or change.after is None or not is_open(change.before):
        return
    for name in ("customer_id", "currency"):
        if name in change.head:
            message = f"{name}: prices, discounts and addresses of the order stay as they are"
            yield advisory(warning_codes.AMOUNTS_STAY, message, name)
    if rows(change.before, ROWS) and not rows(change.after, ROWS):
        message = "the order would have no rows left: delete the order instead"
        yield blocking(warning_codes.NO_ROWS_LEFT, message, "delete_row_ids")


def _goes(change: Transition) -> Iterator[ToolWarning]:
    """Yield what goes with an order, and that it stays where goods of it came back."""
    if change.before is None or change.after is not None or is_open(change.before):
        return
    message = "its shipments are deleted too, and the shipped goods return to stock: check the stock afterwards"
    yield advisory(warning_codes.STOCK_WAS_MOVED, message)
    returns = [text(record, "order_no") or str(record.get("id")) for record in change.facts.beside.get(RETURNS, ())]
    if returns:
        message = f"Katana deletes no sales order that has sales returns: delete {', '.join(returns)} first"
        yield blocking(warning_codes.LOCKED, message)


RULES = (locks, _second, _traced, _goes, _stays)


def linked(change: Transition) -> tuple[str, ...]:
    """Return shipments that go with an order, and manufacturing orders that are made for rows that go."""
    made = [order_id for row in going_rows(change) if (order_id := row.get(LINK)) is not None]
    numbers = {record.get("id"): text(record, "order_no") for record in change.facts.beside.get(MADE, ())}
    shipments = change.facts.beside.get(FULFILLMENTS, ()) if change.after is None else ()
    return (
        *(f"shipment {shipment.get('id')} ({shipment.get('status')})" for shipment in shipments),
        *(f"manufacturing order {numbers.get(order_id) or order_id}" for order_id in made),
    )


def going_rows(change: Transition) -> Sequence[State]:
    """Return the rows that are deleted, with their order or alone."""
    if change.after is None:
        return rows(change.old, ROWS)
    before = change.sent[ROWS].before
    return [before[key] for key in change.sent[ROWS].deletes if key in before]


def no_way_back(change: Transition) -> str | None:
    """Return why nothing takes a deletion back."""
    if change.before is None or change.after is not None:
        return None
    if not is_open(change.before):
        return "the revert would not ship the goods again"
    return None


def back(change: Transition, arguments: dict[str, object]) -> dict[str, object]:
    """Return the call that takes a change back, with the status of an order that is made again."""
    if change.after is not None:
        return arguments
    return {**arguments, "status": "PENDING" if change.old.get("status") == "PENDING" else "NOT_SHIPPED"}


def left(change: Transition) -> dict[str, str]:
    """Return what the way back leaves as it then is."""
    found: dict[str, str] = {}
    if any(phrase.startswith("manufacturing order") for phrase in linked(change)):
        found["rows"] = "the revert does not link the manufacturing order to its row again"
    if change.after is None and change.old.get("status") == "READY_FOR_FULFILLMENT":
        found["status"] = "the revert creates the order as NOT_SHIPPED"
    if change.after is None and not rows(change.old, ADDRESSES):
        found["addresses"] = "the revert creates the order with the addresses of its customer"
    return found
