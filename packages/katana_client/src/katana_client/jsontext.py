"""JSON in and out without a float in between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Final, cast
from uuid import UUID

from katana_client.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Callable

UNREADABLE: Final = object()
"""What `decode` returns for a body that is not JSON; distinct from every JSON value."""
_PLAIN_EXPONENTS = range(-60, 41)
_MAX_DEPTH = 60


def decode(body: bytes) -> object:
    """Return the JSON value of `body`, or `UNREADABLE`. Numbers with a fraction or exponent become `Decimal`.

    A number that Python cannot hold stays as its text, so that it costs its record and not the page.
    """
    try:
        return cast("object", json.loads(body, parse_float=Decimal, parse_constant=str))
    except (ValueError, ArithmeticError, RecursionError):
        pass
    try:
        return cast("object", json.loads(body, parse_float=_decimal, parse_int=_integer, parse_constant=str))
    except (ValueError, RecursionError):
        return UNREADABLE


def encode(value: object) -> bytes:
    """Return `value` as JSON text, exactly: `Decimal("0.1000000000")` is written as `0.1000000000`.

    Raises:
        InvalidRequest: A value has no JSON form here: a float or Decimal that is not finite, a naive
            datetime, another type, or nesting deeper than 60.
    """
    return "".join(_pieces(value, 0)).encode("ascii")


def stamp(moment: datetime) -> str:
    """Return an aware moment as RFC 3339 with its offset and at least milliseconds.

    Raises:
        InvalidRequest: The moment is naive.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        message = "a date and time needs an offset: Katana refuses naive ones"
        raise InvalidRequest(message)
    return moment.isoformat(timespec="microseconds" if moment.microsecond % 1000 else "milliseconds").replace(
        "+00:00", "Z"
    )


def number(value: Decimal) -> str:
    """Return a finite decimal as a JSON number with all its digits.

    Raises:
        InvalidRequest: It is not finite.
    """
    if not value.is_finite():
        message = "a number must be finite"
        raise InvalidRequest(message)
    return format(value, "f") if value.adjusted() in _PLAIN_EXPONENTS else str(value)


def _pieces(value: object, depth: int) -> list[str]:
    if depth > _MAX_DEPTH:
        message = "a body may not be nested deeper than 60 levels"
        raise InvalidRequest(message)
    if isinstance(value, Mapping):
        return _object(cast("Mapping[object, object]", value), depth)
    if isinstance(value, list | tuple):
        return _array(cast("list[object]", value), depth)
    return [_scalar(value)]


def _object(value: Mapping[object, object], depth: int) -> list[str]:
    pieces = ["{"]
    for key, item in value.items():
        if not isinstance(key, str):
            message = "the keys of a body are texts"
            raise InvalidRequest(message)
        pieces += [
            "," if len(pieces) > 1 else "",
            encode_basestring_ascii(key),
            ":",
            *_pieces(item, depth + 1),
        ]
    return [*pieces, "}"]


def _array(value: list[object], depth: int) -> list[str]:
    pieces = ["["]
    for item in value:
        pieces += ["," if len(pieces) > 1 else "", *_pieces(item, depth + 1)]
    return [*pieces, "]"]


def _scalar(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    for kind, write in _WRITERS:
        if isinstance(value, kind):
            return write(value)
    message = f"a body cannot hold a {type(value).__name__}"
    raise InvalidRequest(message)


def _float(value: float) -> str:
    return number(Decimal(repr(value)))


def _datetime(value: datetime) -> str:
    return f'"{stamp(value)}"'


def _date(value: date) -> str:
    return f'"{value.isoformat()}"'


def _uuid(value: UUID) -> str:
    return f'"{value}"'


_WRITERS: tuple[tuple[type[object], Callable[..., str]], ...] = (
    (str, encode_basestring_ascii),
    (int, int.__repr__),
    (Decimal, number),
    (float, _float),
    (datetime, _datetime),
    (date, _date),
    (UUID, _uuid),
)


def _decimal(text: str) -> Decimal | str:
    try:
        return Decimal(text)
    except ArithmeticError:
        return text


def _integer(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text
