"""Custom fields of records: which keys a body may have, what a write leaves, and the two forms that items have."""

import re
from typing import Literal, cast

from katana_sandbox.descriptor import Collection, Context
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import INVALID_BODY, Refused, unprocessable

type Form = Literal["legacy", "object"]
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NOT_OBJECT = "The object custom fields format is not available for this account"
_NOT_LEGACY = "The legacy custom fields format is not available for this account"


def has_two_forms(ctx: Context) -> bool:
    """Whether items may have to be shown in another form than they are stored in."""
    return ctx.fields_format != "" or ctx.switches.word("item_custom_fields") != "legacy"


def item_form(ctx: Context) -> Form:
    """The form of items' custom fields, in request and reply.

    Raises:
        Refused: 422 when the header asks for a form that the account lacks.
    """
    account = ctx.switches.word("item_custom_fields")
    if ctx.fields_format == "default" and account == "legacy":
        raise unprocessable(_NOT_OBJECT)
    if ctx.fields_format == "legacy" and account == "object":
        raise unprocessable(_NOT_LEGACY)
    return "object" if account == "object" or ctx.fields_format == "default" else "legacy"


def check_custom_fields(ctx: Context, collection: Collection, body: Record) -> None:
    """Refuse keys that no definition for these records has, all of them where the account has none, and other forms."""
    if collection.item_fields:
        _check_form(ctx, body)
    fields = body.get("custom_fields")
    if not isinstance(fields, dict):
        return
    flag = ctx.switches.word("custom_field_flag")
    if flag != "on":
        raise Refused(int(flag), "custom fields are not enabled")
    for key in cast("Record", fields):
        if _definition(ctx, collection.custom_fields, key) is None:
            raise unprocessable("Unknown custom field identifier")


def written_custom_fields(ctx: Context, collection: Collection, held: object, given: object) -> object:
    """What a PATCH leaves: objects join those held, where null takes one away, or replace them; arrays replace."""
    if not isinstance(given, dict):
        return given
    before = {} if collection.custom_fields_replaced else as_object(ctx, held)
    merged: Record = {**before, **cast("Record", given)}
    return {key: value for key, value in merged.items() if value is not None} or None


def copied_custom_fields(ctx: Context, target: str, variant_id: object, given: object) -> object:
    """What a new row or order has: the values of its variant that appear there, and those given."""
    variant = ctx.get("variants", variant_id) or {}
    held = variant.get("custom_fields")
    values: Record = cast("Record", held) if isinstance(held, dict) else {}
    copied = {key: value for key, value in values.items() if target in _targets(ctx, key)}
    return {**copied, **cast("Record", given or {})} or None


def shaped(ctx: Context, record: Record) -> Record:
    """An item or a variant in the form that is asked for; items say nothing of collections in the object form."""
    form = item_form(ctx)
    if form == "object":
        record.pop("custom_field_collection_id", None)
    if "custom_fields" in record:
        held = record["custom_fields"]
        record["custom_fields"] = as_object(ctx, held) if form == "object" else _as_list(ctx, held)
    return record


def as_object(ctx: Context, held: object) -> Record:
    """Values by definition; of the older form those whose name is a label."""
    if isinstance(held, dict):
        return cast("Record", held)
    found: Record = {}
    for entry in cast("list[Record]", held or []):
        for definition in ctx.children("custom_field_definitions", "label", entry["field_name"]):
            found[definition["id"]] = entry["field_value"]
    return found


def _as_list(ctx: Context, held: object) -> object:
    if not isinstance(held, dict):
        return held
    named = ((_definition(ctx, (), key), value) for key, value in cast("Record", held).items())
    return [{"field_name": one["label"], "field_value": str(value)} for one, value in named if one is not None]


def _check_form(ctx: Context, body: Record) -> None:
    form, fields = item_form(ctx), body.get("custom_fields")
    for key in cast("Record", fields) if isinstance(fields, dict) else ():
        if not _UUID.fullmatch(key):
            info = {"additionalProperty": key}
            detail = {"path": "/custom_fields", "code": "additionalProperties", "info": info}
            message = {"message": "must NOT have additional properties"}
            raise Refused(422, INVALID_BODY, code="VALIDATION_FAILED", details=[detail | message])
    if form == "legacy" and isinstance(fields, dict):
        raise unprocessable(_NOT_OBJECT)
    if form == "object" and (isinstance(fields, list) or body.get("custom_field_collection_id") is not None):
        raise unprocessable(_NOT_LEGACY)


def _definition(ctx: Context, kinds: tuple[str, ...], key: str) -> Record | None:
    found = ctx.get("custom_field_definitions", key)
    if found is None or not kinds or found["entity_type"] in kinds:
        return found
    return found if set(kinds) & set(_targets(ctx, key)) else None


def _targets(ctx: Context, key: str) -> list[str]:
    options = cast("Record", (ctx.get("custom_field_definitions", key) or {}).get("options") or {})
    return cast("list[str]", options.get("appearsOn") or [])
