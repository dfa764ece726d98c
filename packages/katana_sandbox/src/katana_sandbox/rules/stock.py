"""What sales orders take from stock: the pair a row draws on, what is shipped of it, what it still needs."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.ledger import Open, Pair, costs
from katana_sandbox.store.records import DELETED, VERBATIM
from katana_sandbox.wire.encoding import Record, rows
from katana_sandbox.wire.numbers import as_decimal, fixed

_DONE = b'"product_availability":"PICKED"'
_NONE = (Decimal(0), Decimal(0))


class OpenRow(NamedTuple):
    """A live sales order row with its order, and the quantity that has not left stock."""

    row: Record
    order: Record
    location_id: int
    quantity: Decimal


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
            taken, handed = totals.get(row["sales_order_row_id"], _NONE)
            quantity = as_decimal(row["quantity"])
            totals[row["sales_order_row_id"]] = (taken + quantity, handed + quantity * delivered)
    return totals


def open_rows(ctx: Context, variant_id: int) -> Iterator[OpenRow]:
    """Rows of a variant that still need stock, oldest first, quotes included."""
    store = ctx.db.stores["sales_order_rows"]
    at_delivery = ctx.switches.word("stock_leaves") == "DELIVERED"
    for slot in store.linked("variant_id", variant_id):
        if store.flags[slot] & (DELETED | VERBATIM) or (not at_delivery and _DONE in store.raw(slot)):
            continue
        row = store.record(slot)
        order = ctx.get("sales_orders", row.get("sales_order_id"))
        pair = pair_of(ctx, row)
        if order is None or pair is None:
            continue
        gone = shipped(ctx, order["id"]).get(row["id"], _NONE)[at_delivery]
        yield OpenRow(row, order, pair[1], max(Decimal(0), as_decimal(row.get("quantity")) - gone))


def open_sales_rows(ctx: Context, variant_id: int) -> Iterator[Open]:
    """What orders that are no quotes still take of a variant."""
    for found in open_rows(ctx, variant_id):
        if commits(found.order):
            yield Open(found.location_id, found.quantity, found.order.get("delivery_date"))


def commits(order: Record) -> bool:
    """Whether an open order holds stock: quotes do not."""
    return order.get("status") != "PENDING"


def refresh_costs(ctx: Context, pairs: Iterable[Pair]) -> None:
    """Let the sales order rows that took stock from these pairs bear what the ledger says it cost."""
    for pair in pairs:
        entries = ctx.db.movements.of_pair(*pair)
        spent: dict[object, Decimal] = {}
        for entry, cost in zip(entries, costs(entries), strict=True):
            if entry.movement.resource_type == "SalesOrderRow":
                held = spent.get(entry.movement.resource_id, Decimal(0))
                spent[entry.movement.resource_id] = held - entry.movement.quantity * cost
        for row_id, value in spent.items():
            set_cost(ctx, row_id, value)


def set_cost(ctx: Context, row_id: object, value: Decimal) -> None:
    """Write the cost of a row's goods; nothing spent is null."""
    if isinstance(row_id, int):
        ctx.set("sales_order_rows", row_id, {"cogs_value": fixed(value, 10) if value else None})
