"""From what a host sends to a validated request: stringified lists decoded, every problem named at once."""

import difflib
import json
from collections.abc import Mapping
from typing import cast

from pydantic import ValidationError

from katana_mcp.days import DayReading
from katana_mcp.tools import warning_codes
from katana_mcp.tools.limits import wrong
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking, render_path

type Schema = Mapping[str, object]

_MAX_PROBLEMS = 10
_MAX_NAME = 60
_MAX_SHOWN = 42
_MAX_STRINGIFIED = 100_000
_MAX_DIGITS = 18


def validated[R: Request](
    model: type[R], schema: Schema, arguments: Mapping[str, object], reading: DayReading | None = None
) -> R:
    """Return the request for these arguments, with dates read as `reading` says, in UTC by default.

    Raises:
        Refused: with one warning per problem: which argument, what is wrong, what is allowed.
    """
    properties = cast("Mapping[str, Schema]", schema.get("properties", {}))
    problems = [_unknown(name, properties) for name in arguments if name not in properties][:_MAX_PROBLEMS]
    known = {name: decoded(value, properties[name]) for name, value in arguments.items() if name in properties}
    try:
        request = model.model_validate(known, context=reading)
    except ValidationError as error:
        problems.extend(_problems(error, known))
    except RecursionError:
        problems.append(blocking(warning_codes.INVALID_ARGUMENT, "the arguments are nested too deeply"))
    else:
        if not problems:
            return request
    raise Refused(*problems[:_MAX_PROBLEMS])


def decoded(value: object, schema: Schema) -> object:
    """Return a list or object that a host sent as text (JSON, or CSV for a list of scalars) as what it is.

    A text stays a text wherever the schema allows one.
    """
    parts = _parsed(value, schema)
    return _numbers(cast("list[object]", parts), schema) if isinstance(parts, list) else parts


def _parsed(value: object, schema: Schema) -> object:
    if not isinstance(value, str) or len(value) > _MAX_STRINGIFIED:
        return value
    kinds = {kind for each in _alternatives(schema) for kind in _kinds(each)}
    if "string" in kinds or not kinds & {"array", "object"}:
        return value
    try:
        parsed: object = json.loads(value)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, list | dict):
        return cast("object", parsed)
    return [part.strip() for part in value.split(",") if part.strip()] if "array" in kinds else value


def _numbers(parts: list[object], schema: Schema) -> list[object]:
    """Return a list with its texts of digits as the numbers that they are, where it holds numbers alone."""
    if not _holds_numbers(schema) or len(parts) > _MAX_STRINGIFIED:
        return parts
    return [_number(part) if isinstance(part, str) else part for part in parts]


def _holds_numbers(schema: Schema) -> bool:
    lists = [each for each in _alternatives(schema) if "array" in _kinds(each)]
    return bool(lists) and all(_kinds(cast("Schema", each.get("items", {}))) == ["integer"] for each in lists)


def _number(part: str) -> int | str:
    """Return the number that a part of a CSV list is; anything else is for the request model to refuse."""
    return int(part) if part.isascii() and part.isdecimal() and len(part) <= _MAX_DIGITS else part


def _alternatives(schema: Schema) -> list[Schema]:
    branches = schema.get("anyOf")
    return cast("list[Schema]", branches) if isinstance(branches, list) else [schema]


def _kinds(schema: Schema) -> list[str]:
    kind = schema.get("type")
    if isinstance(kind, list):
        return cast("list[str]", kind)
    return [kind] if isinstance(kind, str) else []


def _unknown(name: str, properties: Mapping[str, Schema]) -> ToolWarning:
    near = difflib.get_close_matches(name[:_MAX_NAME], properties, 1)
    known = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(properties) or 'none'}"
    shown = name[:_MAX_NAME]
    return blocking(warning_codes.UNKNOWN_ARGUMENT, f"unknown argument {shown!r}; {known}", shown)


def _problems(error: ValidationError, given: Mapping[str, object]) -> list[ToolWarning]:
    """Return one warning per argument; the branches of a union that did not fit are told as one."""
    told: dict[tuple[int | str, ...], list[str]] = {}
    codes: dict[tuple[int | str, ...], str] = {}
    for each in error.errors(include_url=False, include_input=False)[:100]:
        path = _outside_unions(each["loc"])
        unknown = each["type"] == "extra_forbidden"
        codes.setdefault(path, warning_codes.UNKNOWN_ARGUMENT if unknown else warning_codes.INVALID_ARGUMENT)
        told.setdefault(path, []).append(wrong(each["type"], each.get("ctx", {}), each["msg"]))
    return [
        blocking(codes[path], f"{_place(path, given)}{' or '.join(dict.fromkeys(messages))}", render_path(path))
        for path, messages in told.items()
    ][:_MAX_PROBLEMS]


def _place(path: tuple[int | str, ...], given: Mapping[str, object]) -> str:
    """Return where it is wrong, with the value that stands there when it is short; nothing for the whole request."""
    value: object = given
    place = render_path(path)
    if place is None:
        return ""
    for step in path:
        try:
            value = cast("Mapping[int | str, object]", value)[step]
        except (LookupError, TypeError):
            return f"{place}: "
    shown = _shown(value)
    return f"{place} is {shown}: " if 0 < len(shown) <= _MAX_SHOWN else f"{place}: "


def _shown(value: object) -> str:
    """Return a plain value as a caller wrote it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return repr(value) if isinstance(value, str | int | float) else ""


def _outside_unions(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Drop the names of union branches (`str`, `constrained-int`), which are no path of the caller's."""
    return tuple(step for step in loc if isinstance(step, int) or not _is_branch(step))


def _is_branch(step: str) -> bool:
    return "[" in step or "-" in step or step in {"int", "str", "bool", "float", "none", "SkuOrVariantId"}
