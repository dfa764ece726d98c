"""The query parameters that a list takes: those of the facts, and a collection's own in their place."""

from dataclasses import replace
from functools import cache
from typing import cast

from katana_sandbox.descriptor import Collection, Filter, FilterKind, Ranges
from katana_schema.notation import SCHEMAS, JsonSchema, expand, plain_name
from katana_schema.reading import read_facts

_STAMPS = {f"{stamp}_{end}" for stamp in ("created_at", "updated_at") for end in ("min", "max")}
_SHARED = {"limit", "page", "ids", "extend", "include_deleted", "include_archived", *_STAMPS}
_KINDS: dict[object, FilterKind] = {"integer": "int", "number": "num", "boolean": "bool"}
_TRUTH = ("true", "false")


def filters_of(collection: Collection) -> tuple[Filter, ...]:
    """The filters of a collection's list."""
    own = {item.name: item for item in collection.filters}
    return tuple(item for item in ({**_filters(_listing(collection)), **own}).values() if item.kind != "ignored")


def ranges_of(collection: Collection) -> Ranges:
    """Which of the shared parameters a collection's list takes."""
    if collection.ranges is not None:
        return collection.ranges
    names = _query(_listing(collection))
    return Ranges(
        dates="created_at_min" in names,
        ids="ids" in names,
        deleted="include_deleted" in names,
        archived="include_archived" in names,
    )


def _listing(collection: Collection) -> str:
    return collection.listing or f"GET {collection.path}"


@cache
def _query(operation: str) -> dict[str, JsonSchema]:
    operation_facts = read_facts().operations.get(operation)
    if operation_facts is None or "query" not in operation_facts.parameters:
        return {}
    given = operation_facts.parameters["query"]
    return {plain_name(name)[0]: expand(fact) for name, fact in given.items()}


@cache
def _filters(operation: str) -> dict[str, Filter]:
    return {name: _filter(name, schema) for name, schema in _query(operation).items() if name not in _SHARED}


def _filter(name: str, schema: JsonSchema) -> Filter:
    """A range's end compares the field without it, `ids` the field of one id; an id is a whole number."""
    stem, _, end = name.rpartition("_")
    if end in {"min", "max"}:
        return Filter(name, "moment_min" if end == "min" else "moment_max", stem)
    if "items" in schema:
        one = _filter(name, cast("JsonSchema", schema["items"]))
        return replace(one, field=f"{stem}_id" if end == "ids" else "", many=True)
    if "$ref" in schema:
        schema = expand(read_facts().schemas[str(schema["$ref"]).removeprefix(SCHEMAS)])
    kind = _KINDS.get(schema.get("type"), "str")
    values = tuple(cast("list[str]", schema.get("enum", []))) if kind == "str" else ()
    if set(values) == set(_TRUTH):
        return Filter(name, "bool")
    return Filter(name, "int" if kind == "num" and end == "id" else kind, values=values)
