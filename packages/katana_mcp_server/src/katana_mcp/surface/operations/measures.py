"""Measures that one person writes as one word and another as several: `35mm` and `35 mm`, `M6x20` and `M6 x 20`.

Refuses what may be a code: letters that are no unit, and a number that a letter, a dot or a hyphen stands before, but
for the `M` of a thread.
"""

import re
from collections.abc import Sequence

_UNITS = (
    "mm|cm|dm|m|km|in|inch|ft|zoll|mg|g|kg|t|lb|lbs|oz|ml|cl|l|ltr|v|kv|a|ma|ah|mah|w|kw|wh|kwh|hz|ohm|nm|n|bar|psi|mpa"
)
_NUMBER = r"\d+(?:[.,]\d+)?"
_BEGIN = r"(?<![\w.,-])"
_TIMES = r"\s*[x\N{MULTIPLICATION SIGN}]\s*"
_SIZE = re.compile(rf"{_BEGIN}M?{_NUMBER}(?:{_TIMES}{_NUMBER})+", re.IGNORECASE)
_UNIT = re.compile(rf"{_BEGIN}({_NUMBER})\s*({_UNITS})(?![\w-])", re.IGNORECASE)


def written_otherwise(query: str) -> Sequence[str]:
    """Return the query with its measures as several words, and as one each: what differs from how it was typed."""
    found = (_written(query, blank) for blank in (" ", ""))
    return [text for text in found if text != query]


def _written(query: str, blank: str) -> str:
    sizes = _SIZE.sub(lambda size: re.sub(_TIMES, f"{blank}x{blank}", size[0], flags=re.IGNORECASE), query)
    return _UNIT.sub(rf"\1{blank}\2", sizes)
