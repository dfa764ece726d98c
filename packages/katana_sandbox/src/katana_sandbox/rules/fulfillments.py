"""Fulfillments: what may be packed, and what leaves stock."""

from decimal import Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import build
from katana_sandbox.rules.items import owner
from katana_sandbox.rules.kits import build_kit, redate_kit, take_apart
from katana_sandbox.rules.ledger import Movement, Pair, check_open_period, post, redate, unpost
from katana_sandbox.rules.sales import settle_order, settle_stock
from katana_sandbox.rules.serials import ASSIGNED, check_free, reserved_units, settle_shipment, units_of
from katana_sandbox.rules.stock import pair_of, set_cost, shipped
from katana_sandbox.rules.traceability import trace_entries, traced_batches, traced_units
from katana_sandbox.wire.encoding import Record, rows
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, shortest

_SOURCE = "SalesOrderRow"


def create_fulfillment(ctx: Context, body: Record) -> Record:
    """Pack or deliver rows of an order."""
    order = ctx.get("sales_orders", body["sales_order_id"]) or {}
    fields = build(ctx.collections["sales_order_fulfillments"], body)
    fields["picked_date"] = fields["picked_date"] or ctx.now
    check_open_period(ctx, fields["picked_date"])
    given = cast("list[Record]", body["sales_order_fulfillment_rows"])
    _check_quantities(ctx, order, given)
    made = [_fulfillment_row(ctx, entry) for entry in given]
    units = [unit for row in made for unit in row["serial_numbers"]]
    if len(set(units)) != len(units):
        raise unprocessable(ASSIGNED)
    return ctx.insert("sales_order_fulfillments", {**fields, "sales_order_fulfillment_rows": made})


def settle_fulfillment(ctx: Context, before: Record | None, after: Record | None) -> None:
    """Let the ledger show what the fulfillment takes, and bring the order up to date."""
    old, new = _taken(ctx, before), _taken(ctx, after)
    fulfillment = after or before or {}
    pairs: set[Pair] = set()
    for row_id in dict.fromkeys([*old, *new]):
        if old.get(row_id) == new.get(row_id):
            if before is not None and before["picked_date"] != fulfillment["picked_date"]:
                redate_kit(ctx, fulfillment["id"], row_id, fulfillment["picked_date"])
                pairs |= redate(ctx, _SOURCE, row_id, fulfillment["picked_date"], fulfillment["id"])
            continue
        pairs |= unpost(ctx, _SOURCE, row_id, fulfillment["id"])
        take_apart(ctx, fulfillment["id"], row_id)
        set_cost(ctx, row_id, Decimal(0))
        pairs |= _take(ctx, fulfillment, row_id, new.get(row_id, Decimal(0)))
    settle_shipment(ctx, before, after, new)
    settle_stock(ctx, pairs)
    left = ctx.children("sales_order_fulfillments", "sales_order_id", fulfillment.get("sales_order_id"))
    if after is None and not left and isinstance(fulfillment.get("sales_order_id"), int):
        ctx.set("sales_orders", fulfillment["sales_order_id"], {"picked_date": None})
    settle_order(ctx, fulfillment.get("sales_order_id"))


def _take(ctx: Context, fulfillment: Record, row_id: int, quantity: Decimal) -> set[Pair]:
    row = ctx.get("sales_order_rows", row_id, deleted=True)
    pair = pair_of(ctx, row) if row is not None else None
    if pair is None or not quantity:
        return set()
    build_kit(ctx, fulfillment, row_id, pair, quantity)
    order = ctx.get("sales_orders", fulfillment["sales_order_id"], deleted=True) or {}
    movement = Movement(
        *pair, -quantity, None, fulfillment["picked_date"], _SOURCE, row_id, order.get("order_no"), order.get("id")
    )
    post(ctx, movement._replace(part=fulfillment["id"]))
    return {pair}


def _taken(ctx: Context, fulfillment: Record | None) -> dict[int, Decimal]:
    taken: dict[int, Decimal] = {}
    if fulfillment is None:
        return taken
    if fulfillment.get("status") != "DELIVERED" and ctx.switches.word("stock_leaves") == "DELIVERED":
        return taken
    for row in rows(fulfillment, "sales_order_fulfillment_rows"):
        held = taken.get(row["sales_order_row_id"], Decimal(0))
        taken[row["sales_order_row_id"]] = held + as_decimal(row["quantity"])
    return taken


def _check_quantities(ctx: Context, order: Record, given: list[Record]) -> None:
    taken = shipped(ctx, order["id"])
    quantities: dict[object, Decimal] = {}
    for entry in given:
        row_id = entry["sales_order_row_id"]
        quantities[row_id] = quantities.get(row_id, Decimal(0)) + as_decimal(entry["quantity"])
    for row_id, quantity in quantities.items():
        row = ctx.get("sales_order_rows", row_id)
        if row is None or row["sales_order_id"] != order["id"]:
            raise unprocessable("sales order row not found")
        gone = taken.get(row_id, (Decimal(0), Decimal(0)))[0]
        if quantity + gone > as_decimal(row["quantity"]):
            raise unprocessable("fulfillment row quantity exceeds the open quantity of the sales order row")


def _fulfillment_row(ctx: Context, entry: Record) -> Record:
    row = ctx.get("sales_order_rows", entry["sales_order_row_id"]) or {}
    variant = ctx.get("variants", row.get("variant_id"), deleted=True)
    found = owner(ctx, variant, deleted=True) if variant is not None else None
    item = found[1] if found is not None else {}
    trace = cast("list[Record] | None", entry.get("traceability"))
    batches = traced_batches(entry)
    named = trace is not None or "serial_numbers" in entry
    if trace is not None:
        serials = traced_units(ctx, row.get("variant_id"), trace)
    elif named:
        serials = units_of(ctx, row.get("variant_id"), cast("list[object]", entry["serial_numbers"] or []))
    else:
        serials = reserved_units(ctx, row.get("id"))[: int(entry["quantity"])]
    quantity = as_decimal(entry["quantity"])
    _check_tracking(item, quantity, batches, serials if named else None)
    check_free(ctx, row, serials)
    parts = trace or [*batches, *({"serial_number_id": serial} for serial in serials)]
    return {
        "id": ctx.db.next_id("sales_order_fulfillment_rows"),
        "sales_order_row_id": entry["sales_order_row_id"],
        "quantity": entry["quantity"],
        "batch_transactions": batches,
        "serial_numbers": serials,
        "traceability": trace_entries(parts),
    }


def _check_tracking(item: Record, quantity: Decimal, batches: list[Record], serials: list[int] | None) -> None:
    if item.get("serial_tracked") and serials is not None and len(serials) != quantity:
        raise unprocessable(
            f"sum of serial number quantity (current: {len(serials)}) must match "
            f"fulfillment row quantity (expected: {shortest(quantity)})"
        )
    total = sum((as_decimal(batch["quantity"]) for batch in batches), Decimal(0))
    if batches and item.get("batch_tracked") and total != quantity:
        raise unprocessable(
            f"sum of batch quantity (current: {shortest(total)}) must match "
            f"fulfillment row quantity (expected: {shortest(quantity)})"
        )
