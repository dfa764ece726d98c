"""What of a plan's facts is different by now, field by field, in words: `status: NOT_RECEIVED → RECEIVED`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from katana_mcp.tools.answers import first_of
from katana_mcp.writing.preview import value_in_words

_MOST, _LONGEST = 5, 60
"""Fields that are told, and characters of a value."""
_NOTHING = (None, "")
_CLOCKS = ("updated_at", "deleted_at")
"""Fields that change along with another one, or along with one that is not shown."""
_SUMS = ("total", "total_in_base_currency")
"""Fields that a record is without after a write to its rows, until it is read again with them."""
_RECORD = "record."


def differences(old: Mapping[str, object], new: Mapping[str, object]) -> str:
    """Return the fields that differ between two values of JSON, each with old and new; empty where none does.

    Those of the record itself are named without saying so; sums come last, for they follow from others.
    """
    found = sorted(_in_objects("", old, new), key=lambda pair: _field(pair[0]).startswith("total"))
    telling = [text for path, text in found if _field(path) not in _CLOCKS] or [text for _, text in found]
    return first_of([text.removeprefix(_RECORD) for text in telling], _MOST)


def _field(path: str) -> str:
    return path.rpartition(".")[2]


def _in_objects(path: str, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    unread = {name for name in _SUMS if (name in old) != (name in new)}
    for name in [name for name in dict.fromkeys((*old, *new)) if name not in unread]:
        yield from _between(f"{path}.{name}" if path else name, old.get(name), new.get(name))


def _between(path: str, old: object, new: object) -> Iterator[tuple[str, str]]:
    if old == new or (old in _NOTHING and new in _NOTHING):
        return
    plainly = f"{path}: {_value(old)} → {_value(new)}"
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _in_objects(path, cast("Mapping[str, object]", old), cast("Mapping[str, object]", new))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _in_lists(path, cast("list[object]", old), cast("list[object]", new))
    else:
        yield path, plainly


def _in_lists(path: str, old: Sequence[object], new: Sequence[object]) -> Iterator[tuple[str, str]]:
    """Yield what differs between rows of the same id, and which came or went; without ids by their places."""
    before, after = _named(old), _named(new)
    for name, row in before.items():
        here = f"{path}[{name}]"
        if name in after:
            yield from _between(here, row, after[name])
        else:
            yield here, f"{here} is gone"
    for name in after:
        if name not in before:
            yield path, f"{path}[{name}] is new"


def _named(rows: Sequence[object]) -> dict[str, object]:
    """Return entries by what tells them apart: their id, themselves where they are plain, else their place."""
    return {_name(row, place): row for place, row in enumerate(rows)}


def _name(row: object, place: int) -> str:
    if isinstance(row, Mapping):
        number = cast("Mapping[str, object]", row).get("id")
        return f"#{place + 1}" if number is None else f"id {number}"
    return f"#{place + 1}" if isinstance(row, list) else str(row)[:_LONGEST]


def _value(value: object) -> str:
    text = value_in_words(value)
    if text is None or text == "":
        return "nothing"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
