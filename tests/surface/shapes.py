"""What is read off a JSON schema: its nodes, a value that fits, and values just outside each limit."""

from collections.abc import Iterator
from typing import Any

type Schema = dict[str, Any]

KEYED_BY_THE_ACCOUNT = {"custom_fields", "attributes", "config", "configs"}
"""Objects whose keys an account or a shop defines."""


def nodes(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield every subschema with the path of property names to it."""
    yield path, schema
    for name, subschema in schema.get("properties", {}).items():
        yield from nodes(subschema, f"{path}.{name}" if path else name)
    for branch in schema.get("anyOf", ()):
        yield from nodes(branch, path)
    if "items" in schema:
        yield from nodes(schema["items"], f"{path}[]")


def fitting(schema: Schema) -> object:
    """Return a value that the schema allows."""
    if isinstance(schema.get("type"), list):
        return fitting({**schema, "type": schema["type"][0]})
    if "anyOf" in schema:
        return fitting(schema["anyOf"][0])
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if schema["type"] == "array":
        return [fitting(schema["items"])] * schema.get("minItems", 1)
    if schema["type"] == "object":
        return {name: fitting(schema["properties"][name]) for name in schema.get("required", ())}
    plain = "x" * schema.get("minLength", 1)
    text = _FORMATS.get(schema.get("pattern", schema.get("format", "")), plain)
    return {"string": text, "integer": schema.get("minimum", 1), "number": 1.5, "boolean": True}[schema["type"]]


_FORMATS = {"^[A-Z]{3}$": "EUR", "date-time": "2026-01-01T00:00:00Z"}


def misfits(schema: Schema) -> Iterator[tuple[str, object]]:
    """Yield values just outside each limit that the schema states, with the limit's name."""
    for branch in schema.get("anyOf", ()):
        yield from misfits(branch)
    for name, value in _beyond(schema).items():
        if name in schema:
            yield name, value
    if "items" in schema:
        for name, value in misfits(schema["items"]):
            yield f"items.{name}", [value]


def _beyond(schema: Schema) -> dict[str, object]:
    items = [fitting(schema["items"])] if "items" in schema else []
    return {
        "minimum": schema.get("minimum", 0) - 1,
        "maximum": schema.get("maximum", 0) + 1,
        "minLength": "x" * (schema.get("minLength", 1) - 1),
        "maxLength": "x" * (schema.get("maxLength", 0) + 1),
        "minItems": items * (schema.get("minItems", 1) - 1),
        "maxItems": items * (schema.get("maxItems", 0) + 1),
        "pattern": "e",
        "enum": "no such value",
        "const": not schema.get("const"),
        "format": "the day after tomorrow",
    }
