"""Whether a shown word and a stored value may mean the same: by their looks, since a shown word has no kind."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import cast

_NOTHING = (None, "")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,39})(\.\d{1,40})?")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")


def alike(shown: object, real: object) -> bool:
    """Return whether two values look the same; an object may hold more than is shown."""
    if isinstance(shown, Mapping):
        held = {} if real in _NOTHING else real
        return isinstance(held, Mapping) and all_alike(
            cast("Mapping[str, object]", shown), cast("Mapping[str, object]", held)
        )
    if isinstance(shown, list):
        return isinstance(real, list) and _rows_alike(cast("list[object]", shown), cast("list[object]", real))
    if shown in _NOTHING or real in _NOTHING:
        return shown in _NOTHING and real in _NOTHING
    return _plain(shown) == _plain(real)


def all_alike(shown: Mapping[str, object], real: Mapping[str, object]) -> bool:
    """Return whether every field is there and looks as it was shown."""
    return all(alike(value, real.get(name)) for name, value in shown.items())


def _rows_alike(shown: list[object], real: list[object]) -> bool:
    left = list(real)
    for row in shown:
        match = next((place for place, other in enumerate(left) if alike(row, other)), None)
        if match is None:
            return False
        del left[match]
    return not left


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        return Decimal(str(value))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return Decimal(value)
    return _instant(value) if isinstance(value, str) and _MOMENT.match(value) else value


def _instant(text: str) -> object:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return moment if moment.tzinfo is not None else text
