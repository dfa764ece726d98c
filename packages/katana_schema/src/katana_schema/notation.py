"""The notation of facts: a kind in one line of text, or JSON Schema where the notation has no word. Pure.

text  int  number  bool  moment  date  uuid  object  any  null     what a value is
id                                                                 int 1..2147483647
Name                                                               a schema of that name
[KIND]                                                             a list
KIND?                                                              or null
KIND LOW..HIGH                 range of a number, length of a text or list; >LOW.. leaves LOW out
KIND in A B C                  one of these
KIND like REGEX                text of this form
{"fields": {"name*": KIND}, "of": [Name], "closed": true}
                               an object; * is required, `of` names schemas whose fields it has too, and a closed
                               one has no others
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

type Fact = str | bool | int | float | list["Fact"] | dict[str, "Fact"]
type JsonSchema = dict[str, object]

MAX_ID = 2_147_483_647
REQUIRED = "*"
SCHEMAS = "#/components/schemas/"
KINDS: dict[str, JsonSchema] = {
    "any": {},
    "bool": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "decimal": {"type": "string", "format": "decimal"},
    "email": {"type": "string", "format": "email"},
    "id": {"type": "integer", "minimum": 1, "maximum": MAX_ID},
    "int": {"type": "integer"},
    "moment": {"type": "string", "format": "date-time"},
    "null": {"type": "null"},
    "number": {"type": "number"},
    "object": {"type": "object"},
    "text": {"type": "string"},
    "uri": {"type": "string", "format": "uri"},
    "uuid": {"type": "string", "format": "uuid"},
}
"""Each kind as JSON Schema."""
LIMITS = {"array": ("minItems", "maxItems"), "string": ("minLength", "maxLength")}
NUMBERS = ("minimum", "maximum")
ONE = ("items", "not", "if", "then", "else", "propertyNames")
SEVERAL = ("anyOf", "oneOf", "allOf")
OBJECT = {"fields", "of", "closed", "required"}
_LINE = re.compile(
    r"(?:\[(?P<items>.*)\]|(?P<kind>\w+))(?P<null>\?)?(?: (?P<low>[^ ]*)\.\.(?P<high>[^ ]*))?"
    r"(?: in (?P<enum>[^/]*)| like (?P<pattern>.*))?(?P<unique> unique)?"
)


def expand(fact: Fact) -> JsonSchema:
    """Return a fact as JSON Schema, other schemas as references into an OpenAPI document.

    Raises:
        ValueError: The notation has no such form.
    """
    if isinstance(fact, str):
        return _line(fact)
    if not isinstance(fact, dict):
        message = f"no form of a fact: {fact!r}"
        raise ValueError(message)
    return _object(fact) if {"fields", "of"} & fact.keys() else _keywords(fact)


def named(fact: Fact) -> set[str]:
    """Return the names of the schemas that a fact mentions."""
    return set(_references(expand(fact)))


def plain_name(field: str) -> tuple[str, bool]:
    """Return the name of a field, and whether it is required."""
    return field.removesuffix(REQUIRED), field.endswith(REQUIRED)


def _line(text: str) -> JsonSchema:
    found = _LINE.fullmatch(text)
    if found is None:
        message = f"no form of a fact: {text!r}"
        raise ValueError(message)
    kind = found["kind"]
    if kind is not None and kind not in KINDS:
        reference: JsonSchema = {"$ref": SCHEMAS + kind}
        return {"anyOf": [reference, {"type": "null"}]} if found["null"] else reference
    schema: JsonSchema = {"type": "array", "items": expand(found["items"])} if kind is None else dict(KINDS[kind])
    schema |= _limits(str(schema.get("type", "")), found["low"], found["high"])
    schema |= {} if found["pattern"] is None else {"pattern": found["pattern"]}
    schema |= {"uniqueItems": True} if found["unique"] else {}
    if found["enum"] is not None:
        numeric = schema["type"] in {"integer", "number"}
        schema["enum"] = [int(part) if numeric else part for part in found["enum"].split()]
    return _or_null(schema) if found["null"] else schema


def _or_null(schema: JsonSchema) -> JsonSchema:
    choices = {"enum": [*cast("list[object]", schema["enum"]), None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **choices}


def _limits(kind: str, low: str | None, high: str | None) -> JsonSchema:
    least, most = LIMITS.get(kind, NUMBERS)
    if low and low.startswith(">"):
        least, low = "exclusiveMinimum", low[1:]
    found = {least: low, most: high}
    return {name: float(text) if {"e", "."} & set(text) else int(text) for name, text in found.items() if text}


def _object(fact: Mapping[str, Fact]) -> JsonSchema:
    fields = cast("dict[str, Fact]", fact.get("fields", {}))
    starred = [name for name, needed in map(plain_name, fields) if needed]
    required = [*starred, *cast("list[str]", fact.get("required", []))]
    schema: JsonSchema = {"type": "object"}
    schema |= {"properties": {plain_name(each)[0]: expand(kind) for each, kind in fields.items()}} if fields else {}
    schema |= {"required": required} if required else {}
    schema |= {"additionalProperties": False} if fact.get("closed") else {}
    schema |= _keywords({name: each for name, each in fact.items() if name not in OBJECT})
    bases = [{"$ref": f"{SCHEMAS}{each}"} for each in cast("list[str]", fact.get("of", []))]
    if not bases:
        return schema
    rest = cast("list[JsonSchema]", schema.pop("allOf", []))
    return {"allOf": [*bases, *rest, *([schema] if len(schema) > 1 else [])]}


def _keywords(fact: Mapping[str, Fact]) -> JsonSchema:
    schema: JsonSchema = {}
    for name, value in fact.items():
        if name == "others":
            schema["additionalProperties"] = expand(value)
        elif name in ONE:
            schema[name] = expand(value)
        elif name in SEVERAL:
            schema[name] = [expand(each) for each in cast("list[Fact]", value)]
        else:
            schema[name] = value
    return schema


def _references(value: object) -> Iterable[str]:
    if isinstance(value, dict):
        for name, each in cast("dict[str, object]", value).items():
            if name == "$ref":
                yield str(each).removeprefix(SCHEMAS)
            else:
                yield from _references(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _references(each)
