"""Schemas of answers: on the wire the keys that a client parses, in the reference what each of them means."""

from collections.abc import Iterator
from functools import cache
from typing import cast

from fastmcp.utilities.json_schema import compress_schema
from pydantic import BaseModel

from katana_mcp.resources.help import ReferredTool
from katana_mcp.server.kept_tools import KeptTool
from katana_mcp.server.mcp.schemas import Schema, input_schema, without_null, without_references
from katana_mcp.surface.descriptor import AnyTool, ListedTool
from katana_mcp.tools.answers import Envelope


@cache
def answer_schema(model: type[BaseModel]) -> Schema:
    """Return the whole schema of an answer model: no `$ref`, no titles, no null branches."""
    schema = model.model_json_schema(by_alias=True, mode="serialization")
    return cast("Schema", without_null(compress_schema(without_references(schema), prune_titles=True)))


@cache
def output_schema(model: type[BaseModel]) -> Schema:
    """Return the keys of an answer: those of the envelope, of a document, and of the rows of a list.

    A key says whether it holds a list or an object, those of the envelope excepted; what it means, and of what a row of
    a row consists, stands in the reference. It costs each session, and no client needs more to parse an answer.
    """
    whole = answer_schema(model)
    named = {
        name: {} if name in _SHARED else _keys(schema, in_row=False) for name, schema in whole["properties"].items()
    }
    return {"type": "object", "properties": named}


_SHARED = (*Envelope.model_fields, "empty")
"""Keys that many answers have: what they hold is told once, in the help."""


def _keys(schema: Schema, *, in_row: bool) -> Schema:
    kind, named = schema.get("type"), cast("Schema", schema.get("properties", {}))
    if kind == "array":
        entry = cast("Schema", schema.get("items", {}))
        return {"type": kind} if in_row or "properties" not in entry else {"type": kind, "items": _row(entry)}
    if kind == "object":
        return {"type": kind} if in_row or not named else {"type": kind, "properties": _named(named, in_row=False)}
    return {}


def _row(schema: Schema) -> Schema:
    return {"type": "object", "properties": _named(cast("Schema", schema["properties"]), in_row=True)}


def _named(properties: Schema, *, in_row: bool) -> Schema:
    return {name: _keys(schema, in_row=in_row) for name, schema in properties.items()}


def schemas_of(tool: ListedTool) -> tuple[Schema, Schema]:
    """Return the schemas of a tool's arguments and answers: those that are kept, or made where it is none of ours."""
    return (tool.arguments, tool.output) if isinstance(tool, KeptTool) else schemas_made(tool.spec())


def schemas_made(spec: AnyTool) -> tuple[Schema, Schema]:
    """Return the schemas of a tool's arguments and answers as its models say."""
    return input_schema(spec.request), output_schema(spec.answer)


def referred(tool: ListedTool) -> ReferredTool:
    """Return what the reference says of a tool."""
    spec = tool.spec()
    return ReferredTool(tool.name, tool.description, input_schema(spec.request), meanings(spec.answer))


def meanings(model: type[BaseModel]) -> list[tuple[str, str]]:
    """Return each key of an answer that is explained, with its path and its meaning; not those that many have."""
    properties = cast("Schema", answer_schema(model)["properties"])
    own = {name: schema for name, schema in properties.items() if name not in _SHARED}
    return list(_meanings({"properties": own}, ""))


def _meanings(schema: Schema, path: str) -> Iterator[tuple[str, str]]:
    for name, part in cast("dict[str, Schema]", schema.get("properties", {})).items():
        place = f"{path}.{name}" if path else name
        if "description" in part:
            yield place, " ".join(str(part["description"]).split())
        yield from _meanings(part, place)
        yield from _meanings(cast("Schema", part.get("items", {})), f"{place}[]")
