"""Rows of stock transfers and stock adjustments: their batches, and what the ledger shows of them."""

from decimal import Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.ledger import Movement, Pair, keep, moved, post, unpost
from katana_sandbox.rules.sales import settle_stock
from katana_sandbox.rules.serials import Bond, bind, redate_units, unbind
from katana_sandbox.rules.traceability import check_unit_count, trace_entries, traced_batches, traced_units
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, number, shortest

ADJUSTMENT = "StockAdjustmentRow"
TRANSFER = "StockTransferRow"
_OUT, _IN = "out", "in"


def tracked_fields(ctx: Context, given: Record, quantity: Decimal, *, exact: bool) -> Record:
    """Variant, quantity and batches of a new row; `exact` batches add up to the quantity, others to no more."""
    variant = ctx.get("variants", given["variant_id"])
    if variant is None:
        raise unprocessable("variant not found")
    trace = cast("list[Record] | None", given.get("traceability"))
    batches = traced_batches(given)
    check_unit_count(traced_units(ctx, given["variant_id"], trace or []), quantity, exact=exact)
    _check_batches(batches, quantity, exact=exact)
    return {
        "variant_id": given["variant_id"],
        "quantity": number(quantity),
        "batch_transactions": batches,
        "traceability": trace_entries(batches if trace is None else trace),
    }


def bind_units(ctx: Context, source: str, row: Record, change: int, date: str | None) -> None:
    """Let the serial numbers that a new row names show what it does to them."""
    for part in cast("list[Record]", row["traceability"]):
        if part["serial_number_id"] is not None:
            bind(ctx, part["serial_number_id"], Bond(source, row["id"], change, date))


def adjust(ctx: Context, row: Record, cost: Decimal | None) -> None:
    """Let the ledger show a new row of an adjustment, at a cost of its own or at average cost."""
    header = ctx.get("stock_adjustments", row["stock_adjustment_id"]) or {}
    post(ctx, _adjustment(header, row, cost))
    bind_units(ctx, ADJUSTMENT, row, 1 if row["quantity"] > 0 else -1, header["stock_adjustment_date"])
    _note_cost(ctx, "stock_adjustment_rows", ADJUSTMENT, row["id"])
    settle_stock(ctx, [(row["variant_id"], header["location_id"])])


def settle_adjustment(ctx: Context, before: Record | None, after: Record | None) -> None:
    """The header was written: its rows follow to another date, place or number."""
    if before is None or after is None:
        return
    pairs: set[Pair] = set()
    for row in ctx.children("stock_adjustment_rows", "stock_adjustment_id", after["id"]):
        for held in ctx.db.movements.of_source((ADJUSTMENT, row["id"])):
            movement = _adjustment(after, row, held.movement.unit_cost)
            pairs |= keep(ctx, ADJUSTMENT, row["id"], movement)
        redate_units(ctx, ADJUSTMENT, row["id"], after["stock_adjustment_date"])
    settle_stock(ctx, pairs)


def settle_transfer(ctx: Context, before: Record | None, after: Record | None) -> None:
    """The header was written: what left and what arrived follows its status, date and number."""
    if before is None or after is None:
        return
    pairs: set[Pair] = set()
    for row in ctx.children("stock_transfer_rows", "stock_transfer_id", after["id"]):
        pairs |= _transfer(ctx, after, row)
        redate_units(ctx, TRANSFER, row["id"], after["transfer_date"] if _has_left(after) else None)
        pairs |= {(row["variant_id"], after[place]) for place in ("source_location_id", "target_location_id")}
    settle_stock(ctx, pairs)


def forget_adjustment_row(ctx: Context, before: Record | None, after: Record | None) -> None:
    """A deleted row gives back what it did."""
    _forget(ctx, ADJUSTMENT, before, after)


def forget_transfer_row(ctx: Context, before: Record | None, after: Record | None) -> None:
    """A deleted row gives back what it did, and is no longer expected anywhere."""
    _forget(ctx, TRANSFER, before, after)
    if after is None and before is not None:
        header = ctx.get("stock_transfers", before["stock_transfer_id"], deleted=True) or {}
        if "target_location_id" in header:
            settle_stock(ctx, [(before["variant_id"], header["target_location_id"])])


def _forget(ctx: Context, source: str, before: Record | None, after: Record | None) -> None:
    if after is None and before is not None and ctx.switches.on("delete_reverses_stock"):
        unbind(ctx, source, before["id"])
        settle_stock(ctx, unpost(ctx, source, before["id"]))


def _adjustment(header: Record, row: Record, cost: Decimal | None) -> Movement:
    return Movement(
        variant_id=row["variant_id"],
        location_id=header["location_id"],
        quantity=as_decimal(row["quantity"]),
        unit_cost=cost,
        movement_date=header["stock_adjustment_date"],
        resource_type=ADJUSTMENT,
        resource_id=row["id"],
        caused_by_order_no=header["stock_adjustment_number"],
        caused_by_resource_id=header["id"],
    )


def _transfer(ctx: Context, header: Record, row: Record) -> set[Pair]:
    quantity = as_decimal(row["quantity"])
    leaving = Movement(
        variant_id=row["variant_id"],
        location_id=header["source_location_id"],
        quantity=-quantity,
        unit_cost=None,
        movement_date=header["transfer_date"],
        resource_type=TRANSFER,
        resource_id=row["id"],
        caused_by_order_no=header["stock_transfer_number"],
        caused_by_resource_id=header["id"],
        part=_OUT,
    )
    pairs = keep(ctx, TRANSFER, row["id"], leaving if _has_left(header) else None, _OUT)
    if header["status"] != "received":
        return pairs | unpost(ctx, TRANSFER, row["id"], _IN)
    cost = next(cost for movement, cost in moved(ctx, TRANSFER, row["id"]) if movement.part == _OUT)
    ctx.set("stock_transfer_rows", row["id"], {"cost_per_unit": number(cost)})
    arriving = leaving._replace(location_id=header["target_location_id"], quantity=quantity, unit_cost=cost, part=_IN)
    return pairs | keep(ctx, TRANSFER, row["id"], arriving, _IN)


def _has_left(header: Record) -> bool:
    return header["status"] in {"inTransit", "received"}


def _note_cost(ctx: Context, name: str, source: str, row_id: Key) -> None:
    for _, cost in moved(ctx, source, row_id):
        ctx.set(name, row_id, {"cost_per_unit": number(cost)})


def _check_batches(batches: list[Record], quantity: Decimal, *, exact: bool) -> None:
    total = sum((as_decimal(batch.get("quantity")) for batch in batches), Decimal(0))
    wrong = total != quantity if exact else total > quantity
    if wrong and batches:
        raise unprocessable(
            f"sum of batch quantity (current: {shortest(total)}) must match "
            f"row quantity (expected: {shortest(quantity)})"
        )
