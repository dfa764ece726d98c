"""Schemas of arguments as hosts get them: flat, closed, described, and without what only costs tokens."""

from functools import cache
from typing import Any, cast

from fastmcp.utilities.json_schema import compress_schema
from pydantic import BaseModel

from katana_mcp.tools.requests import MAX_AMOUNT, MAX_ID, MAX_PAGE, RANGES

type Schema = dict[str, Any]


@cache
def input_schema(model: type[BaseModel]) -> Schema:
    """Return the request model's schema: no `$ref`, no titles, no null branches, no `default: null`.

    A default of null would be sent back by some hosts, and null means "clear", never "leave alone". Limits that no
    honest value comes near are checked without being told. That a key must be known is told of the arguments, and
    checked at every depth.
    """
    schema = compress_schema(without_references(model.model_json_schema(by_alias=True)), prune_titles=True)
    schema.pop("description", None)
    plain = cast("Schema", _short(without_null(schema)))
    plain["additionalProperties"] = False
    _describe_windows_once(plain.setdefault("properties", {}))
    for entries in (argument["items"] for argument in plain["properties"].values() if "items" in argument):
        entries.pop("description", None)  # a list is described, and with it what it holds
    return plain


def without_references(schema: Schema) -> Schema:
    """Return a model's schema with each definition in the place of its `$ref`; what stands beside a `$ref` wins.

    FastMCP's own function costs 0.25 s of each start: it imports an HTTP client. A definition that holds itself is
    refused with RecursionError.
    """
    definitions = cast("Schema", schema.get("$defs", {}))

    def inlined(node: object) -> object:
        if isinstance(node, list):
            return [inlined(item) for item in cast("list[object]", node)]
        if not isinstance(node, dict):
            return node
        plain = {key: inlined(value) for key, value in cast("Schema", node).items() if key not in {"$defs", "$ref"}}
        name = cast("Schema", node).get("$ref")
        return plain if name is None else cast("Schema", inlined(definitions[name.removeprefix("#/$defs/")])) | plain

    return cast("Schema", inlined(schema))


def without_null(node: object) -> object:
    """Return a schema without `default: null` and without branches that are null."""
    if isinstance(node, list):
        return [without_null(item) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    plain = {key: without_null(value) for key, value in cast("Schema", node).items()}
    if plain.get("default", 0) is None:
        plain.pop("default")
    return _merged(plain)


def _describe_windows_once(properties: Schema) -> None:
    """Drop the description of a window's end where it is that of its beginning."""
    for name, schema in properties.items():
        begins = next((f"{name.removesuffix(end)}{begin}" for begin, end, _ in RANGES if name.endswith(end)), "")
        if schema.get("description") == properties.get(begins, {}).get("description", ...):
            schema.pop("description")


_UNTOLD = (MAX_ID, MAX_PAGE, MAX_AMOUNT)


def _short(node: object) -> object:
    """Drop limits that need not be told, and write `anyOf` of plain types as one list of types."""
    if isinstance(node, list):
        return [_short(item) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    schema = {key: _short(value) for key, value in cast("Schema", node).items()}
    if schema.get("maximum") in _UNTOLD:
        schema = {key: value for key, value in schema.items() if key not in {"minimum", "maximum"}}
    if _VALUES & cast("Schema", schema.get("items", {})).keys() or cast("int", schema.get("maxItems", 0)) >= _MANY:
        schema.pop("maxItems", None)  # as many as there are values, or more than people name
    if "examples" in schema:
        schema.pop("maxLength", None)  # a word of Katana's
    return _with_types({key: value for key, value in schema.items() if (key, value) not in _NEED_NOT_BE_TOLD})


_VALUES = {"enum", "examples"}
_MANY = 50
_NEED_NOT_BE_TOLD = (
    ("minItems", 1),
    ("minLength", 1),
    ("maxLength", 255),
    ("maxLength", 256),
    ("default", False),
    ("additionalProperties", False),
)


def _with_types(schema: Schema) -> Schema:
    """Write `anyOf` of a number and a text, an id or a name, as one list of types."""
    branches = cast("list[Schema]", schema.get("anyOf", []))
    kinds = [branch.get("type") for branch in branches]
    if sorted(map(str, kinds)) != ["integer", "string"] or any(set(branch) - _LIMITS for branch in branches):
        return schema
    return {"type": kinds, **{key: value for key, value in schema.items() if key != "anyOf"}}


_LIMITS = {"type", "minimum", "maximum", "minLength", "maxLength"}


def _merged(node: Schema) -> Schema:
    """Drop the null branch of a union, and the union when one branch is left."""
    branches = node.get("anyOf")
    if not isinstance(branches, list):
        return node
    left = [branch for branch in cast("list[Schema]", branches) if branch != {"type": "null"}]
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    return {**left[0], **rest} if len(left) == 1 else {**rest, "anyOf": left}
