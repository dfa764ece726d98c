"""Whether what Katana holds is what was meant: numbers by value, moments as instants, cleared as nothing."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import cast


def differing(expected: Mapping[str, object], found: Mapping[str, object]) -> list[str]:
    """Return the fields that are there and mean something else; what an answer leaves out says nothing."""
    return [name for name, value in expected.items() if name in found and not same(value, found[name])]


def holds(expected: Mapping[str, object], found: Mapping[str, object]) -> bool:
    """Return whether every field is there and means what is expected; a field that is cleared may be missing."""
    return all(same(value, found.get(name)) for name, value in expected.items())


def same(expected: object, found: object) -> bool:
    """Return whether two values of JSON mean the same; an object may hold more than is expected."""
    if isinstance(expected, Mapping):
        return isinstance(found, Mapping) and holds(
            cast("Mapping[str, object]", expected), cast("Mapping[str, object]", found)
        )
    if isinstance(expected, list):
        return isinstance(found, list) and _all_same(cast("list[object]", expected), cast("list[object]", found))
    if expected in _NOTHING or found in _NOTHING:
        return expected in _NOTHING and found in _NOTHING
    return _plain(expected) == _plain(found)


_NOTHING = (None, "")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,39})(\.\d{1,40})?")
"""A number on the wire; one with leading zeros is a text, such as a postcode."""
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")


def _all_same(expected: list[object], found: list[object]) -> bool:
    """Return whether each of one list is in the other; the order of rows means nothing."""
    left = list(found)
    for each in expected:
        match = next((place for place, other in enumerate(left) if same(each, other)), None)
        if match is None:
            return False
        del left[match]
    return not left


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return Decimal(value)
    return _instant(value) if isinstance(value, str) and _MOMENT.match(value) else value


def _instant(text: str) -> object:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return moment if moment.tzinfo is not None else text
