"""Rows of sales orders: prices and places they take over, and what their order's progress locks."""

from typing import cast

from katana_sandbox.custom_fields import check_custom_fields, copied_custom_fields
from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import build, check_references
from katana_sandbox.rules.sales import OPEN, check_sellable
from katana_sandbox.rules.serial_assignment import check_new
from katana_sandbox.rules.serials import SOLD, UNKNOWN, Bond, bind, entries_of, unbind, units_of
from katana_sandbox.rules.stock import shipped
from katana_sandbox.rules.traceability import trace_entries, traced_units
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import fixed

_LOCKED = ("quantity", "variant_id", "tax_rate_id", "price_per_unit", "total_discount", "location_id")


def insert_row(ctx: Context, body: Record) -> Record:
    """Store a row of an order that is still open."""
    collection = ctx.collections["sales_order_rows"]
    check_references(ctx, collection, body)
    check_custom_fields(ctx, collection, body)
    check_sellable(ctx, body.get("location_id"))
    order = ctx.get("sales_orders", body["sales_order_id"]) or {}
    if order.get("status") not in OPEN:
        raise unprocessable("rows can only be added in status NOT_SHIPPED or PENDING")
    variant = ctx.variant(body["variant_id"]) or {}
    fields = build(collection, body)
    fields["sku"] = variant.get("sku")
    fields["custom_fields"] = copied_custom_fields(ctx, "SalesOrderRow", variant.get("id"), body.get("custom_fields"))
    fields["conversion_date"] = order.get("conversion_date")
    fields["tax_rate_id"] = body.get("tax_rate_id")
    fields["tax_rate"] = tax_rate(ctx, fields["tax_rate_id"])
    if "price_per_unit" not in body:
        fields["price_per_unit"] = fixed(variant.get("sales_price"), 10)
    return ctx.insert("sales_order_rows", fields)


def update_row(ctx: Context, row: Record, changes: Record) -> Record:
    """The stored changes of a row PATCH."""
    touched = row["id"] in shipped(ctx, row["sales_order_id"])
    if touched and any(name in changes for name in _LOCKED):
        raise unprocessable("row can only be edited in status NOT_SHIPPED or PENDING")
    if "location_id" in changes and row.get("linked_manufacturing_order_id") is not None:
        raise unprocessable("location of a row linked to a manufacturing order can not be changed")
    check_sellable(ctx, changes.get("location_id"))
    if "variant_id" in changes:
        changes["sku"] = (ctx.variant(changes["variant_id"]) or {}).get("sku")
    if "tax_rate_id" in changes:
        changes["tax_rate"] = tax_rate(ctx, changes["tax_rate_id"])
    if changes.get("variant_id", row["variant_id"]) != row["variant_id"]:
        unbind(ctx, SOLD, row["id"])
    for batch in cast("list[Record]", changes.get("batch_transactions") or []):
        batch.setdefault("quantity", 0)
    found = {**row, **changes}
    _move_serials(ctx, found, changes)
    if "traceability" in changes:
        _trace(ctx, found, changes)
    return changes


def check_row_deletable(ctx: Context, row: Record) -> None:
    """Refuse to take a row from an order that has begun to ship."""
    order = ctx.get("sales_orders", row["sales_order_id"]) or {}
    if order.get("status") not in OPEN:
        raise unprocessable("rows can only be deleted in status NOT_SHIPPED or PENDING")


def tax_rate(ctx: Context, tax_rate_id: object) -> object:
    """The percentage of a tax rate."""
    return (ctx.get("tax_rates", tax_rate_id) or {}).get("rate")


def _move_serials(ctx: Context, row: Record, changes: Record) -> None:
    transactions = cast("list[Record]", changes.pop("serial_number_transactions", None) or [])
    for transaction in transactions if "traceability" not in changes else ():
        unit = transaction["serial_number_id"]
        if transaction.get("quantity", 1) == 0:
            unbind(ctx, SOLD, row["id"], [unit])
        elif not units_of(ctx, row["variant_id"], [unit]):
            raise unprocessable(UNKNOWN)
        else:
            check_new(ctx, row, [unit])
            bind(ctx, unit, Bond(SOLD, row["id"], -1))


def _trace(ctx: Context, row: Record, changes: Record) -> None:
    trace = cast("list[Record]", changes["traceability"])
    units = traced_units(ctx, row["variant_id"], trace)
    held = [entry["serial_number_id"] for entry in entries_of(ctx, SOLD, row["id"])]
    unbind(ctx, SOLD, row["id"], [unit for unit in held if unit not in units])
    check_new(ctx, row, [unit for unit in units if unit not in held])
    for unit in units:
        if unit not in held:
            bind(ctx, unit, Bond(SOLD, row["id"], -1))
    changes["traceability"] = trace_entries(trace)
