"""Taking the receipts of a purchase order back: rows that a receipt split, and any others alike, become one again."""

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.ledger import check_open_period
from katana_sandbox.rules.serials import Bond, bind, entries_of
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number

_ROWS = "purchase_order_rows"
_SAME = (
    "variant_id",
    "price_per_unit",
    "arrival_date",
    "tax_rate_id",
    "location_id",
    "purchase_uom",
    "purchase_uom_conversion_rate",
    "custom_fields",
)


def revert_receipts(ctx: Context, order: Record) -> None:
    """Take every receipt back, let all costs be the order's own again, and merge rows that differ in quantity only."""
    if order["status"] == "PARTIALLY_RECEIVED":
        raise unprocessable("purchase order with status PARTIALLY_RECEIVED can not be changed to NOT_RECEIVED")
    default = order["default_group_id"]
    rows = ctx.children(_ROWS, "purchase_order_id", order["id"])
    for group in {row["group_id"] for row in rows} - {default}:
        for cost in ctx.children("po_additional_cost_rows", "group_id", group):
            ctx.change("po_additional_cost_rows", cost["id"], {"group_id": default})
    for row in rows:
        if row.get("received_date") is not None:
            check_open_period(ctx, row["received_date"])
            cleared: Record = {
                "received_date": None,
                "conversion_rate": None,
                "batch_transactions": [],
                "traceability": [],
            }
            ctx.change(_ROWS, row["id"], {**cleared, "group_id": default})
    _merge(ctx, order)


def _merge(ctx: Context, order: Record) -> None:
    survivors: dict[bytes, Record] = {}
    for row in sorted(ctx.children(_ROWS, "purchase_order_id", order["id"]), key=lambda row: row["id"]):
        first = survivors.setdefault(encode([row.get(name) for name in _SAME]), row)
        if first is row:
            continue
        for entry in entries_of(ctx, "PurchaseOrderRow", row["id"]):
            bind(ctx, entry["serial_number_id"], Bond("PurchaseOrderRow", first["id"], 0))
        first["quantity"] = number(as_decimal(first["quantity"]) + as_decimal(row["quantity"]))
        ctx.change(_ROWS, first["id"], {"quantity": first["quantity"]})
        ctx.delete(_ROWS, row["id"])
