"""The number of a new document where the caller gives none: so a create can be recognised."""

import re
from collections.abc import Iterable

_COUNTED = re.compile(r"([A-Za-z0-9#/._-]{0,20}?)(\d{1,15})")


def next_number(newest_first: Iterable[str], prefix: str) -> str:
    """Return the number after the highest of those that are written like the newest one.

    Args:
        newest_first: numbers in use.
        prefix: where none of them ends in digits.
    """
    counted = [found for each in newest_first if (found := _COUNTED.fullmatch(each))]
    if not counted:
        return f"{prefix}1"
    before = counted[0][1]
    return f"{before}{max(int(each[2]) for each in counted if each[1] == before) + 1}"
