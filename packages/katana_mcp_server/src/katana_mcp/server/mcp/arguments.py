"""From what a host sends to a validated request: stringified lists decoded, every problem named at once."""

import json
from ast import literal_eval
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from pydantic import ValidationError

from katana_mcp.server.mcp.argument_names import Shape, shape_of
from katana_mcp.tools import warning_codes
from katana_mcp.tools.argument_errors import wrong
from katana_mcp.tools.days import DayReading
from katana_mcp.tools.hidden import escape_hidden_in_name, meant
from katana_mcp.tools.hints import LONGEST_NAME, MOST_NAMES
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking, render_path

type Schema = Mapping[str, object]
type Path = tuple[int | str, ...]

_MAX_PROBLEMS = 10
_MAX_SHOWN = 42
_MAX_STRINGIFIED = 100_000
MOST_ENTRIES = 1_000
"""Of a list whose schema tells no limit. Its request must refuse more than this: what is beyond is not looked at."""
_MAX_DIGITS = 18
_NEAR = 20
"""Characters that are shown of where a text breaks."""


def validated[R: Request](
    model: type[R], schema: Schema, arguments: Mapping[str, object], dates: DayReading | None = None
) -> R:
    """Return the request for these arguments, whose texts may hold hidden characters as they were shown.

    Dates are read as `dates` says, in UTC by default.

    Raises:
        Refused: with one warning per problem: which argument, what is wrong, what is allowed.
    """
    reading = _Reading()
    values = reading.read(shape_of(model), schema, arguments, ())
    problems = reading.problems
    if reading.broken:
        raise Refused(*reading.broken[:_MAX_PROBLEMS])
    try:
        request = model.model_validate(values, context=dates)
    except ValidationError as error:
        problems.extend(_problems(error, values, reading.said))
    except RecursionError:
        problems.append(blocking(warning_codes.INVALID_ARGUMENT, "the arguments are nested too deeply"))
    else:
        if not problems:
            return request
    raise Refused(*problems[:_MAX_PROBLEMS])


@dataclass(frozen=True, slots=True)
class _Reading:
    """The arguments of one call on their way into its request, which gets them under their own names.

    Attributes:
        problems: what is wrong with their names.
        broken: texts that begin as JSON and are none: what else is wrong follows from that.
        said: by the path of an argument, the other name under which it was given.
        looked_at: the unknown names so far, each with the arguments that it stood in.
    """

    problems: list[ToolWarning] = field(default_factory=list[ToolWarning])
    broken: list[ToolWarning] = field(default_factory=list[ToolWarning])
    said: dict[Path, str] = field(default_factory=dict[Path, str])
    looked_at: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def read(self, shape: Shape, schema: Schema, given: Mapping[str, object], path: Path) -> dict[str, object]:
        """Return the arguments that the shape has, by their own names, whatever else was given."""
        properties = cast("Mapping[str, Schema]", schema.get("properties", {}))
        taken: dict[str, object] = {}
        known = [name for name in shape.names if name in given]
        for name in known:
            argument = shape.names[name]
            here = (*path, argument)
            if argument in taken:
                self._twice(self.said.get(here, argument), name, path)
                continue
            if name != argument:
                self.said[here] = name
            value = _alone_in_a_list(given[name], properties[argument]) if name != argument else given[name]
            taken[argument] = self._value(value, properties[argument], shape.parts.get(argument), here)
        if len(known) < len(given):
            self._unknown(shape, given, path)
        return taken

    def _value(self, value: object, schema: Schema, part: Shape | None, path: Path) -> object:
        """Return a value as the request takes it: lists sent as text read, no longer than to be refused for it."""
        if part is not None and isinstance(value, str) and (why := _broken(value)) is not None:
            place = self.said.get(path, render_path(path))
            self.broken.append(blocking(warning_codes.INVALID_ARGUMENT, f"{place}: {why}", place))
            return None
        value = decoded(value, schema)
        if isinstance(value, str):
            return meant(value)
        if not _takes_list(schema) or not isinstance(value, list):
            return value
        most = next(
            (most for alternative in _alternatives(schema) if isinstance(most := alternative.get("maxItems"), int)),
            MOST_ENTRIES,
        )
        entries = cast("list[object]", value)[: most + 1]
        items = cast("Schema", schema.get("items", {}))
        return [
            self.read(part, items, cast("Mapping[str, object]", entry), (*path, place))
            if part is not None and isinstance(entry, Mapping)
            else meant(entry)
            if isinstance(entry, str)
            else entry
            for place, entry in enumerate(entries)
        ]

    def _unknown(self, shape: Shape, given: Mapping[str, object], path: Path) -> None:
        """Tell of names that nothing has, each once however many rows hold it, and of the first few at all."""
        for name in given:
            if len(self.looked_at) >= MOST_NAMES:
                return
            seen = (*(step for step in path if isinstance(step, str)), name)
            if name in shape.names or seen in self.looked_at:
                continue
            self.looked_at.add(seen)
            shown = render_path((*path, escape_hidden_in_name(name[:LONGEST_NAME])))
            message = shape.unknown(name) if not path else f"{render_path(path)}: {shape.unknown(name)}"
            self.problems.append(blocking(warning_codes.UNKNOWN_ARGUMENT, message, shown))

    def _twice(self, first: str, second: str, path: Path) -> None:
        place = "" if not path else f"{render_path(path)}: "
        message = f"{place}{first!r} and {second!r} are the same argument: give one of them"
        self.problems.append(blocking(warning_codes.INVALID_ARGUMENT, message, render_path((*path, second))))


def _alone_in_a_list(value: object, schema: Schema) -> object:
    """Return the one id that was given under the name of one where a list is asked for, as that list."""
    return [value] if _takes_list(schema) and isinstance(value, int) else value


def _takes_list(schema: Schema) -> bool:
    return any("array" in _kinds(alternative) for alternative in _alternatives(schema))


def decoded(value: object, schema: Schema) -> object:
    """Return a list or object that a host sent as text (JSON, or CSV for a list of scalars) as what it is.

    A text stays a text wherever the schema allows one.
    """
    parts = _parsed(value, schema)
    return _numbers(cast("list[object]", parts), schema) if isinstance(parts, list) else parts


def _parsed(value: object, schema: Schema) -> object:
    if not isinstance(value, str) or len(value) > _MAX_STRINGIFIED:
        return value
    kinds = {kind for alternative in _alternatives(schema) for kind in _kinds(alternative)}
    if "string" in kinds or not kinds & {"array", "object"}:
        return value
    parsed = _literal(value)
    if isinstance(parsed, list | dict):
        return cast("object", parsed)
    return [part.strip() for part in value.split(",") if part.strip()] if "array" in kinds else value


def _literal(text: str) -> object:
    """Return the JSON value of a text, also of one in the spelling of Python: `['a', None]`; None of any other."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if text.lstrip()[:1] not in ("[", "{") or "\\" in text:  # of an escape that is none Python warns
        return None
    try:
        return json.loads(json.dumps(literal_eval(text.strip())))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _broken(text: str) -> str | None:
    """Return where a text that begins as a list or an object breaks; None of a whole one, and of any other text."""
    if text.lstrip()[:1] not in ("[", "{") or len(text) > _MAX_STRINGIFIED or _literal(text) is not None:
        return None
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            return f"the JSON is not closed: it ends within {text.rstrip()[-_NEAR:]!r}, after {len(text)} characters"
        return f"this is no JSON: it breaks at character {error.pos + 1}, {text[error.pos : error.pos + _NEAR]!r}"
    except RecursionError:
        return "the JSON is nested too deeply"
    return None


def _numbers(parts: list[object], schema: Schema) -> list[object]:
    """Return a list with its texts of digits as the numbers that they are, where it holds numbers alone."""
    if not _holds_numbers(schema) or len(parts) > _MAX_STRINGIFIED:
        return parts
    return [_number(part) if isinstance(part, str) else part for part in parts]


def _holds_numbers(schema: Schema) -> bool:
    lists = [alternative for alternative in _alternatives(schema) if "array" in _kinds(alternative)]
    return bool(lists) and all(
        _kinds(cast("Schema", alternative.get("items", {}))) == ["integer"] for alternative in lists
    )


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


def _problems(error: ValidationError, given: Mapping[str, object], said: Mapping[Path, str]) -> list[ToolWarning]:
    """Return one warning per argument; the branches of a union that did not fit are told as one."""
    by_path: dict[Path, list[str]] = {}
    for problem in error.errors(include_url=False, include_input=False)[:100]:
        path = _outside_unions(problem["loc"])
        by_path.setdefault(path, []).append(wrong(problem["type"], problem.get("ctx", {}), problem["msg"]))
    return [
        blocking(
            warning_codes.INVALID_ARGUMENT,
            f"{_place(path, given, said)}{' or '.join(dict.fromkeys(messages))}",
            _called(path, said),
        )
        for path, messages in by_path.items()
    ][:_MAX_PROBLEMS]


def _called(path: Path, said: Mapping[Path, str]) -> str | None:
    """Return the path of an argument in the names under which it was given."""
    return render_path([said.get(path[: place + 1], step) for place, step in enumerate(path)])


def _place(path: Path, given: Mapping[str, object], said: Mapping[Path, str]) -> str:
    """Return where it is wrong, with the value that stands there when it is short; nothing for the whole request."""
    value: object = given
    place = _called(path, said)
    if place is None:
        return ""
    for step in path:
        try:
            value = cast("Mapping[int | str, object]", value)[step]
        except (LookupError, TypeError):
            return f"{place}: "
    shown = _as_written(value)
    return f"{place} is {shown}: " if 0 < len(shown) <= _MAX_SHOWN else f"{place}: "


def _as_written(value: object) -> str:
    """Return a plain value as a caller wrote it."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return repr(value) if isinstance(value, str | int | float) else ""


def _outside_unions(loc: Path) -> Path:
    """Drop the names of union branches (`str`, `constrained-int`), which are no path of the caller's."""
    return tuple(step for step in loc if isinstance(step, int) or not _is_branch(step))


def _is_branch(step: str) -> bool:
    return "[" in step or "-" in step or step in {"int", "str", "bool", "float", "none", "SkuOrVariantId"}
