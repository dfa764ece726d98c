"""Stock by variant and location: what open orders commit, what each of their rows can have, what a shipment takes."""

from collections.abc import Iterable
from decimal import Decimal

from katana_sandbox.context import Context
from katana_sandbox.store.records import DELETED
from katana_sandbox.wire.encoding import Record, rows
from katana_sandbox.wire.numbers import as_decimal, fixed

type Pair = tuple[int, int]
_DONE = b'"product_availability":"PICKED"'


def pair_of(ctx: Context, row: Record) -> Pair | None:
    """The variant and location a sales order row draws on; None for a service."""
    variant_id = row.get("variant_id")
    if not isinstance(variant_id, int) or ctx.db.stores["variants"].slot(variant_id) is None:
        return None
    location_id = row.get("location_id")
    if location_id is None:
        order = ctx.get("sales_orders", row.get("sales_order_id"), deleted=True) or {}
        location_id = order.get("location_id")
    return (variant_id, location_id) if isinstance(location_id, int) else None


def shipped(ctx: Context, order_id: object) -> dict[object, tuple[Decimal, Decimal]]:
    """By row: the quantity packed or delivered, and the part of it that is delivered."""
    totals: dict[object, tuple[Decimal, Decimal]] = {}
    for fulfillment in ctx.children("sales_order_fulfillments", "sales_order_id", order_id):
        delivered = fulfillment.get("status") == "DELIVERED"
        for row in rows(fulfillment, "sales_order_fulfillment_rows"):
            taken, handed = totals.get(row["sales_order_row_id"], (Decimal(0), Decimal(0)))
            quantity = as_decimal(row["quantity"])
            totals[row["sales_order_row_id"]] = (taken + quantity, handed + quantity * delivered)
    return totals


def settle_pairs(ctx: Context, pairs: Iterable[Pair]) -> set[int]:
    """Recompute what is committed and which open rows stock covers; the orders whose rows changed."""
    changed: set[int] = set()
    for pair in dict.fromkeys(pairs):
        changed |= _settle_pair(ctx, pair)
    return changed


def _settle_pair(ctx: Context, pair: Pair) -> set[int]:
    level = ctx.db.levels.get(*pair)
    free, committed = level.in_stock, Decimal(0)
    changed: set[int] = set()
    for row, order, open_quantity in _open_rows(ctx, pair):
        covered = free >= open_quantity
        if order.get("status") != "PENDING":
            committed += open_quantity
            free -= open_quantity if covered else 0
        state = "IN_STOCK" if covered else "NOT_AVAILABLE"
        if row.get("product_availability") != state:
            ctx.set("sales_order_rows", row["id"], {"product_availability": state})
            changed.add(order["id"])
    ctx.db.levels.set(*pair, level._replace(committed=committed))
    return changed


def _open_rows(ctx: Context, pair: Pair) -> Iterable[tuple[Record, Record, Decimal]]:
    store = ctx.db.stores["sales_order_rows"]
    for slot in sorted(store.linked("variant_id", pair[0])):
        if store.flags[slot] & DELETED or _DONE in store.raw(slot):
            continue
        row = store.record(slot)
        order = ctx.get("sales_orders", row.get("sales_order_id"))
        if order is None or pair_of(ctx, row) != pair:
            continue
        taken = shipped(ctx, order["id"]).get(row["id"], (Decimal(0), Decimal(0)))[0]
        yield row, order, max(Decimal(0), as_decimal(row.get("quantity")) - taken)


def take(ctx: Context, row: Record, quantity: Decimal) -> None:
    """Stock leaves for a row (or comes back, when negative) at average cost, which becomes the row's cost."""
    pair = pair_of(ctx, row)
    if pair is None or not quantity:
        return
    level = ctx.db.levels.get(*pair)
    spent = as_decimal(row.get("cogs_value"))
    if quantity > 0:
        cost = level.average_cost * quantity
    else:
        before = -quantity + shipped(ctx, row.get("sales_order_id")).get(row["id"], (Decimal(0),))[0]
        cost = spent * quantity / before
    moved = level._replace(in_stock=level.in_stock - quantity, value=level.value - cost)
    ctx.db.levels.set(*pair, moved)
    left = spent + cost
    ctx.set("sales_order_rows", row["id"], {"cogs_value": fixed(left, 10) if left else None})
