"""The forms of bodies: what the facts say that an operation takes, and what the fact sheets know beyond them.

See `katana_schema.forms`. What the sandbox does not serve of a body is refused here: taking it without its effects
would be worse.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import cast

from katana_sandbox.wire.errors import not_found
from katana_sandbox.wire.schema import INT32, Kind, Schema
from katana_schema.forms import BODIES, CAMEL, REFUSED, read_sheet
from katana_schema.notation import SCHEMAS, JsonSchema, expand, plain_name
from katana_schema.reading import read_facts

type Sheet = Mapping[str, str | Sheet]
NOT_SERVED: Mapping[str, str] = dict.fromkeys(
    (
        "CreateManufacturingOrderRecipeRowRequest",
        "CreateManufacturingOrderRequest",
        "UpdateManufacturingOrderRecipeRowRequest",
        "UpdateManufacturingOrderRequest",
    ),
    "traceability",
)
_LOW = ("minimum", "minLength", "minItems", "exclusiveMinimum")
_HIGH = ("maximum", "maxLength", "maxItems")


@cache
def form(operation: str) -> Schema:
    """The form of an operation's body, as `form("POST /products")`.

    Raises:
        Refused: 404 when the facts know of no such body.
    """
    operation_facts = read_facts().operations.get(operation)
    own = cast("Mapping[str, str]", read_sheet()[BODIES]).get(operation)
    body = own if own is not None or operation_facts is None else operation_facts.body
    if body is None:
        raise not_found()
    return _schema(expand(body))


@cache
def _named(name: str) -> Schema:
    schema = _schema(expand(read_facts().schemas.get(name, {"type": "object"})))
    if name == CAMEL:
        return replace(schema, kind="string", moment=True, camel=True)
    sheet = read_sheet().get(name)
    formed = _laid_over(schema, cast("Sheet", sheet)) if sheet else schema
    return _without(formed, NOT_SERVED.get(name, ""))


def _schema(given: JsonSchema) -> Schema:
    if "$ref" in given:
        return _named(str(given["$ref"]).removeprefix(SCHEMAS))
    if "anyOf" in given:
        return _one_of([_schema(choice) for choice in cast("list[JsonSchema]", given["anyOf"])])
    if "allOf" in given:
        return _joined([_schema(part) for part in cast("list[JsonSchema]", given["allOf"])])
    kinds = given.get("type", "any")
    kind, *null = cast("list[str]", kinds) if isinstance(kinds, list) else [cast("str", kinds)]
    fields = cast("dict[str, JsonSchema]", given.get("properties", {}))
    choices = cast("list[str | None]", given.get("enum", []))
    return Schema(
        "decimal" if given.get("format") == "decimal" else cast("Kind", kind),
        nullable=bool(null),
        low=_limit(given, _LOW),
        high=_limit(given, _HIGH) or (INT32 if kind == "integer" else None),
        above="exclusiveMinimum" in given,
        values=tuple(choice for choice in choices if choice is not None),
        moment=given.get("format") == "date-time",
        items=_schema(cast("JsonSchema", given["items"])) if "items" in given else None,
        members={name: _schema(field) for name, field in fields.items()},
        required=tuple(cast("list[str]", given.get("required", []))),
        closed=bool(fields),
    )


def _limit(given: JsonSchema, names: tuple[str, ...]) -> float | None:
    return next((cast("float", given[name]) for name in names if name in given), None)


def _one_of(choices: list[Schema]) -> Schema:
    """An array or an object; or one thing, or null."""
    some = [choice for choice in choices if choice.kind != "null"]
    arrays = [choice for choice in some if choice.kind == "array"]
    objects = [choice for choice in some if choice.kind == "object"]
    if arrays and objects:
        return replace(arrays[0], other=objects[0])
    return replace(some[0] if len(some) == 1 else Schema("any"), nullable=len(some) < len(choices))


def _joined(parts: list[Schema]) -> Schema:
    members = {name: member for part in parts for name, member in part.members.items()}
    return Schema("object", members=members, required=tuple(name for part in parts for name in part.required))


def _laid_over(schema: Schema, sheet: Sheet) -> Schema:
    """The schema with the kinds of the sheet; a table there is about what the field of its name holds."""
    if schema.items is not None:
        return replace(schema, items=_laid_over(schema.items, sheet))
    members, required = dict(schema.members), set(schema.required)
    for kind, names in sheet.items():
        if kind == REFUSED:
            continue
        if not isinstance(names, str):
            members[kind] = _laid_over(members[kind], names)
            continue
        for name, needed in map(plain_name, names.split()):
            members[name] = _schema(expand(kind))
            required = required | {name} if needed else required - {name}
    whole = replace(schema, members=members, required=tuple(name for name in members if name in required), closed=True)
    return _without(whole, cast("str", sheet.get(REFUSED, "")))


def _without(schema: Schema, names: str) -> Schema:
    return replace(
        schema, members={name: member for name, member in schema.members.items() if name not in names.split()}
    )
