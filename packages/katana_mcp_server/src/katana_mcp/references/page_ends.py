"""Where the pages of questions ended, so that the next page begins there: of the last questions, for a while.

What is forgotten is worked out again, from the first page on.
"""

from collections import OrderedDict

REMEMBERED = 600.0
"""Seconds."""
_MOST = 5_000


class PageEnds:
    """The ends of pages that were answered."""

    def __init__(self) -> None:
        self._ends: OrderedDict[tuple[str, int], tuple[float, int]] = OrderedDict()

    def of(self, question: str, page: int, now: float) -> int | None:
        """Return how many rows there are up to the end of a page, if it was answered a short while ago."""
        at, end = self._ends.get((question, page), (float("-inf"), 0))
        return end if now - at <= REMEMBERED else None

    def last_page(self, question: str, rows: int, now: float) -> int:
        """Return the first page that is known to end with so many rows or later; 1 where none is."""
        ends = [(page, at, end) for (asked, page), (at, end) in self._ends.items() if asked == question]
        return min((page for page, at, end in ends if end >= rows and now - at <= REMEMBERED), default=1)

    def note(self, question: str, page: int, end: int, now: float) -> None:
        """Remember where a page ended."""
        self._ends[question, page] = (now, end)
        self._ends.move_to_end((question, page))
        if len(self._ends) > _MOST:
            self._ends.popitem(last=False)
