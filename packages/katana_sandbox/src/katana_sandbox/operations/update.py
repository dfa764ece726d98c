"""PATCH of one record: fields left out keep their value, additional_info excepted."""

from katana_sandbox.calls import Call, Reply
from katana_sandbox.custom_fields import check_custom_fields, written_custom_fields
from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.operations.create import check_references, checked, stored
from katana_sandbox.operations.query import path_record
from katana_sandbox.operations.unique import check_unique
from katana_sandbox.render import render_key
from katana_sandbox.wire.encoding import Record, decode_record, encode
from katana_sandbox.wire.errors import Refused, unprocessable

NOTHING_TO_DO = "At least 1 field is required"


def run(ctx: Context, collection: Collection, call: Call) -> Reply:
    """Change and answer with the record. The body is checked before the id."""
    body = checked(collection.update or f"PATCH {collection.path}/{{id}}", call.body())
    if not body:
        raise unprocessable(NOTHING_TO_DO)
    record = _record(ctx, collection, call, body)
    check_references(ctx, collection, body)
    check_unique(ctx, collection, body, record["id"])
    check_custom_fields(ctx, collection, body)
    changes = stored(collection, body)
    if "custom_fields" in changes and collection.custom_fields:
        held = record.get("custom_fields")
        changes["custom_fields"] = written_custom_fields(ctx, collection, held, changes["custom_fields"])
    if collection.on_update is not None:
        changes = collection.on_update(ctx, record, changes)
    ctx.change(collection.name, record["id"], {**_wiped(ctx, collection, body), **changes})
    return Reply(200, _echo(collection, body, render_key(ctx, collection.name, record["id"], "patch") or b"{}"))


def _echo(collection: Collection, body: Record, raw: bytes) -> bytes:
    left_out: Record = {name: [] for name in collection.unechoed if name not in body}
    return encode({**decode_record(raw), **left_out}) if left_out else raw


def _record(ctx: Context, collection: Collection, call: Call, body: Record) -> Record:
    try:
        return path_record(ctx, collection, call)
    except Refused:
        if collection.on_missing is None:
            raise
        raise collection.on_missing(ctx, body) from None


def _wiped(ctx: Context, collection: Collection, body: Record) -> Record:
    if collection.wipes and ctx.switches.on(collection.wipes) and "additional_info" not in body:
        return {"additional_info": ""}
    return {}
