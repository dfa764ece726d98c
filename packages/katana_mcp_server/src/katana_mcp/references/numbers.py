"""The number of a new document where the caller gives none: so a create can be recognised.

It is the next free one as of the preview, and assigned for good when the plan is applied.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_COUNTED = re.compile(r"([A-Za-z0-9#/._-]{0,20}?)(\d{1,15})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """The number of a new document, and which other documents have it in Katana now.

    It is counted once all others are known, or when the caller gave it. Where it is open, the caller left it to us, and
    another one may be assigned when the plan is applied.
    """

    number: str
    is_counted: bool = True
    taken: tuple[int, ...] = ()
    is_open: bool = False

    @property
    def called(self) -> str:
        """The number as a summary tells it."""
        return f"{self.number} (the next free number as of now)" if self.is_open else self.number

    def assigned(self, argument: str) -> dict[str, object]:
        """Return the argument that the plan chose, if it did."""
        return {argument: self.number} if self.is_open else {}


def next_number(newest_first: Iterable[str], prefix: str) -> str:
    """Return the number after the highest of those that are written like the newest one.

    Args:
        newest_first: numbers in use.
        prefix: where none of them ends in digits.
    """
    counted = [found for number in newest_first if (found := _COUNTED.fullmatch(number))]
    if not counted:
        return f"{prefix}1"
    before = counted[0][1]
    return f"{before}{max(int(match[2]) for match in counted if match[1] == before) + 1}"
