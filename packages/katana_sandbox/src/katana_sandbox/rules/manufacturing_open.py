"""What open manufacturing orders take and bring, whether ingredients are there, and what sales orders see of it."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.ledger import Open, Pair
from katana_sandbox.rules.manufacturing_rows import ORDERS, RECIPE_ROWS
from katana_sandbox.store.records import DELETED, VERBATIM
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import as_decimal

_USED = b'"ingredient_availability":"PROCESSED"'
_DONE = b'"status":"DONE"'
_LAST = "9999"
_WORST_FIRST = ("NOT_AVAILABLE", "EXPECTED", "IN_STOCK", "PROCESSED", "NOT_APPLICABLE")
_RUNNING = ("IN_PROGRESS", "PARTIALLY_COMPLETED", "DONE")


def open_ingredients(ctx: Context, variant_id: int) -> Iterator[Open]:
    """What open orders still take of a variant."""
    for row in _open_rows(ctx, variant_id):
        yield Open(row["location_id"], as_decimal(row["total_remaining_quantity"]))


def open_output(ctx: Context, variant_id: int) -> Iterator[Open]:
    """What open orders will bring of a variant."""
    store = ctx.db.stores[ORDERS]
    for slot in store.linked("variant_id", variant_id):
        if store.flags[slot] & (DELETED | VERBATIM) or _DONE in store.raw(slot):
            continue
        order = store.record(slot)
        left = as_decimal(order["remaining_quantity"])
        if left:
            yield Open(order["location_id"], left, order.get("production_deadline_date"))


def cover_ingredients(ctx: Context, pair: Pair, supply: Sequence[Open]) -> set[int]:
    """Say which open recipe rows stock or supply covers, after sales orders; the sales orders that look different."""
    rows = [row for row in _open_rows(ctx, pair[0]) if row["location_id"] == pair[1]]
    if not rows:
        return set()
    level = ctx.db.levels.get(*pair)
    own = sum((as_decimal(row["total_remaining_quantity"]) for row in rows), Decimal(0))
    free = level.in_stock - (level.committed - own)
    coming = sorted(supply, key=lambda entry: entry.date or _LAST)
    changed: set[object] = set()
    for row in rows:
        need = as_decimal(row["total_remaining_quantity"])
        state, date = covered(free, coming, need)
        free -= need if state != "NOT_AVAILABLE" else 0
        found = {"ingredient_availability": state, "ingredient_expected_date": date}
        if any(row.get(name) != value for name, value in found.items()):
            ctx.set(RECIPE_ROWS, row["id"], found)
            changed.add(row["manufacturing_order_id"])
    return {order_id for key in changed if (order_id := _roll_up(ctx, key)) is not None}


def order_availability(ctx: Context, order: Record) -> str:
    """The worst state among an order's ingredients."""
    rows = ctx.children(RECIPE_ROWS, "manufacturing_order_id", order["id"])
    states = {row["ingredient_availability"] for row in rows}
    if order["status"] == "DONE" and rows:
        return "PROCESSED"
    return next((state for state in _WORST_FIRST if state in states), "NO_RECIPE")


def linked_production(ctx: Context, rows: Iterable[Record]) -> Record | None:
    """What a sales order shows of the orders made for its rows; None when there are none."""
    orders = [ctx.get(ORDERS, row.get("linked_manufacturing_order_id")) for row in rows]
    linked = [order for order in orders if order is not None]
    if not linked:
        return None
    availability = {order.get("ingredient_availability") for order in linked}
    worst = next((s for s in ("NO_RECIPE", *_WORST_FIRST) if s in availability), "NOT_APPLICABLE")
    return {
        "ingredient_availability": worst,
        "ingredient_expected_date": _latest_ingredient(ctx, linked) if worst == "EXPECTED" else None,
        "production_status": _progress({order["status"] for order in linked}),
        "linked_manufacturing_order_id": linked[0]["id"],
    }


def release_row(ctx: Context, row: Record) -> None:
    """Let the order made for a sales order row stand on its own."""
    for order in ctx.children(ORDERS, "sales_order_row_id", row["id"]):
        ctx.change(
            ORDERS, order["id"], {"sales_order_id": None, "sales_order_row_id": None, "is_linked_to_sales_order": False}
        )


def _progress(states: set[object]) -> str:
    if "BLOCKED" in states:
        return "BLOCKED"
    if states == {"DONE"}:
        return "DONE"
    return "IN_PROGRESS" if any(state in states for state in _RUNNING) else "NOT_STARTED"


def _latest_ingredient(ctx: Context, orders: Iterable[Record]) -> object:
    dates = [
        row["ingredient_expected_date"]
        for order in orders
        for row in ctx.children(RECIPE_ROWS, "manufacturing_order_id", order["id"])
        if row.get("ingredient_expected_date") is not None
    ]
    return max(dates, default=None)


def _open_rows(ctx: Context, variant_id: int) -> list[Record]:
    store = ctx.db.stores[RECIPE_ROWS]
    slots = store.linked("variant_id", variant_id)
    live = [slot for slot in slots if not store.flags[slot] & (DELETED | VERBATIM) and _USED not in store.raw(slot)]
    rows = [store.record(slot) for slot in live]
    return [row for row in rows if as_decimal(row["total_remaining_quantity"])]


def covered(free: Decimal, supply: Sequence[Open], need: Decimal) -> tuple[str, str | None]:
    """Whether free stock meets a need, or supply by date does, and when."""
    if free >= need:
        return "IN_STOCK", None
    for entry in supply:
        free += entry.quantity
        if free >= need:
            return "EXPECTED", entry.date
    return "NOT_AVAILABLE", None


def _roll_up(ctx: Context, order_id: object) -> int | None:
    order = ctx.get(ORDERS, order_id)
    if order is None:
        return None
    ctx.set(ORDERS, order["id"], {"ingredient_availability": order_availability(ctx, order)})
    return order.get("sales_order_id")
