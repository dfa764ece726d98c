"""Bodies as a more forgiving server would read them, for the switches that say so."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from katana_sandbox.switches import Switches
from katana_sandbox.wire.schema import Schema
from katana_sandbox.wire.times import naive_moment, wire_moment

if TYPE_CHECKING:
    from katana_sandbox.wire.encoding import Record

type _Text = Callable[[str], str]


def lenient(schema: Schema, body: object, switches: Switches) -> object:
    """The body without keys that it may not have, and naive dates as UTC; as it is while both are refused."""
    drop = switches.word("unknown_keys") == "ignore"
    naive = switches.word("naive_body_dates") == "utc"
    return _read(schema, body, drop=drop, date=_zoned if naive else str) if drop or naive else body


def _read(schema: Schema, value: object, *, drop: bool, date: _Text) -> object:
    if isinstance(value, dict):
        given = cast("Record", value)
        return {
            name: _read(schema.members[name], item, drop=drop, date=date) if name in schema.members else item
            for name, item in given.items()
            if name in schema.members or not (drop and schema.closed)
        }
    if isinstance(value, list):
        items, entries = schema.items, cast("list[object]", value)
        return entries if items is None else [_read(items, entry, drop=drop, date=date) for entry in entries]
    return date(value) if schema.moment and isinstance(value, str) else value


def _zoned(text: str) -> str:
    moment = naive_moment(text)
    return text if moment is None else wire_moment(moment)
