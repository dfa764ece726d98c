"""Stock transfers between locations: stock leaves in transit and arrives when received; rows are fixed once made."""

from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Embed, Route, plain_fields
from katana_sandbox.operations.create import build, checked
from katana_sandbox.operations.query import path_record
from katana_sandbox.operations.update import NOTHING_TO_DO
from katana_sandbox.render import render_key
from katana_sandbox.rules.ledger import check_open_period
from katana_sandbox.rules.stock_rows import TRANSFER, bind_units, forget_transfer_row, settle_transfer, tracked_fields
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import Refused, unprocessable
from katana_sandbox.wire.numbers import as_decimal, number

_REFUSED_MOVES = {("received", "inTransit")}


def _create(ctx: Context, body: Record) -> Record:
    if body["source_location_id"] == body["target_location_id"]:
        raise unprocessable("source and target location must differ")
    fields = build(STOCK_TRANSFERS, body)
    fields["stock_transfer_number"] = fields["stock_transfer_number"] or ctx.db.next_number("ST")
    fields["transfer_date"] = fields["transfer_date"] or ctx.now
    rows = [_row(ctx, entry, fields) for entry in cast("list[Record]", body["stock_transfer_rows"])]
    transfer = ctx.insert("stock_transfers", fields)
    for row in rows:
        stored = ctx.insert("stock_transfer_rows", {"stock_transfer_id": transfer["id"], **row})
        bind_units(ctx, TRANSFER, stored, 0, None)
    return transfer


def _row(ctx: Context, given: Record, transfer: Record) -> Record:
    quantity = as_decimal(given["quantity"])
    if quantity <= 0:
        raise unprocessable("quantity must be a number greater than 0")
    level = ctx.db.levels.get(given["variant_id"], transfer["source_location_id"])
    fields = tracked_fields(ctx, given, quantity, exact=False)
    return {**fields, "cost_per_unit": number(level.average_cost)}


def _update(ctx: Context, transfer: Record, changes: Record) -> Record:
    if "transfer_date" in changes and transfer["status"] != "draft":
        check_open_period(ctx, transfer["transfer_date"])
        check_open_period(ctx, changes["transfer_date"])
    return changes


def _check_deletable(ctx: Context, transfer: Record) -> None:
    if transfer["status"] != "draft":
        check_open_period(ctx, transfer["transfer_date"])


def _set_status(ctx: Context, collection: Collection, call: Call) -> Reply:
    body = checked("PATCH /stock_transfers/{id}/status", call.body())
    if not body:
        raise unprocessable(NOTHING_TO_DO)
    transfer = path_record(ctx, collection, call)
    if body["status"] != transfer["status"]:
        _move(ctx, transfer, body["status"])
    return Reply(200, render_key(ctx, "stock_transfers", transfer["id"], "patch") or b"{}")


def _move(ctx: Context, transfer: Record, status: str) -> None:
    strict = ctx.switches.word("transfer_moves") == "strict"
    if strict and (transfer["status"], status) in _REFUSED_MOVES:
        raise Refused(400, f"stock transfer can not be moved from {transfer['status']} to {status}")
    check_open_period(ctx, transfer["transfer_date"])
    ctx.change("stock_transfers", transfer["id"], {"status": status})


STOCK_TRANSFERS = Collection(
    name="stock_transfers",
    fields=plain_fields(
        "stock_transfer_number source_location_id target_location_id status=draft transfer_date"
        " order_created_date expected_arrival_date additional_info"
    ),
    references={"source_location_id": "locations", "target_location_id": "locations"},
    children=(("stock_transfer_rows", "stock_transfer_id"),),
    embeds=(Embed("stock_transfer_rows", "stock_transfer_rows", "stock_transfer_id"),),
    unique=("stock_transfer_number",),
    wipes="additional_info_wipe_untested",
    on_create=_create,
    on_update=_update,
    on_delete=_check_deletable,
    settle=settle_transfer,
    routes=(Route("PATCH", "/stock_transfers/{id}/status", _set_status),),
)
STOCK_TRANSFER_ROWS = Collection(
    name="stock_transfer_rows",
    foreign_keys=("stock_transfer_id", "variant_id"),
    stamps=("deleted_at",),
    hidden=frozenset({"stock_transfer_id"}),
    settle=forget_transfer_row,
)
