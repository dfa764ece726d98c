"""Column kinds: how one JSON value of the wire becomes one cell and comes back to the last digit.

A value that a column cannot hold exactly is no error: its codec says so, and the mapping keeps it elsewhere.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import lru_cache

from sqlalchemy import Boolean, Column, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field

from cache_core.records import Json, decode, encode, iso

type Cell = str | int | bytes | None

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-2][0-9]:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_MOMENT_LENGTH = len("2021-09-01T07:49:29.813Z")
_DECIMAL_TEXT = re.compile(r"-?[0-9]{1,200}(\.[0-9]{1,200})?")
_MAX_EXPONENT = 499
_MAX_DIGITS = 1_000
_MAX_WHOLE = 10**_MAX_EXPONENT
_INT64 = 2**63
_NINES = str.maketrans("0123456789", "9876543210")


class Kind(Enum):
    """What a column holds, and so what it can be compared with."""

    WHOLE = "whole"
    TEXT = "text"
    FLAG = "flag"
    MOMENT = "moment"
    NUMBER = "number"
    NESTED = "nested"


class WireMoment(TypeDecorator[datetime]):
    """A UTC moment in the form that Katana sends, `2021-09-01T07:49:29.813Z`: its text sorts by time."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        """Refuse naive moments, store the others in UTC."""
        if value is not None and value.tzinfo is None:
            raise ValueError("a moment must say its time zone")
        return None if value is None else iso(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        """Return an aware moment."""
        return None if value is None else datetime.fromisoformat(value)


class ExactNumber(TypeDecorator[Decimal]):
    """A number as JSON text: `10.50` where Katana sent a number, `"10.50"` where it sent a decimal string."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> str | None:
        """Store every digit."""
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Decimal | None:
        """Return the number, whichever form it was sent in."""
        return None if value is None else Decimal(value.strip('"'))


class NestedJson(TypeDecorator[object]):
    """A list or object of low signal, kept as JSON text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object | None, dialect: Dialect) -> str | None:
        """Store the value as JSON."""
        return None if value is None else json_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> object | None:
        """Return the value."""
        return None if value is None else _json_value(value)


def moment(*, index: bool = False) -> datetime | None:
    """Declare a column for a UTC moment."""
    return Field(default=None, sa_type=WireMoment, index=index)


def number() -> Decimal | None:
    """Declare a column for a number or decimal string, exact."""
    return Field(default=None, sa_type=ExactNumber)


def order_of(name: str, *, index: bool = False) -> str | None:
    """Declare the column that sorts and compares the number column `name`; the mapping fills it."""
    return Field(default=None, sa_type=Text, index=index, sa_column_kwargs={"info": {"order_of": name}})


def nested() -> object | None:
    """Declare a column for a nested collection that no filter needs."""
    return Field(default=None, sa_type=NestedJson)


@dataclass(frozen=True, slots=True)
class Codec:
    """How a kind of column stores a value.

    Attributes:
        kind: what the column compares with.
        store: gives the cell, or None for a value that the column cannot hold exactly.
        load: gives the value back.
    """

    kind: Kind
    store: Callable[[Json], Cell]
    load: Callable[[Cell], Json] | None = None


def codec_of(column: "Column[object]") -> Codec:
    """Return the codec for a column's declared type."""
    for type_, codec in _CODECS:
        if isinstance(column.type, type_):
            return codec
    return _TEXT


def order_key(value: Json) -> str | None:
    """Return a text that sorts numbers by value, before texts by code point; None for what does not fit.

    A number is its sign, its exponent and its digits without trailing zeros, mirrored when negative.
    """
    if isinstance(value, str):
        return f"s{value}"
    return order_key_of(_store_number(value))


def order_key_of(cell: Cell) -> str | None:
    """Return the order key of the value that a cell of a number column holds."""
    if cell is None:
        return None
    text = str(cell)
    return f"s{text[1:-1]}" if text[0] == '"' else _number_key(text)


@lru_cache(maxsize=4096)
def _number_key(number: str) -> str:
    exact = Decimal(number)
    if not exact:
        return "1"
    _, digits, _ = exact.as_tuple()
    text = "".join(map(str, digits)).strip("0")
    exponent = exact.adjusted() + _MAX_EXPONENT + 1
    if exact > 0:
        return f"2{exponent:04d}{text}"
    return f"0{9999 - exponent:04d}{text.translate(_NINES)}~"


def is_storable(value: str) -> bool:
    """Return whether a text has a UTF-8 form: lone surrogates do not."""
    return value.isascii() or value.encode("utf-8", "replace").decode() == value


def fits_whole(value: object) -> bool:
    """Return whether a value is an integer that a 64-bit column holds."""
    return type(value) is int and -_INT64 <= value < _INT64


def _store_whole(value: Json) -> Cell:
    return value if type(value) is int and -_INT64 <= value < _INT64 else None


def _store_text(value: Json) -> Cell:
    return value if isinstance(value, str) and (value.isascii() or is_storable(value)) else None


def _store_flag(value: Json) -> Cell:
    return int(value) if isinstance(value, bool) else None


def _store_moment(value: Json) -> Cell:
    return value if isinstance(value, str) and len(value) == _MOMENT_LENGTH and _is_moment(value) else None


@lru_cache(maxsize=4096)
def _is_moment(text: str) -> bool:
    # Rows have the moments of their document, and those of each other.
    if _MOMENT.fullmatch(text) is None:
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _store_number(value: Json) -> Cell:
    if isinstance(value, str):
        return f'"{value}"' if _DECIMAL_TEXT.fullmatch(value) else None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(value) if -_MAX_WHOLE < value < _MAX_WHOLE else None
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= _MAX_EXPONENT:
        text = str(value)
        return text if len(text) <= _MAX_DIGITS else None
    return None


@lru_cache(maxsize=4096)
def _load_number(cell: Cell) -> Json:
    text = str(cell)
    if text[:1] == '"':
        return text[1:-1]
    return int(text) if text.removeprefix("-").isdigit() else Decimal(text)


def _store_nested(value: Json) -> Cell:
    return json_text(value) if isinstance(value, (list, dict)) else None


def json_text(value: object) -> str:
    """Return a list or an object as a nested column holds it."""
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    # The one codec of records writes objects: a list travels as the value of a key.
    return encode({"": value})[4:-1].decode()


def _json_value(cell: Cell) -> Json:
    if cell in {"[]", "{}"}:
        return [] if cell == "[]" else {}
    return decode(f'{{"":{cell}}}')[""]


_TEXT = Codec(Kind.TEXT, _store_text)
_CODECS: tuple[tuple[type, Codec], ...] = (
    (WireMoment, Codec(Kind.MOMENT, _store_moment)),
    (ExactNumber, Codec(Kind.NUMBER, _store_number, _load_number)),
    (NestedJson, Codec(Kind.NESTED, _store_nested, _json_value)),
    (Boolean, Codec(Kind.FLAG, _store_flag, bool)),
    (Integer, Codec(Kind.WHOLE, _store_whole)),
)
