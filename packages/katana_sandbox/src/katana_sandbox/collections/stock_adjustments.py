"""Stock adjustments: they take effect at once; their rows are fixed once made and have no address of their own."""

from typing import cast

from katana_sandbox.descriptor import Collection, Context, Embed, plain_fields
from katana_sandbox.operations.create import build
from katana_sandbox.rules.ledger import check_open_period
from katana_sandbox.rules.stock_rows import adjust, forget_adjustment_row, settle_adjustment, tracked_fields
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal


def _create(ctx: Context, body: Record) -> Record:
    fields = build(STOCK_ADJUSTMENTS, body)
    fields["stock_adjustment_number"] = fields["stock_adjustment_number"] or ctx.db.next_number("SA")
    fields["stock_adjustment_date"] = fields["stock_adjustment_date"] or ctx.now
    check_open_period(ctx, fields["stock_adjustment_date"])
    given = cast("list[Record]", body["stock_adjustment_rows"])
    checked = [(_row(ctx, entry), entry.get("cost_per_unit")) for entry in given]
    adjustment = ctx.insert("stock_adjustments", fields)
    for row, cost in checked:
        stored = ctx.insert("stock_adjustment_rows", {"stock_adjustment_id": adjustment["id"], **row})
        adjust(ctx, stored, None if cost is None else as_decimal(cost))
    return adjustment


def _row(ctx: Context, given: Record) -> Record:
    quantity = as_decimal(given["quantity"])
    if not quantity:
        raise unprocessable("quantity must not be 0")
    if quantity < 0 and given.get("cost_per_unit") is not None:
        raise unprocessable("cost per unit is not allowed when quantity is negative")
    return {**tracked_fields(ctx, given, quantity, exact=True), "cost_per_unit": 0}


def _update(ctx: Context, adjustment: Record, changes: Record) -> Record:
    if "stock_adjustment_date" in changes or "location_id" in changes:
        check_open_period(ctx, adjustment["stock_adjustment_date"])
        check_open_period(ctx, changes.get("stock_adjustment_date"))
    return changes


def _check_deletable(ctx: Context, adjustment: Record) -> None:
    check_open_period(ctx, adjustment["stock_adjustment_date"])


STOCK_ADJUSTMENTS = Collection(
    name="stock_adjustments",
    fields=plain_fields("stock_adjustment_number stock_adjustment_date location_id reason additional_info"),
    references={"location_id": "locations"},
    children=(("stock_adjustment_rows", "stock_adjustment_id"),),
    embeds=(Embed("stock_adjustment_rows", "stock_adjustment_rows", "stock_adjustment_id"),),
    unique=("stock_adjustment_number",),
    wipes="additional_info_wipe",
    on_create=_create,
    on_update=_update,
    on_delete=_check_deletable,
    settle=settle_adjustment,
)
STOCK_ADJUSTMENT_ROWS = Collection(
    name="stock_adjustment_rows",
    foreign_keys=("stock_adjustment_id",),
    stamps=("deleted_at",),
    hidden=frozenset({"stock_adjustment_id", "deleted_at"}),
    settle=forget_adjustment_row,
)
