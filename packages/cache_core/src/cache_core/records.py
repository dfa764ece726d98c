"""Records as the cache keeps them: JSON values with exact decimals, one codec for every backend.

Refuses values that have no JSON form (an open file, NaN): such a record is invalid and goes to quarantine.
"""

import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache

import msgspec

type Json = bool | int | Decimal | str | list[Json] | dict[str, Json] | None
type Record = Mapping[str, object]
type RecordId = int | str

_OBJECT = (dict, Mapping)
_ID = (int, str)
"""Unions would be built anew for each look."""

_encoder = msgspec.json.Encoder(decimal_format="number")
_decoder: msgspec.json.Decoder[Json] = msgspec.json.Decoder(float_hook=Decimal)


class InvalidRecord(ValueError):
    """A record that cannot be kept; the message says which value and why."""


def encode(record: Record) -> bytes:
    """Return the record as UTF-8 JSON; decimals keep every digit, datetimes become ISO-8601 in UTC.

    A float that is not finite becomes null; what comes from Katana holds decimals, and no floats.

    Raises:
        InvalidRecord: a value has no JSON form: a decimal that is not finite, an object of Python.
    """
    try:
        data = _encoder.encode(record)
    except (UnicodeEncodeError, TypeError, ValueError):
        return _encoder.encode(_clean(record, ""))
    # A decimal that is not finite is written as a bare word, which is no JSON; in a text it is harmless.
    return _encoder.encode(_clean(record, "")) if b"NaN" in data or b"Infinity" in data else data


def decode(data: bytes | str) -> dict[str, Json]:
    """Return the record that `encode` wrote: numbers with a fraction come back as `Decimal`.

    Raises:
        InvalidRecord: the data is not a JSON object.
    """
    try:
        value = _decoder.decode(data)
    except msgspec.DecodeError as error:
        raise InvalidRecord(f"a stored record must be JSON: {error}") from error
    if not isinstance(value, dict):
        raise InvalidRecord("a stored record must be a JSON object")
    return value


def canonical(record: Record) -> dict[str, Json]:
    """Return the record as any backend would give it back."""
    return decode(encode(record))


def iso(moment: datetime) -> str:
    """Return an aware datetime as Katana writes it: UTC with milliseconds, `2021-09-01T07:49:29.813Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment_in(value: object) -> str | None:
    """Return the moment that a value names in the form of `iso`, or None: a text without an offset names none."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            return None
        return value if _is_iso(value) else iso(moment)
    except (ValueError, OverflowError):
        return None


def is_set(record: Record, name: str) -> bool:
    """Return whether a record says that something happened to it: `deleted_at`, `archived_at` name a moment."""
    value = record.get(name)
    return value is not None and moment_in(value) is not None


def _is_iso(value: str) -> bool:
    return len(value) == _ISO_LENGTH and value[10] == "T" and value[19] == "." and value[23] == "Z"


_ISO_LENGTH = 24


def is_text(value: str) -> bool:
    """Return whether the value can be written as UTF-8: a lone surrogate cannot."""
    return value.isascii() or value.encode("utf-8", "replace").decode("utf-8") == value


def as_amount(value: object) -> Decimal | None:
    """Return the value if it can be an amount, or None: what is computed of `1e999999` overflows.

    An amount is below 10**18, the most that Katana takes, and not closer to zero than a double can be.
    """
    if type(value) is Decimal:
        return value if _LEAST <= value.adjusted() < _MOST and value.is_finite() else None
    if type(value) is int:
        return Decimal(value) if -_TOO_MUCH < value < _TOO_MUCH else None
    return None


_LEAST, _MOST = -400, 18
"""Exponents of an amount."""
_TOO_MUCH = 10**_MOST


def as_id(value: object) -> RecordId | None:
    """Return the value if it can identify a record: a text, or a whole number of 64 bits; `true` is neither."""
    if type(value) is int:
        return value if -(2**63) < value < 2**63 else None
    return value if isinstance(value, str) and is_text(value) else None


def values_at(record: object, path: str) -> Iterator[object]:
    """Yield each non-null value at a dotted path; `[]` steps into a list: `sales_order_rows[].variant_id`."""
    name, listed, rest = _step(path)
    value = record.get(name) if isinstance(record, _OBJECT) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - records are open
    if value is None:
        return
    items: list[object] = value if listed and isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType] - records are open
    for item in items:
        if rest:
            yield from values_at(item, rest)
        elif isinstance(item, list):
            yield from (element for element in item if element is not None)  # pyright: ignore[reportUnknownVariableType] - records are open
        elif item is not None:
            yield item


def ids_at(record: Record, path: str) -> list[RecordId]:
    """Return the ids at a path, in the order of `values_at`."""
    if path.isidentifier():
        value = record.get(path)
        if value is None:
            return []
        if isinstance(value, _ID):
            own = as_id(value)
            return [] if own is None else [own]
    return [found for value in values_at(record, path) if (found := as_id(value)) is not None]


@lru_cache(maxsize=512)
def _step(path: str) -> tuple[str, bool, str]:
    """Return the first name of a path, whether it steps into a list, and the rest of the path."""
    head, _, rest = path.partition(".")
    return head.removesuffix("[]"), head.endswith("[]"), rest


def projected(record: Mapping[str, Json], fields: frozenset[str]) -> dict[str, Json]:
    """Return what a record has at these paths, as it stands there: of rows, `rows[].name` keeps that field alone."""
    fields_by_name = inner_fields(fields)
    return {name: _of_rows(value, fields_by_name[name]) for name, value in record.items() if name in fields_by_name}


@lru_cache(maxsize=256)
def inner_fields(fields: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """Return the fields that paths name, each with those of its rows; none where it is whole."""
    steps = [_step(path) for path in fields]
    whole = {name for name, _, rest in steps if not rest}
    inner = {name for name, _, rest in steps if rest} - whole
    named = {name: frozenset(rest for head, _, rest in steps if head == name) for name in inner}
    return named | dict.fromkeys(whole, frozenset[str]())


def _of_rows(value: Json, inner: frozenset[str]) -> Json:
    if not inner:
        return value
    if isinstance(value, dict):
        return {name: item for name, item in value.items() if name in inner}
    if isinstance(value, list):
        return [_of_rows(row, inner) if isinstance(row, dict) else row for row in value]
    return value


def _clean(value: object, path: str) -> Json:
    """Replace what JSON cannot hold by what it can, or refuse it by name."""
    if isinstance(value, Mapping):
        return {_text(str(key)): _clean(item, f"{path}.{key}") for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - records are open
    if isinstance(value, list | tuple):
        return [_clean(item, f"{path}[{index}]") for index, item in enumerate(value)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - records are open
    return _scalar(value, path)


def _scalar(value: object, path: str) -> Json:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float | Decimal):
        return _number(Decimal(repr(value)) if isinstance(value, float) else value, path)
    return _other(value, path)


def _other(value: object, path: str) -> Json:
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, date | uuid.UUID):
        return str(value)
    raise InvalidRecord(f"{path.removeprefix('.')}: a {type(value).__name__} has no JSON form")


def _number(value: Decimal, path: str) -> Decimal:
    if not value.is_finite():
        raise InvalidRecord(f"{path.removeprefix('.')}: {value} is not a number")
    return value


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8") if not value.isascii() else value
