"""Receiving purchase orders, in whole, in part, or all at once: each call makes a group of its own."""

from decimal import Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import checked
from katana_sandbox.rules.incoming import stock_units
from katana_sandbox.rules.items import is_tracked
from katana_sandbox.rules.ledger import check_open_period
from katana_sandbox.rules.outsourcing import copy_ingredients
from katana_sandbox.rules.serials import Bond, bind, entries_of, unbind
from katana_sandbox.rules.traceability import (
    check_unit_count,
    trace_entries,
    traced_batches,
    traced_units,
)
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record, rows
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number, shortest

_SOURCE = "PurchaseOrderRow"
_DERIVED = ("id", "created_at", "updated_at", "deleted_at")


def receive(ctx: Context, body: object) -> None:
    """Receive what one object, or each of an array, names; all of it or nothing."""
    many = isinstance(body, list)
    given = checked("POST /purchase_order_receive", body)
    entries = cast("list[Record]", given) if many else [given]
    received: dict[object, list[Key]] = {}
    for entry in entries:
        row = _receive_row(ctx, entry)
        received.setdefault(row["purchase_order_id"], []).append(row["id"])
    for order_id, keys in received.items():
        _group(ctx, order_id, keys)


def receive_all(ctx: Context, order: Record) -> None:
    """Receive every open row now."""
    _check_receivable(order)
    rows = ctx.children("purchase_order_rows", "purchase_order_id", order["id"])
    if not rows:
        raise unprocessable("purchase order has no rows to receive")
    for row in rows:
        if is_tracked(ctx, row.get("variant_id"), ("batch_tracked",)):
            raise unprocessable("purchase orders with batch tracked items can not be received by status")
    check_open_period(ctx, ctx.now)
    for row in rows:
        if row.get("received_date") is None:
            ctx.change("purchase_order_rows", row["id"], {"received_date": ctx.now})
    _group(ctx, order["id"], [row["id"] for row in rows if row.get("received_date") is None])


def _group(ctx: Context, order_id: object, keys: list[Key]) -> None:
    """Give the rows of one call a group; the first that receives all of an order keeps the order's own."""
    rows = ctx.children("purchase_order_rows", "purchase_order_id", order_id)
    if len(rows) > len(keys):
        group = ctx.db.next_id("purchase_order_groups")
        for key in keys:
            ctx.change("purchase_order_rows", key, {"group_id": group})


def _check_receivable(order: Record) -> None:
    if order.get("status") == "DRAFT":
        raise unprocessable("purchase order with status DRAFT can not be received")


def _receive_row(ctx: Context, entry: Record) -> Record:
    row = ctx.get("purchase_order_rows", entry["purchase_order_row_id"])
    order = ctx.get("purchase_orders", (row or {}).get("purchase_order_id"))
    if row is None or order is None:
        raise unprocessable("purchase order row not found")
    _check_receivable(order)
    if row.get("received_date") is not None:
        raise unprocessable("purchase order row has already been received")
    quantity, held = as_decimal(entry["quantity"]), as_decimal(row["quantity"])
    if quantity > held:
        raise unprocessable("received quantity exceeds the quantity of the purchase order row")
    if not quantity and held:
        raise unprocessable("received quantity must be greater than 0")
    stored = _store_receipt(ctx, row, _receipt(ctx, row, entry, quantity), held - quantity)
    units = [part["serial_number_id"] for part in rows(stored, "traceability") if part["serial_number_id"] is not None]
    for unit in units:
        bind(ctx, unit, Bond(_SOURCE, stored["id"], 1, stored["received_date"]))
    if "traceability" in entry and stored["id"] == row["id"]:
        # What a receipt names replaces what the row was assigned before.
        held = [one["serial_number_id"] for one in entries_of(ctx, _SOURCE, row["id"])]
        unbind(ctx, _SOURCE, row["id"], [unit for unit in held if unit not in units])
    return stored


def _receipt(ctx: Context, row: Record, entry: Record, quantity: Decimal) -> Record:
    date = entry.get("received_date", ctx.now)
    check_open_period(ctx, date)
    if "location_id" in entry and ctx.get("locations", entry["location_id"]) is None:
        raise unprocessable("location not found")
    place = {"location_id": entry["location_id"]} if "location_id" in entry else {}
    batches = _batches(ctx, row, entry, quantity)
    trace = trace_entries(rows(entry, "traceability"))
    return {"received_date": date, "batch_transactions": batches, "traceability": trace, **place}


def _store_receipt(ctx: Context, row: Record, receipt: Record, left: Decimal) -> Record:
    if not left:
        return ctx.change("purchase_order_rows", row["id"], receipt)
    quantity = as_decimal(row["quantity"]) - left
    ctx.change("purchase_order_rows", row["id"], {"quantity": number(left)})
    fields = {name: value for name, value in row.items() if name not in _DERIVED}
    split = ctx.insert("purchase_order_rows", {**fields, "quantity": number(quantity)})
    copy_ingredients(ctx, row, split)
    return ctx.change("purchase_order_rows", split["id"], receipt)


def _traced(ctx: Context, row: Record, entry: Record, quantity: Decimal) -> list[Record]:
    """The batches of a receipt's traceability; what it does not name has none."""
    trace = rows(entry, "traceability")
    units = traced_units(ctx, row["variant_id"], trace)
    check_unit_count(units, quantity * stock_units(row), exact=True)
    given = traced_batches(entry)
    left = quantity - sum((as_decimal(part["quantity"]) for part in given), Decimal(0))
    if left < 0:
        raise unprocessable("traced quantity exceeds the received quantity")
    return given if not left or units else [*given, {"batch_id": None, "quantity": number(left)}]


def _batches(ctx: Context, row: Record, entry: Record, quantity: Decimal) -> list[Record]:
    """The batches of a receipt; goods with batches that come without are one line of no batch."""
    if "traceability" in entry:
        if "batch_transactions" in entry:
            raise unprocessable("traceability and batch_transactions can not be used together")
        return _traced(ctx, row, entry, quantity)
    given = cast("list[Record]", entry.get("batch_transactions") or [])
    if not given:
        if not is_tracked(ctx, row.get("variant_id"), ("batch_tracked",)):
            return []
        if ctx.switches.word("untraced_receipt") == "refuse":
            raise unprocessable("batch tracked goods can not be received without batches")
        return [{"batch_id": None, "quantity": number(quantity)}]
    total = sum((as_decimal(part["quantity"]) for part in given), Decimal(0))
    if total != quantity:
        raise unprocessable(
            f"sum of batch quantity (current: {shortest(total)}) must match "
            f"purchase order row quantity (expected: {shortest(quantity)})"
        )
    return given
