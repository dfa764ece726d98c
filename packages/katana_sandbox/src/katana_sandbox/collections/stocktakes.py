"""Stocktakes: the stock is noted when counting begins, and what differs becomes one adjustment when it ends.

Katana works on a change of status after it has answered: the listing shows that once, and nothing else is taken
meanwhile.
"""

from contextlib import suppress
from decimal import Decimal
from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.collections.stock_adjustments import STOCK_ADJUSTMENTS
from katana_sandbox.descriptor import Collection, Context, Filter, Route, View, plain_fields
from katana_sandbox.operations import list as listing
from katana_sandbox.operations import update
from katana_sandbox.operations.create import build, check_references, checked, create
from katana_sandbox.render import embedded, render_key
from katana_sandbox.rules.items import is_tracked
from katana_sandbox.rules.traced import traced_parts
from katana_sandbox.store.keys import Key
from katana_sandbox.wire.encoding import Record, array, decode_record, rows
from katana_sandbox.wire.errors import Refused, unprocessable
from katana_sandbox.wire.numbers import as_decimal, number
from katana_sandbox.wire.times import epoch_ms, parse_moment

_WORKED_ON = 10_000
"""Milliseconds after which a change of status is done that nobody has asked for."""
_UNDER_WAY = "status_update_in_progress"
_COUNTED = ("variant_id", "batch_id", "bin_location_id")
"""What a row counts: a stocktake has no two of the same."""


def _create(ctx: Context, body: Record) -> Record:
    fields = build(STOCKTAKES, body)
    fields["status"] = "NOT_STARTED"
    fields["stocktake_created_date"] = body.get("created_date") or ctx.now
    fields[_UNDER_WAY] = False
    fields["set_remaining_items_as_counted"] = bool(body.get("set_remaining_items_as_counted"))
    stocktake = ctx.insert("stocktakes", fields)
    _add_rows(ctx, stocktake, body)
    return stocktake


def _add_rows(ctx: Context, stocktake: Record, body: Record) -> list[Record]:
    return [
        _write_row(ctx, stocktake, {**build(STOCKTAKE_ROWS, line), "stocktake_id": stocktake["id"]})
        for line in cast("list[Record]", body.get("stocktake_rows") or [])
    ]


def _write_row(ctx: Context, stocktake: Record, row: Record) -> Record:
    _check_row(ctx, stocktake, row)
    if stocktake["status"] != "NOT_STARTED":
        row["in_stock_quantity"] = _in_stock(ctx, stocktake, row)
    return ctx.insert("stocktake_rows", {**row, **_discrepancy(row)})


def _check_row(ctx: Context, stocktake: Record, row: Record) -> None:
    _check_idle(stocktake)
    if stocktake["status"] == "COMPLETED":
        raise unprocessable("stocktake with status COMPLETED can not be changed")
    check_references(ctx, STOCKTAKE_ROWS, row)
    if row["batch_id"] is None and is_tracked(ctx, row["variant_id"], ("batch_tracked",)):
        raise unprocessable("batch_id is required for a batch tracked variant")
    for other in ctx.children("stocktake_rows", "stocktake_id", stocktake["id"]):
        same = all(other[name] == row[name] for name in _COUNTED)
        if same and other["id"] != row.get("id"):
            raise unprocessable("variant and batch must be unique in a stocktake")


def _check_idle(stocktake: Record) -> None:
    if stocktake.get(_UNDER_WAY):
        raise unprocessable("stocktake status is being updated")


def _in_stock(ctx: Context, stocktake: Record, row: Record) -> int | float:
    pair = row["variant_id"], stocktake["location_id"]
    if row["batch_id"] is None:
        return number(ctx.db.levels.get(*pair).in_stock)
    parts = [part for part in traced_parts(ctx) if part[:3] == (*pair, row["batch_id"])]
    return number(sum((part.quantity for part in parts), Decimal(0)))


def _discrepancy(row: Record) -> Record:
    counted, held = row.get("counted_quantity"), row.get("in_stock_quantity")
    comparable = counted is not None and held is not None
    return {"discrepancy_quantity": number(as_decimal(counted) - as_decimal(held)) if comparable else None}


def _update(ctx: Context, stocktake: Record, changes: Record) -> Record:
    stocktake = _worked_on(ctx, stocktake)
    _check_idle(stocktake)
    if stocktake["status"] == "COMPLETED" and {"status", "location_id", "completed_date"} & set(changes):
        raise unprocessable("stocktake with status COMPLETED can not be changed")
    if "location_id" in changes and stocktake["status"] != "NOT_STARTED":
        raise unprocessable("location_id can only be changed in status NOT_STARTED")
    if "created_date" in changes:
        changes["stocktake_created_date"] = changes.pop("created_date")
    status = changes.get("status", stocktake["status"])
    if status == stocktake["status"] or ctx.switches.count("stocktake_patch") == 200:
        return _moved(ctx, stocktake, changes)
    later = {name: changes.pop(name) for name in ("status", "completed_date") if name in changes}
    return {**changes, _UNDER_WAY: True, "later": later, "later_from": ctx.now}


def _moved(ctx: Context, stocktake: Record, changes: Record) -> Record:
    """What a change comes to, with what follows from its status."""
    status = changes.get("status", stocktake["status"])
    after = {**stocktake, **changes}
    if status != "NOT_STARTED" and stocktake["started_date"] is None:
        changes["started_date"] = ctx.now
        for row in ctx.children("stocktake_rows", "stocktake_id", stocktake["id"]):
            row["in_stock_quantity"] = _in_stock(ctx, after, row)
            ctx.change("stocktake_rows", row["id"], {**row, **_discrepancy(row)})
    if status == "COMPLETED":
        changes["completed_date"] = changes.get("completed_date") or ctx.now
        changes["stock_adjustment_id"] = _adjust(ctx, {**after, **changes})
    return changes


def _finish(ctx: Context, stocktake: Record) -> Record:
    """The stocktake once the status is what it was told to be."""
    ended: Record = {_UNDER_WAY: False, "later": None, "later_from": None}
    with suppress(Refused):  # nobody is there any more who could be told
        ended |= _moved(ctx, stocktake, dict(stocktake["later"]))
    return ctx.change("stocktakes", stocktake["id"], ended)


def _worked_on(ctx: Context, stocktake: Record) -> Record:
    """The stocktake, finished where that is due."""
    begun, now = parse_moment(stocktake.get("later_from") or ""), parse_moment(ctx.now)
    is_due = begun is not None and now is not None and epoch_ms(now) - epoch_ms(begun) >= _WORKED_ON
    return _finish(ctx, stocktake) if is_due else stocktake


def _list(ctx: Context, collection: Collection, call: Call) -> Reply:
    """A page; what it shows as under way is done by the next one."""
    reply = listing.run(ctx, collection, call)
    shown = (
        []
        if ctx.db.undo.is_past
        else [row["id"] for row in rows(decode_record(reply.body), "data") if row.get(_UNDER_WAY)]
    )
    for key in shown:
        stocktake = ctx.get("stocktakes", key)
        if stocktake is not None and stocktake.get("later"):
            _finish(ctx, stocktake)
    return reply


def _adjust(ctx: Context, stocktake: Record) -> Key | None:
    lines: list[Record] = []
    for row in ctx.children("stocktake_rows", "stocktake_id", stocktake["id"]):
        if row["counted_quantity"] is None and stocktake["set_remaining_items_as_counted"]:
            row["counted_quantity"] = 0
            ctx.change("stocktake_rows", row["id"], {**row, **_discrepancy(row)})
        difference = as_decimal(_discrepancy(row)["discrepancy_quantity"])
        if difference:
            place = {"batch_id": row["batch_id"], "bin_location_id": row["bin_location_id"]}
            trace = {"traceability": [{**place, "quantity": number(difference)}]} if any(place.values()) else {}
            lines.append({"variant_id": row["variant_id"], "quantity": number(difference), **trace})
    if not lines:
        return None
    header = {"location_id": stocktake["location_id"], "stock_adjustment_date": stocktake["completed_date"]}
    reason = stocktake["reason"] or f"Stocktake {stocktake['stocktake_number']}"
    body = {**header, "reason": reason, "stock_adjustment_rows": lines}
    return cast("Key", create(ctx, STOCK_ADJUSTMENTS, body)["id"])


def _patch(ctx: Context, collection: Collection, call: Call) -> Reply:
    """Katana works on it later, and answers without a body."""
    reply = update.run(ctx, collection, call)
    return reply if ctx.switches.count("stocktake_patch") == 200 else Reply(204)


def _post_rows(ctx: Context, _collection: Collection, call: Call) -> Reply:
    body = checked("POST /stocktake_rows", call.body())
    stocktake = ctx.get("stocktakes", body["stocktake_id"])
    if stocktake is None:
        raise Refused(422, "stocktake not found")
    made = _add_rows(ctx, _worked_on(ctx, stocktake), body)
    return Reply(200, array([render_key(ctx, "stocktake_rows", row["id"]) or b"{}" for row in made]))


def _update_row(ctx: Context, row: Record, changes: Record) -> Record:
    stocktake = _worked_on(ctx, ctx.get("stocktakes", row["stocktake_id"]) or {})
    after = {**row, **changes}
    _check_row(ctx, stocktake, after)
    if row["in_stock_quantity"] is not None and any(row[name] != after[name] for name in _COUNTED):
        after["in_stock_quantity"] = _in_stock(ctx, stocktake, after)
    return {**changes, "in_stock_quantity": after["in_stock_quantity"], **_discrepancy(after)}


def _parts(ctx: Context, key: Key, view: View) -> dict[str, bytes]:
    return {"stocktake_rows": embedded(ctx, "stocktake_rows", "stocktake_id", key)} if view == "reply" else {}


STOCKTAKES = Collection(
    name="stocktakes",
    fields=plain_fields(
        "stocktake_number location_id status stocktake_created_date started_date completed_date"
        " status_update_in_progress set_remaining_items_as_counted stock_adjustment_id reason additional_info"
        " later later_from"
    ),
    hidden=frozenset({"later", "later_from"}),
    filters=(Filter("stock_adjustment_id", "int"),),
    references={"location_id": "locations"},
    children=(("stocktake_rows", "stocktake_id"),),
    parts=_parts,
    on_create=_create,
    on_update=_update,
    routes=(Route("GET", "/stocktakes", _list), Route("PATCH", "/stocktakes/{id}", _patch)),
)
STOCKTAKE_ROWS = Collection(
    name="stocktake_rows",
    fields=plain_fields(
        "stocktake_id variant_id batch_id bin_location_id in_stock_quantity counted_quantity discrepancy_quantity notes"
    ),
    filters=(Filter("stock_adjustment_id", "ignored"),),
    foreign_keys=("stocktake_id",),
    references={"variant_id": "variants", "batch_id": "batches", "bin_location_id": "bin_locations"},
    on_update=_update_row,
    routes=(Route("POST", "/stocktake_rows", _post_rows),),
)
