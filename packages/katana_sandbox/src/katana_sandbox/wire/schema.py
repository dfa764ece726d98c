"""Body schemas and the Ajv-style details of what does not fit them."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, cast

from katana_sandbox.wire.errors import INVALID_BODY, Refused
from katana_sandbox.wire.numbers import is_decimal_text
from katana_sandbox.wire.times import parse_moment, stored_moment

type Kind = Literal["string", "number", "integer", "boolean", "array", "object", "decimal", "any", "null"]
type Detail = dict[str, object]
INT32 = 2147483647
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


@dataclass(frozen=True, slots=True)
class Schema:
    """What a value may be. `low` and `high` bound a length, a count or a number, by kind."""

    kind: Kind
    nullable: bool = False
    low: float | None = None
    high: float | None = None
    above: bool = False
    values: tuple[str, ...] = ()
    moment: bool = False
    camel: bool = False
    items: "Schema | None" = None
    members: Mapping[str, "Schema"] = field(default_factory=dict[str, "Schema"])
    required: tuple[str, ...] = ()
    closed: bool = True
    other: "Schema | None" = None


_ANY = Schema("any")


def check(schema: Schema, value: object) -> None:
    """Refuse a body that does not fit, with one detail per fault.

    Raises:
        Refused: 422 with code VALIDATION_FAILED.
    """
    details = list(_faults(schema, value, ""))
    if details:
        raise Refused(422, INVALID_BODY, code="VALIDATION_FAILED", details=details)


def stored_form(schema: Schema, value: object) -> object:
    """A value that fits, its date-times in the form in which they are stored."""
    schema = schema.other if schema.other is not None and _is_object(value) else schema
    if isinstance(value, list):
        return [stored_form(schema.items or _ANY, item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return {name: stored_form(schema.members.get(name, _ANY), member) for name, member in members}
    return stored_moment(value) if schema.moment else value


def _faults(schema: Schema, value: object, path: str) -> Iterator[Detail]:
    schema = schema.other if schema.other is not None and _is_object(value) else schema
    if value is None and schema.nullable:
        return
    if not _fits_kind(schema.kind, value):
        yield _wrong_kind(schema.kind, path)
    elif isinstance(value, str) and schema.kind == "string":
        yield from _string_faults(schema, value, path)
    elif isinstance(value, int | float) and schema.kind in {"number", "integer"}:
        yield from _bound_faults(schema, value, path)
    elif isinstance(value, list):
        yield from _array_faults(schema, cast("list[object]", value), path)
    elif isinstance(value, dict):
        yield from _object_faults(schema, cast("dict[str, object]", value), path)


def _is_object(value: object) -> bool:
    return value is None or isinstance(value, dict)


def _fits_kind(kind: Kind, value: object) -> bool:
    if isinstance(value, bool):
        return kind in {"boolean", "any"}
    if kind == "any":
        return True
    if kind == "decimal":
        return _is_non_zero(value)
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, _TYPES[kind])


def _is_non_zero(value: object) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"-?\d+(\.\d+)?", value) is not None and is_decimal_text(value) and Decimal(value) != 0
    return isinstance(value, int | float) and value != 0


def _wrong_kind(kind: Kind, path: str) -> Detail:
    if kind == "decimal":
        message = "must match exactly one schema in oneOf"
        return {"path": path, "code": "oneOf", "message": message, "info": {"passingSchemas": None}}
    return {"path": path, "code": "type", "message": f"must be {kind}", "info": {"type": kind}}


def _string_faults(schema: Schema, value: str, path: str) -> Iterator[Detail]:
    if schema.high is not None and len(value) > schema.high:
        yield _limit(path, "maxLength", f"must NOT have more than {_whole(schema.high)} characters", schema.high)
    if schema.low is not None and len(value) < schema.low:
        yield _limit(path, "minLength", f"must NOT have fewer than {_whole(schema.low)} characters", schema.low)
    if schema.moment and parse_moment(value) is None:
        message = 'must match format "date-time"'
        path = _camel(path) if schema.camel else path
        yield {"path": path, "code": "format", "message": message, "info": {"format": "date-time"}}
    if schema.values and value not in schema.values:
        message = "must be equal to one of the allowed values"
        yield {"path": path, "code": "enum", "message": message, "info": {"allowedValues": list(schema.values)}}


def _camel(path: str) -> str:
    parent, slash, name = path.rpartition("/")
    first, *others = name.split("_")
    return parent + slash + first + "".join(other.capitalize() for other in others)


def _bound_faults(schema: Schema, value: float, path: str) -> Iterator[Detail]:
    if schema.high is not None and value > schema.high:
        yield _comparison(path, "maximum", "<=", schema.high)
    if schema.low is not None and schema.above and value <= schema.low:
        yield _comparison(path, "exclusiveMinimum", ">", schema.low)
    elif schema.low is not None and value < schema.low:
        yield _comparison(path, "minimum", ">=", schema.low)


def _array_faults(schema: Schema, value: list[object], path: str) -> Iterator[Detail]:
    if schema.high is not None and len(value) > schema.high:
        yield _limit(path, "maxItems", f"must NOT have more than {_whole(schema.high)} items", schema.high)
    if schema.low is not None and len(value) < schema.low:
        yield _limit(path, "minItems", f"must NOT have fewer than {_whole(schema.low)} items", schema.low)
    if schema.items is not None:
        for position, item in enumerate(value):
            yield from _faults(schema.items, item, f"{path}/{position}")


def _object_faults(schema: Schema, value: dict[str, object], path: str) -> Iterator[Detail]:
    for name in schema.required:
        if name not in value:
            message = f"must have required property '{name}'"
            yield {"path": path, "code": "required", "message": message, "info": {"missingProperty": name}}
    for name in value if schema.closed else ():
        if name not in schema.members:
            message = "must NOT have additional properties"
            info = {"additionalProperty": name}
            yield {"path": path, "code": "additionalProperties", "message": message, "info": info}
    for name, member in schema.members.items():
        if name in value:
            yield from _faults(member, value[name], f"{path}/{name}")


def _limit(path: str, code: str, message: str, limit: float) -> Detail:
    return {"path": path, "code": code, "message": message, "info": {"limit": _whole(limit)}}


def _comparison(path: str, code: str, sign: str, limit: float) -> Detail:
    shown = _whole(limit)
    info = {"limit": shown, "comparison": sign}
    return {"path": path, "code": code, "message": f"must be {sign} {shown}", "info": info}


def _whole(limit: float) -> int | float:
    return int(limit) if math.isfinite(limit) and limit == int(limit) else limit
