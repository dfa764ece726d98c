"""Conditions and orders over JSON bodies, decided by `cache_core` itself on the one field that they name.

SQLite hands out the field's raw JSON (`->` keeps every digit and every escape); nothing else is decoded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from cache_core.conditions import Condition, OneOf, Visibility, Where, holds
from cache_core.errors import WrongCacheUse
from cache_core.records import Json, RecordId, decode, encode, values_at

_INT64 = 1 << 63
_MEETS = "meets(?, e.body -> ?)"
# The codec writes a whole number or a text in one way only, so for these equal looks mean equal values.
_ONE_OF = f"""CASE WHEN json_type(e.body, ?) IN ('integer', 'text')
    THEN (e.body -> ?) IN (SELECT value FROM json_each(?)) ELSE {_MEETS} END"""
_NEGATIVE, _ZERO, _POSITIVE, _TEXT = b"\x10", b"\x20", b"\x30", b"\x40"
_NULL_FIRST, _NULL_LAST = b"", b"\xff"
_EXPONENT_BIAS = 1 << 62
_COMPLEMENT = bytes(255 - byte for byte in range(256))


type Meets = Callable[[int, str | None], bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows of one entity that a read may see, as SQL over `entities AS e`; `meets` decides conditions."""

    sql: str
    values: tuple[object, ...]
    meets: Meets | None


def filter_for(entity: str, where: Where, visibility: Visibility) -> Filter:
    """Return the filter for an entity, conditions and visibility."""
    sql = ["e.entity = ?"]
    values: list[object] = [entity]
    sql += ["NOT e.deleted"] * (not visibility.deleted) + ["NOT e.archived"] * (not visibility.archived)
    for number, condition in enumerate(where):
        path, looks = json_path(condition.field), _looks(condition)
        if looks is None:
            sql.append(_MEETS)
            values += [number, path]
        else:
            sql.append(_ONE_OF)
            values += [path, path, looks, number, path]

    def meets(number: int, fragment: str | None) -> bool:
        condition = where[number]
        return holds(condition, {_head(condition.field): _value(fragment)})

    return Filter(" AND ".join(sql), tuple(values), meets if where else None)


def _looks(condition: Condition) -> str | None:
    """Return how the wanted values look as JSON, as a JSON list, if that decides for whole numbers and texts."""
    if not isinstance(condition, OneOf) or "." in condition.field:
        return None
    if not all(type(value) is int or (isinstance(value, str) and storable(value)) for value in condition.values):
        return None
    looks: list[Json] = [encode({"v": value})[5:-1].decode() for value in condition.values]
    return encode({"v": looks})[5:-1].decode()


def storable(value: RecordId) -> bool:
    """Return whether SQLite can hold the value; what it cannot hold is not there."""
    if isinstance(value, int):
        return -_INT64 <= value < _INT64
    return value.encode("utf-8", "replace") == value.encode("utf-8", "surrogatepass")


def json_path(field: str) -> str:
    """Return SQLite's path to the top-level key of a field.

    Raises:
        WrongCacheUse: the key is not a plain name.
    """
    head = _head(field)
    if not head.isidentifier():
        raise WrongCacheUse(f"{field!r} is not a field")
    return f'$."{head}"'


def order_key(fragment: str | None, field: str, descending: bool) -> bytes:
    """Return bytes that sort as the field's value does: numbers by value, then texts; nulls always last."""
    value = next(values_at({_head(field): _value(fragment)}, field), None)
    if isinstance(value, str):
        return _TEXT + value.encode()
    if isinstance(value, int | Decimal):
        return _number_key(Decimal(value))
    return _NULL_FIRST if descending else _NULL_LAST


def _number_key(value: Decimal) -> bytes:
    sign, digits, _ = value.as_tuple()
    if not value:
        return _ZERO
    exponent = (value.adjusted() + _EXPONENT_BIAS).to_bytes(8)
    size = exponent + bytes(48 + digit for digit in digits).rstrip(b"0")
    return _NEGATIVE + size.translate(_COMPLEMENT) + b"\xff" if sign else _POSITIVE + size


def _head(field: str) -> str:
    return field.partition(".")[0].removesuffix("[]")


def _value(fragment: str | None) -> Json:
    return None if fragment is None else decode(f'{{"value":{fragment}}}')["value"]
