"""Typed reads from open records: a value of another kind than expected is absent, never a guess."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import cast

from cache_core.records import Record, as_amount

EMPTY: Record = {}
"""A record without any field."""


def number(record: Record, name: str) -> Decimal | None:
    """Return an amount, or None when it is absent, null or beyond what can be one: absent is never zero."""
    return as_amount(record.get(name))


def number_or_text(record: Record, name: str) -> Decimal | None:
    """Return an amount that Katana sends as a number or as a text, `"2.00000"` (facts 5.2), or None."""
    value = record.get(name)
    try:
        return as_amount(Decimal(value) if isinstance(value, str) else value)
    except InvalidOperation:
        return None


def total(amounts: Sequence[Decimal | None]) -> Decimal | None:
    """Return the sum, or None when one of the amounts is unknown."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if len(known) == len(amounts) else None


def get_int(record: Record, name: str) -> int | None:
    """Return an id or a count, or None."""
    value = record.get(name)
    return value if type(value) is int else None


def id_in(text: str) -> int | None:
    """Return the id that a text of digits is, because some hosts send numbers as texts, or None."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else None


_MAX_DIGITS = 10


def get_bool(record: Record, name: str) -> bool | None:
    """Return a yes or no, or None."""
    value = record.get(name)
    return value if isinstance(value, bool) else None


def items(value: object) -> list[object]:
    """Return a list's items; anything else is one item."""
    return cast("list[object]", value) if isinstance(value, list) else [value]


def child(record: Record, name: str) -> Record | None:
    """Return an embedded object, or None when it is absent, null or empty."""
    value = record.get(name)
    return cast("Record", value) if isinstance(value, Mapping) and value else None


def rows(record: Record, name: str) -> list[Record]:
    """Return the objects of an embedded list; anything else in it is left out."""
    return [cast("Record", item) for item in items(record.get(name)) if isinstance(item, Mapping)]


def get_strs(record: Record, name: str) -> list[str] | None:
    """Return the texts of a list, or None when there are none."""
    return [item for item in items(record.get(name)) if isinstance(item, str)] or None


def ids(record: Record, name: str) -> list[int] | None:
    """Return the ids of a list, or None when there are none."""
    return [item for item in items(record.get(name)) if isinstance(item, int)] or None
