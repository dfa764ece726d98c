"""Filters as data: every backend evaluates the same conditions, none of them text that SQL could misread.

A field is a top-level key of the record, or `children[].key` to ask for a child row that has the value.
Datetimes are compared in the form that Katana sends (UTC, milliseconds), numbers by value, text as it stands.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, cast

from cache_core.records import Record, values_at

type Scalar = str | int | Decimal | bool


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field's value is one of these."""

    field: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """The field's value is not null, not below `low` and not above `high`; None leaves that side open."""

    field: str
    low: Scalar | None = None
    high: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Below:
    """The field's value is not null and strictly below `limit`."""

    field: str
    limit: Scalar


@dataclass(frozen=True, slots=True)
class Missing:
    """The field is null or absent (`missing=True`), or it is there (`missing=False`)."""

    field: str
    missing: bool = True


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The field's value is null or none of these."""

    field: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class CustomValue:
    """A custom field of one of these names has one of these values, or any where none is named.

    At `field` stands an object of values by name, or a list of objects with `field_name` and `field_value`.
    """

    field: str
    names: tuple[str, ...]
    values: tuple[Scalar, ...]


type Condition = OneOf | NoneOf | Within | Below | Missing | CustomValue
type Where = tuple[Condition, ...]


class Visibility(NamedTuple):
    """Which soft states a read sees; both are out unless asked for."""

    deleted: bool = False
    archived: bool = False


LIVE = Visibility()
EVERYTHING = Visibility(deleted=True, archived=True)


class Order(NamedTuple):
    """Sort by a top-level field; nulls last either way, ties by id in the same direction."""

    field: str
    descending: bool = False


def holds(condition: Condition, record: Record) -> bool:
    """Return whether the record meets the condition: the meaning that every backend must have."""
    if isinstance(condition, CustomValue):
        named = (value for place in values_at(record, condition.field) for value in _custom(place, condition.names))
        return any(_is_meant(value, condition.values) for value in named)
    values = _plain_values(record, condition.field)
    match condition:
        case OneOf(_, accepted):
            return _is_one_of(values, accepted)
        case NoneOf(_, rejected):
            return not _is_one_of(values, rejected)
        case Missing(_, missing):
            return (not values) is missing
        case Within(_, low, high):
            return any(_between(value, low, high) for value in values)
        case Below(_, limit):
            return any(_compare(value, limit) == -1 for value in values)


def _plain_values(record: Record, path: str) -> Sequence[object]:
    """Return the values at a path that are no objects."""
    value = record.get(path) if "." not in path else None
    if isinstance(value, str | int | Decimal):
        return (value,)
    return [value for value in values_at(record, path) if not isinstance(value, dict)]


def hold(where: Iterable[Condition], record: Record) -> bool:
    """Return whether the record meets every condition."""
    return all(holds(condition, record) for condition in where)


def is_no_amount(value: object) -> bool:
    """Return whether it is a decimal that no record holds: not a number, or without end."""
    return isinstance(value, Decimal) and not value.is_finite()


def _is_meant(value: object, values: tuple[Scalar, ...]) -> bool:
    """Return whether a custom field has one of these values, or any."""
    return _is_one_of((value,), values) if values else value is not None


def _custom(place: object, names: tuple[str, ...]) -> Iterator[object]:
    """Yield the values that custom fields of these names have in an object of them, or in one entry of a list."""
    if not isinstance(place, Mapping):
        return
    fields = cast("Mapping[str, object]", place)
    if "field_name" not in fields:
        yield from (fields[name] for name in names if name in fields)
    elif fields["field_name"] in names:
        yield fields.get("field_value")


def _is_one_of(values: Sequence[object], candidates: Sequence[Scalar]) -> bool:
    for value in values:
        if isinstance(value, str):
            if value in candidates:
                return True
            continue
        for candidate in candidates:
            if _compare(value, candidate) == 0:
                return True
    return False


def _between(value: object, low: Scalar | None, high: Scalar | None) -> bool:
    above = low is None or _compare(value, low) in {0, 1}
    return above and (high is None or _compare(value, high) in {-1, 0})


def _compare(left: object, right: Scalar) -> int | None:
    """Return -1, 0 or 1, or None for values of different kinds: text and number never compare."""
    if isinstance(left, bool) or isinstance(right, bool):
        return 0 if left is right else None
    if isinstance(left, str) and isinstance(right, str):
        return (left > right) - (left < right)
    if is_no_amount(left) or is_no_amount(right):
        return None
    if isinstance(left, int | Decimal) and isinstance(right, int | Decimal):
        return (left > right) - (left < right)
    return None
