"""Definitions of custom fields: what orders, rows and items may carry besides their own fields."""

from typing import cast

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Filter, Route, plain_fields
from katana_sandbox.operations.create import build
from katana_sandbox.wire.encoding import Record, encode, rows
from katana_sandbox.wire.errors import unprocessable

_TYPES = ("shortText", "number", "singleSelect", "date", "boolean", "url")
_VARIANTS = ("ProductVariant", "MaterialVariant", "ServiceVariant")
_ENTITIES = (
    "SalesOrder",
    "SalesOrderRow",
    *_VARIANTS,
    "PurchaseOrder",
    "PurchaseOrderRow",
    "OutsourcedPurchaseOrder",
    "OutsourcedPurchaseOrderRow",
    "ProductionOperation",
    "RecipeBom",
    "Supplier",
    "Customer",
)
_TARGETS = ("SalesOrderRow", "PurchaseOrderRow", "OutsourcedPurchaseOrderRow", "ManufacturingOrder")
_MOST = 50


def _create(ctx: Context, body: Record) -> Record:
    if len(ctx.db.stores["custom_field_definitions"].visible) >= _MOST:
        raise unprocessable("no more than 50 custom field definitions are allowed")
    fields = build(CUSTOM_FIELD_DEFINITIONS, body)
    fields["options"] = _options({**fields, "options": None}, fields["options"])
    return ctx.insert("custom_field_definitions", fields)


def _update(_ctx: Context, definition: Record, changes: Record) -> Record:
    if "options" in changes:
        changes["options"] = _options(definition, changes["options"])
    return changes


def _options(definition: Record, given: object) -> Record | None:
    """The options after a write: keys left out are kept, null clears them all."""
    held = cast("Record", definition.get("options") or {})
    if not (given is None or isinstance(given, dict)):
        raise unprocessable("options has to be an object")
    after = None if given is None else {**held, **cast("Record", given)}
    if after is not None and "choices" in after:
        if not _are_objects(after["choices"]):
            raise unprocessable("choices have to be objects")
        after["choices"] = _numbered(rows(after, "choices"), rows(held, "choices"))
    if definition["field_type"] == "singleSelect" and not (after or {}).get("choices"):
        raise unprocessable("singleSelect needs choices")
    _check_targets(definition, cast("list[object]", (after or {}).get("appearsOn") or []))
    return after


def _are_objects(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(one, dict) for one in cast("list[object]", given))


def _numbered(choices: list[Record], held: list[Record]) -> list[Record]:
    ids = [int(one["id"]) for one in held]
    if not {one["id"] for one in choices if "id" in one} <= set(ids):
        raise unprocessable("choice not found")
    following = max(ids, default=0)
    numbered: list[Record] = []
    for one in choices:
        following += "id" not in one
        numbered.append({"id": following, **one})
    return numbered


def _check_targets(definition: Record, targets: list[object]) -> None:
    entity = definition["entity_type"]
    allowed = _TARGETS if entity in _VARIANTS else _TARGETS[3:] if entity == "ProductionOperation" else ()
    if len(set(targets)) != len(targets) or not set(targets) <= set(allowed):
        raise unprocessable(f"appearsOn of a {entity} can not be {', '.join(map(str, targets))}")


def _collections(_ctx: Context, _collection: Collection, _call: Call) -> Reply:
    """The account has no collections of the older form."""
    return Reply(200, encode({"data": []}))


CUSTOM_FIELD_DEFINITIONS = Collection(
    name="custom_field_definitions",
    fields=plain_fields("label field_type entity_type source description options"),
    filters=(
        Filter("field_type", values=_TYPES),
        Filter("entity_type", values=_ENTITIES),
    ),
    key="uuid",
    foreign_keys=("label",),
    on_create=_create,
    on_update=_update,
    routes=(Route("GET", "/custom_fields_collections", _collections),),
)
