"""The way of a request to another server's tool and of its answer back, as an operator mapped them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from katana_mcp.gateway.model import Aggregate, Argument, CatalogError, Operation, Rule
from katana_mcp.gateway.schemas import ANYTHING, Json, explained
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, blocking

_MISSING = object()


def shown_input(schema: Json, arguments: Mapping[str, Argument], target: str) -> Json:
    """Return an input schema as overrides show it.

    Raises:
        CatalogError: an argument that the tool does not have, or a hidden one that it needs and that has no default.
    """
    if not arguments:
        return schema
    properties, required = dict(schema.get("properties", ANYTHING)), list(schema.get("required", ()))
    unknown = sorted(set(arguments) - set(properties))
    if unknown:
        raise CatalogError(f"tools.{target}.arguments: the tool has no {', '.join(unknown)}")
    shown: Json = {}
    for name, of_one in properties.items():
        override = arguments.get(name, Argument())
        if override.hide and name in required and not override.has_default:
            raise CatalogError(f"tools.{target}.arguments.{name}: it is needed, so hiding it takes a default")
        if (override.hide or override.has_default) and name in required:
            required.remove(name)
        if override.hide:
            continue
        if (override.name or name) in shown:
            raise CatalogError(f"tools.{target}.arguments: two arguments are called {override.name or name}")
        shown[override.name or name] = _described(of_one, override)
    names = {name: arguments[name].name or name if name in arguments else name for name in required}
    kept = {key: value for key, value in schema.items() if key not in {"properties", "required"}}
    needed = {"required": [names[name] for name in required]} if required else {}
    return {**kept, "properties": shown, **needed, "additionalProperties": False}


def _described(schema: Json, override: Argument) -> Json:
    described = {} if override.description is None else {"description": override.description}
    default = {"default": override.default} if override.has_default else {}
    return {**schema, **described, **default}


def sent(arguments: Mapping[str, Any], overrides: Mapping[str, Argument]) -> Json:
    """Return the arguments of a tool under its own names, with the defaults of the operator."""
    own = {override.name: name for name, override in overrides.items() if override.name is not None}
    defaults = {name: override.default for name, override in overrides.items() if override.has_default}
    return {**defaults, **{own.get(name, name): value for name, value in arguments.items()}}


def checked(arguments: Mapping[str, Any], schema: Json, tool: str) -> Json:
    """Return arguments that fit the schema that was shown.

    Null for what cannot be null counts as not given, and a text of JSON as what it says where no text is taken.

    Raises:
        Refused: they do not fit.
    """
    properties = schema.get("properties", ANYTHING)
    read = {name: _read(value, properties.get(name, ANYTHING)) for name, value in arguments.items()}
    given = {name: value for name, value in read.items() if value is not _MISSING}
    why = explained(given, schema)
    if why is not None:
        message = f"{tool}: {why}; it takes {', '.join(properties) or 'no arguments'}"
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message))
    return given


def _read(value: object, schema: Json) -> object:
    if explained(value, schema) is None:
        return value
    if value is None:
        return _MISSING
    decoded = _decoded([value]) if isinstance(value, str) else None
    return value if decoded is None or explained(decoded, schema) is not None else decoded


def aggregate_input(aggregate: Aggregate, inputs: Mapping[str, Json]) -> Json:
    """Return the input schema of a tool made of several: the selector, and what its operations take."""
    offered: dict[str, list[Json]] = {}
    always: list[set[str]] = []
    for operation in aggregate.operations.values():
        taken = list(_taken(aggregate, operation, inputs[operation.tool]))
        for name, schema, _ in taken:
            schemas = offered.setdefault(name, [])
            schemas += [] if schema in schemas else [schema]
        always.append({name for name, _, is_needed in taken if is_needed})
    selector: Json = {"type": "string", "enum": list(aggregate.operations)}
    takes = {
        name: alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
        for name, alternatives in offered.items()
    }
    return {
        "type": "object",
        "properties": {aggregate.selector: selector, **takes},
        "required": [aggregate.selector, *sorted(set[str].intersection(*always))],
        "additionalProperties": False,
    }


def _taken(aggregate: Aggregate, operation: Operation, schema: Json) -> Iterator[tuple[str, Json, bool]]:
    """Yield what an operation takes besides the selector: the argument, its schema, and whether it is needed."""
    for rule in operation.arguments:
        if rule.source is not None and rule.source != aggregate.selector:
            name, _, within = rule.source.partition(".")
            found = _found(schema, ".".join(f"properties.{step}" for step in rule.target.split(".")))
            inner = cast("Json", found) if isinstance(found, dict) else ANYTHING
            yield name, {"type": "object"} if within else inner, rule.required
    passed_on: Json = {} if operation.arguments else schema.get("properties", ANYTHING)
    for name, of_one in passed_on.items():
        if name != aggregate.selector:
            yield name, of_one, name in schema.get("required", ())


def request(aggregate: Aggregate, arguments: Mapping[str, Any], inputs: Mapping[str, Json]) -> tuple[Operation, Json]:
    """Return which operation is meant, and the arguments of its tool.

    Raises:
        Refused: what the operation needs is not there, or has no place in what is sent.
    """
    value = arguments[aggregate.selector]
    operation = aggregate.operations[value]
    if operation.require_any_of and all(arguments.get(name) is None for name in operation.require_any_of):
        needed = ", ".join(operation.require_any_of)
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, f"{aggregate.selector} {value!r} needs one of {needed}"))
    taken = [(name, is_needed) for name, _, is_needed in _taken(aggregate, operation, inputs[operation.tool])]
    made: Json = {name: arguments[name] for name, _ in taken if name in arguments}
    missing = [name for name, is_needed in taken if is_needed and name not in arguments]
    misplaced: list[str] = []
    if operation.arguments:
        made, missing, misplaced = mapped(operation.arguments, arguments)
    if missing:
        message = f"{aggregate.selector} {value!r} needs {', '.join(missing)}"
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, missing[0]))
    if misplaced:
        message = f"{aggregate.selector} {value!r}: {misplaced[0]} cannot be set within a value that is no object"
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message))
    return operation, made


def mapped(rules: Sequence[Rule], values: object) -> tuple[Json, list[str], list[str]]:
    """Return what mappings make of values, the names that are needed and missing, and the targets without a place.

    A target has none within a value that is no object. Neither the values nor the constants of the rules are changed.
    """
    made: Json = {}
    missing: list[str] = []
    misplaced: list[str] = []
    for rule in rules:
        value = rule.value if rule.source is None else _found(values, rule.source)
        if value is _MISSING or (value is None and rule.strip_null):
            missing += [str(rule.source)] if rule.required else []
        elif not _put(made, rule.target, value):
            misplaced.append(rule.target)
    return made, missing, misplaced


def _found(values: object, path: str) -> object:
    for step in path.split("."):
        if isinstance(values, list) and step.isdecimal() and int(step) < len(cast("list[object]", values)):
            values = cast("list[object]", values)[int(step)]
        elif isinstance(values, dict) and step in values:
            values = cast("Json", values)[step]
        else:
            return _MISSING
    return values


def _put(made: Json, path: str, value: object) -> bool:
    """Put a value in its place; return whether there is one."""
    *steps, last = path.split(".")
    for step in steps:
        outer = made.get(step, {})
        if not isinstance(outer, dict):
            return False
        # A copy: what stands there may be a constant of the catalogue, or the caller's own.
        inner = {**cast("Json", outer)}
        made[step] = inner
        made = inner
    made[last] = value
    return True


def answer(texts: Sequence[str], structured: Json | None, rules: Sequence[Rule] | None) -> Json | None:
    """Return the structured content of an answer; None where it is text alone.

    A text that is the JSON of an object counts as one; with mappings, any JSON does, and none is an empty answer. What
    a mapping has no place for is left out: the call was made, so its answer is not refused.
    """
    decoded: object = structured if structured is not None else _decoded(texts)
    if rules is not None:
        return mapped(rules, {} if decoded is None else decoded)[0]
    return cast("Json", decoded) if isinstance(decoded, dict) else None if any(texts) else {}


def _decoded(texts: Sequence[str]) -> object:
    """Return what a single text holds as JSON, also where it was encoded twice."""
    found: object = texts[0] if len(texts) == 1 else None
    for _ in range(2):
        if not isinstance(found, str):
            break
        try:
            found = json.loads(found)
        except (ValueError, RecursionError):
            return None
    return found
