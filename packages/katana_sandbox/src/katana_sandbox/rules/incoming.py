"""What is on its way: open rows of purchase orders, and transfers between two locations."""

from collections.abc import Iterator
from decimal import Decimal

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.ledger import Open
from katana_sandbox.store.records import DELETED, VERBATIM
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import as_decimal


def open_purchase_rows(ctx: Context, variant_id: int) -> Iterator[Open]:
    """Rows not yet received of orders that are no drafts, in stock units."""
    store = ctx.db.stores["purchase_order_rows"]
    for slot in store.linked("variant_id", variant_id):
        if store.flags[slot] & (DELETED | VERBATIM):
            continue
        row = store.record(slot)
        if row.get("received_date") is not None:
            continue
        order = ctx.get("purchase_orders", row.get("purchase_order_id"))
        if order is not None and order.get("status") != "DRAFT":
            quantity = as_decimal(row.get("quantity")) * stock_units(row)
            yield Open(row_location(row, order), quantity, row.get("arrival_date"))


def open_transfers(ctx: Context, variant_id: int) -> Iterator[Open]:
    """Rows of transfers that have left one location and not reached the other."""
    for row in ctx.children("stock_transfer_rows", "variant_id", variant_id):
        transfer = ctx.get("stock_transfers", row["stock_transfer_id"])
        if transfer is not None and transfer["status"] == "inTransit":
            date = transfer.get("expected_arrival_date")
            yield Open(transfer["target_location_id"], as_decimal(row["quantity"]), date)


def stock_units(row: Record) -> Decimal:
    """Stock units in one purchase unit of a row."""
    return as_decimal(row.get("purchase_uom_conversion_rate") or 1)


def row_location(row: Record, order: Record) -> int:
    """Where a row is to arrive."""
    return row.get("location_id") or order["location_id"]
