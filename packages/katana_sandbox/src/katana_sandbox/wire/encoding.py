"""JSON in and out, in the number forms of the API."""

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

# The one place that names the shape of a record: any JSON object, poison included.
type Record = dict[str, Any]

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_ASCII = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False)
_DECODER = json.JSONDecoder()
_EXACT = 1e15
_NESTED = (dict, list)


def encode(value: object) -> bytes:
    """Compact UTF-8; text that UTF-8 cannot hold is escaped."""
    try:
        return _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        return _ASCII.encode(value).encode()


def decode(raw: bytes) -> object:
    """The value of our own bytes."""
    return cast("object", _DECODER.raw_decode(raw.decode())[0])


def decode_record(raw: bytes) -> Record:
    """The object of our own bytes; anything else reads as an empty one."""
    shared, parts = _decoded(raw)
    record = shared.copy()
    for name in parts:
        record[name] = _copied(record[name])
    return record


@lru_cache(maxsize=4096)
def _decoded(raw: bytes) -> tuple[Record, tuple[str, ...]]:
    """The object of bytes, and its members that are no plain values: rules read the same few over and over."""
    value = decode(raw)
    record = cast("Record", value) if isinstance(value, dict) else {}
    return record, tuple(name for name, member in record.items() if type(member) in _NESTED)


def _copied(value: Record | list[Any]) -> Record | list[Any]:
    if type(value) is list:
        return [_copied(element) if type(element) in _NESTED else element for element in value]
    members = cast("Record", value).items()
    return {name: _copied(member) if type(member) in _NESTED else member for name, member in members}


def parse(raw: bytes) -> object:
    """The value of a request body, read as a JavaScript server would; ValueError when it is no JSON."""
    return cast("object", json.loads(raw, parse_float=_number, parse_constant=_refuse))


def rows(record: Record, name: str) -> list[Record]:
    """The objects listed under a name; none when it is absent or null."""
    return cast("list[Record]", record.get(name) or [])


def plain(value: float) -> int | float:
    """A number without a needless fraction: 5.0 is written 5."""
    return int(value) if value == int(value) and abs(value) < _EXACT else value


def splice(raw: bytes, members: Mapping[str, bytes]) -> bytes:
    """Add encoded members to an encoded object."""
    if not members or not raw.endswith(b"}"):
        return raw
    added = b",".join(b'"%s":%s' % (name.encode(), value) for name, value in members.items())
    return raw[:-1] + (b"," if len(raw) > len(b"{}") else b"") + added + b"}"


def array(parts: list[bytes]) -> bytes:
    """An encoded array of encoded parts."""
    return b"[" + b",".join(parts) + b"]"


def _number(text: str) -> int | float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("number out of range")
    return plain(value)


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not JSON")
