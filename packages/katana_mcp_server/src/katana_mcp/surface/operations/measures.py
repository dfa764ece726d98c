"""Measures that a person writes as one word and a name as several: `35mm` for `35 mm`, `29x2.4` for `29 x 2.4`.

Refuses what may be a code: letters that are no unit, and a number that a letter, a dot or a hyphen stands before.
"""

import re

_UNITS = (
    "mm|cm|dm|m|km|in|inch|ft|zoll|mg|g|kg|t|lb|lbs|oz|ml|cl|l|ltr|v|kv|a|ma|ah|mah|w|kw|wh|kwh|hz|ohm|nm|n|bar|psi|mpa"
)
_NUMBER = r"\d+(?:[.,]\d+)?"
_BEGIN = r"(?<![\w.,-])"
_TIMES = re.compile(r"[x\N{MULTIPLICATION SIGN}]", re.IGNORECASE)
_SIZE = re.compile(rf"{_BEGIN}{_NUMBER}(?:{_TIMES.pattern}{_NUMBER})+", re.IGNORECASE)
_UNIT = re.compile(rf"{_BEGIN}({_NUMBER})({_UNITS})(?![\w-])", re.IGNORECASE)


def spaced(query: str) -> str | None:
    """Return the query with blanks inside its measures; None where it has none."""
    apart = _UNIT.sub(r"\1 \2", _SIZE.sub(lambda size: _TIMES.sub(" x ", size[0]), query))
    return None if apart == query else apart
