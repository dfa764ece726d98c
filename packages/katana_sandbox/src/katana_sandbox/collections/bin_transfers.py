"""Transfers between bins of a location: the location's stock stays as it is."""

from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Embed, Field, Ranges, Route, plain_fields
from katana_sandbox.operations.create import build, check_references, checked
from katana_sandbox.operations.query import path_record
from katana_sandbox.render import render_key
from katana_sandbox.rules.ledger import check_open_period
from katana_sandbox.rules.traceability import check_unit_count, traced_units
from katana_sandbox.wire.encoding import Record, rows
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, fixed, shortest

_STAMPS = {"departed_at": ("IN_TRANSIT", "DONE"), "arrived_at": ("DONE",)}
_BINS = {"source_bin_location_id": "bin_locations", "target_bin_location_id": "bin_locations"}


def _create(ctx: Context, body: Record) -> Record:
    fields = build(BIN_TRANSFERS, body)
    fields["bin_transfer_number"] = body.get("bin_transfer_number") or ctx.db.next_number("BT")
    fields["created_date"] = fields["created_date"] or ctx.now
    transfer = ctx.insert("bin_transfers", {**fields, "status": "CREATED"})
    for line in cast("list[Record]", body.get("bin_transfer_rows") or []):
        check_references(ctx, BIN_TRANSFER_ROWS, line)
        _create_row(ctx, {**line, "bin_transfer_id": transfer["id"]})
    return transfer


def _update(ctx: Context, transfer: Record, changes: Record) -> Record:
    for name, allowed in _STAMPS.items():
        if name in changes:
            check_open_period(ctx, changes[name])
            if transfer["status"] not in allowed:
                raise unprocessable(f"{name} can not be edited in status {transfer['status']}")
    lines = ctx.children("bin_transfer_rows", "bin_transfer_id", transfer["id"])
    named = any(line[name] is not None for line in lines for name in _BINS)
    if "location_id" in changes and (named or transfer["status"] != "CREATED"):
        raise unprocessable("location_id can only be edited in status CREATED while no bin is named")
    return changes


def _set_status(ctx: Context, collection: Collection, call: Call) -> Reply:
    body = checked("PATCH /bin_transfers/{id}/status", call.body())
    transfer = path_record(ctx, collection, call)
    if body["status"] != transfer["status"]:
        check_open_period(ctx, ctx.now)
        stamps = {
            name: (transfer[name] or ctx.now) if body["status"] in allowed else None
            for name, allowed in _STAMPS.items()
        }
        ctx.change("bin_transfers", transfer["id"], {**body, **stamps})
    return Reply(200, render_key(ctx, "bin_transfers", transfer["id"], "patch") or b"{}")


def _create_row(ctx: Context, body: Record) -> Record:
    transfer = ctx.get("bin_transfers", body["bin_transfer_id"]) or {}
    if transfer["status"] == "DONE":
        raise unprocessable("rows can not be added to a bin transfer with status DONE")
    fields = build(BIN_TRANSFER_ROWS, body)
    _check_row(ctx, transfer, fields)
    return ctx.insert("bin_transfer_rows", {**fields, "location_id": transfer["location_id"]})


def _check_row(ctx: Context, transfer: Record, row: Record) -> None:
    quantity = as_decimal(row["quantity"])
    if quantity <= 0:
        raise unprocessable("quantity must be greater than 0")
    for name in _BINS:
        place = ctx.get("bin_locations", row.get(name))
        if place is not None and place["location_id"] != transfer["location_id"]:
            raise unprocessable("bin location is of another location")
    trace = rows(row, "traceability")
    check_unit_count(traced_units(ctx, row["variant_id"], trace), quantity, exact=False)
    if sum(as_decimal(part.get("quantity", 1)) for part in trace) > quantity:
        raise unprocessable("traced quantity exceeds the quantity of the row")


def _update_row(ctx: Context, row: Record, changes: Record) -> Record:
    transfer = ctx.get("bin_transfers", row["bin_transfer_id"]) or {}
    if transfer["status"] == "DONE" and set(changes) - {"traceability"}:
        raise unprocessable("rows of a bin transfer with status DONE can not be edited")
    _check_row(ctx, transfer, {**row, **changes})
    return changes


def _trace(value: object) -> object:
    entries = cast("list[Record]", value or [])
    names = ("batch_id", "serial_number_id")
    return [{**{n: part.get(n) for n in names}, "quantity": shortest(part.get("quantity", 1))} for part in entries]


def _quantity(value: object) -> object:
    return fixed(value, 5)


BIN_TRANSFERS = Collection(
    name="bin_transfers",
    fields=plain_fields("bin_transfer_number location_id status created_date departed_at arrived_at additional_info"),
    ranges=Ranges(),
    references={"location_id": "locations"},
    children=(("bin_transfer_rows", "bin_transfer_id"),),
    embeds=(Embed("bin_transfer_rows", "bin_transfer_rows", "bin_transfer_id"),),
    on_create=_create,
    on_update=_update,
    routes=(Route("PATCH", "/bin_transfers/{id}/status", _set_status),),
)
BIN_TRANSFER_ROWS = Collection(
    name="bin_transfer_rows",
    fields=(
        *plain_fields("bin_transfer_id location_id variant_id"),
        Field("quantity", store=_quantity),
        *(Field(name) for name in _BINS),
        Field("traceability", (), _trace),
        *plain_fields("created_date departed_at arrived_at"),
    ),
    ranges=Ranges(),
    foreign_keys=("bin_transfer_id",),
    references={"bin_transfer_id": "bin_transfers", "variant_id": "variants", **_BINS},
    on_create=_create_row,
    on_update=_update_row,
)
