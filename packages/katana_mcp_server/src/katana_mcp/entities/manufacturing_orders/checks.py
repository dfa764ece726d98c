"""What speaks against a change of a manufacturing order: what is not made, what is locked, what a deletion takes."""

from collections.abc import Iterator
from decimal import Decimal

from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, PRODUCTIONS, RECIPE_ROWS
from katana_mcp.entities.manufacturing_orders.producing import DONE, PARTLY, productions
from katana_mcp.references.display_names import text
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.values import get_bool, number

REOPENED = "IN_PROGRESS"
"""The status that takes the productions of a done order back."""
REFUSED = {
    (PARTLY, status): ": its status follows from its productions" for status in ("NOT_STARTED", "BLOCKED", REOPENED)
} | {(DONE, status): f": reopen it as {REOPENED}" for status in ("NOT_STARTED", "BLOCKED")}
"""From which status to which a request cannot go, and why."""
_LOCKED = ("order_no", "planned_quantity", "location_id", "production_deadline_date")
"""What of a head stays as it is once the order is done."""
_PARTS = (
    *("add_recipe_rows", "update_recipe_rows", "delete_recipe_row_ids"),
    *("add_operation_rows", "update_operation_rows", "delete_operation_row_ids"),
)


def order_of(order: State) -> str:
    """Return an order in words."""
    return f"manufacturing order {text(order, 'order_no') or order.get('id')}"


def unlocks(order: State, status: str) -> bool:
    """Return whether a status takes productions back, and opens what they lock."""
    return order.get("status") == DONE and status == REOPENED


def derive(before: State | None, after: State) -> State:
    """Return an order with what Katana works out: one that is open again was never done."""
    is_open_again = before is not None and unlocks(before, str(after.get("status")))
    return {**after, "done_date": None} if is_open_again else after


def sold_for(change: Transition) -> tuple[str, ...]:
    """Return the sales order that an order is made for."""
    key = change.old.get("sales_order_id")
    if key is None:
        return ()
    sold = change.facts.names.record("sales_order", key)
    return (f"sales order {text(sold, 'order_no') or key}",)


def _made(change: Transition) -> Iterator[ToolWarning]:
    """Yield that nothing makes this product, or nothing is made at this location."""
    facts = change.facts
    if change.before is None:
        product = facts.with_id("variant", change.new.get("variant_id"))
        item = None if product is None else facts.names.item(facts.names.record("variant", product.id))
        if product is not None and item is not None and not get_bool(item, "is_producible"):
            message = f"sku_or_variant_id: {product.called} is not marked as made, so Katana makes no order for it"
            yield blocking(warning_codes.NOT_PRODUCIBLE, message, "sku_or_variant_id")
    if "location_id" in change.head:
        yield from makes_nothing(facts, change.new, "location_id")


def makes_nothing(facts: Facts, order: State, path: str) -> Iterator[ToolWarning]:
    """Yield that Katana does not allow manufacturing at the location of an order."""
    location = facts.with_id("location", order.get("location_id"))
    place = None if location is None else facts.names.record("location", location.id)
    if location is not None and place is not None and get_bool(place, "manufacturing_allowed") is False:
        message = f"{path}: Katana does not allow manufacturing at {location.called}"
        yield blocking(warning_codes.NOT_PRODUCIBLE, message, path)


def _locks(change: Transition) -> Iterator[ToolWarning]:
    """Yield what the status of an order forbids."""
    if change.before is None or change.after is None:
        return
    status, order = change.unlocked.get("status"), order_of(change.old)
    touched = [name for name in _PARTS if change.asked.get(name)]
    if status == DONE:
        message = (
            f"{order} is DONE: it can no longer be changed; status {REOPENED} with reopen=true undoes its productions"
        )
        names = [*(name for name in _LOCKED if name in change.head), *touched]
        yield from (blocking(warning_codes.LOCKED, f"{name}: {message}", name) for name in names)
    elif change.asked.get("done_date") is not None:
        message = (
            f"done_date: {order} is {status}: only a done order has one; complete_manufacturing_order takes a date"
        )
        yield blocking(warning_codes.LOCKED, message, "done_date")
    if status == PARTLY and touched:
        message = f"{touched[0]}: {order} is {PARTLY}: Katana may refuse to change its rows, and then the plan stops"
        yield advisory(warning_codes.LOCKED, message, touched[0])


def _reopens(change: Transition) -> Iterator[ToolWarning]:
    """Yield what taking productions back means; it has to be asked for as such."""
    if change.asked.get("reopen") and change.asked.get("status") != REOPENED:
        message = f"reopen: it goes with status {REOPENED} alone"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "reopen")
    if not change.unlocks:
        return
    count = len(productions(change.facts))
    what = f"undoes {so_many(count, 'production')}: the product leaves stock, its ingredients return"
    message = f"status: {REOPENED} reopens {order_of(change.old)} and {what}"
    if change.asked.get("reopen"):
        yield advisory(warning_codes.STATUS_MOVES_BACK, message, "status")
    else:
        yield blocking(warning_codes.REOPEN_REQUIRED, f"{message}; if you want this, pass reopen=true", "status")
    yield from makes_nothing(change.facts, change.old, "status")


def _quantity(change: Transition) -> Iterator[ToolWarning]:
    """Yield that less is planned than was made."""
    made, planned = number(change.old, "completed_quantity"), number(change.new, "planned_quantity")
    if "planned_quantity" in change.head and made and not change.unlocks and planned is not None and planned < made:
        message = (
            f"planned_quantity: {plain_number(made)} are already made of {order_of(change.old)}: plan no less than that"
        )
        yield blocking(warning_codes.INVALID_QUANTITY, message, "planned_quantity")


def _goes(change: Transition) -> Iterator[ToolWarning]:
    """Yield what a deletion takes with it."""
    if change.before is None or change.after is not None:
        return
    order = order_of(change.before)
    if change.before.get("status") == DONE:
        message = (
            f"{order} is DONE: reopen it first, by modify_manufacturing_order with status {REOPENED} and reopen=true"
        )
        yield blocking(warning_codes.LOCKED, message)
    elif productions(change.facts):
        message = (
            f"{order} is {PARTLY}: its productions are deleted too; the product leaves stock, its ingredients return"
        )
        yield advisory(warning_codes.STOCK_WAS_MOVED, message)
    if sold_for(change):
        message = f"{order} is made for a sales order: Katana may refuse to delete it, and no new one is linked"
        yield advisory(warning_codes.LOCKED, message)


RULES = (_made, _locks, _reopens, _quantity, _goes)


def no_way_back(change: Transition) -> str | None:
    """Return why nothing takes a change back."""
    if change.unlocks:
        return "productions that are undone are not reported again"
    if change.before is not None and change.after is None:
        if change.before.get("status") == PARTLY:
            return "the revert would not report its productions again"
        if sold_for(change):
            return "a new order is not linked to the sales order"
    return None


def left(change: Transition) -> dict[str, str]:
    """Return what the way back leaves as it then is."""
    if change.before is None or change.after is not None:
        return {}
    return {"recipe_rows": "the revert takes recipe and operations from the product as they are then"}


def described(change: Transition) -> str:
    """Return of what a new order is, and where; or how far one is that goes."""
    if change.before is not None:
        return f" ({change.before.get('status')})"
    pairs = [
        (change.facts.one(entity, change.asked.get(name)), change.asked.get(name))
        for entity, name in (("variant", "sku_or_variant_id"), ("location", "location_id"))
    ]
    product, place = (str(asked) if one is None else one.called for one, asked in pairs)
    return f" for {plain_number(number(change.new, 'planned_quantity') or Decimal(0))} of {product} at {place}"


def refreshes(change: Transition) -> tuple[str, ...]:
    """Return of what Katana writes records along with an order: of what it copies from the product, and works out."""
    rows = (RECIPE_ROWS, OPERATIONS)
    if change.unlocks:
        return (*rows, PRODUCTIONS)
    moves = change.before is None or change.head.keys() & {"planned_quantity", "location_id"}
    return rows if moves else ()


def binds(change: Transition) -> dict[str, object]:
    """Return what else a plan depends on: the rows of an order, and what was made of it."""
    if change.before is None:
        return {}
    return {entity: [record.get("id") for record in found] for entity, found in change.facts.beside.items()}
