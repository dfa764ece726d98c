"""The ids that a listing has seen: eight bytes for each number, where a set of half a million takes some 45 MB.

Quickest for numbers that fall, as they do in listings of what is newest first.
"""

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import groupby

from cache_core.records import RecordId


class ListedIds(Collection[RecordId]):
    """Ids, each once: numbers of 64 bits and texts."""

    def __init__(self, ids: Iterable[RecordId] = ()) -> None:
        # The other way round and in order, so that the next of falling numbers goes to the end.
        self._numbers = array("q")
        self._texts: set[str] = set()
        self.add(ids)

    def __contains__(self, record_id: object) -> bool:
        if not isinstance(record_id, int):
            return record_id in self._texts
        place = bisect_left(self._numbers, -record_id)
        return place < len(self._numbers) and self._numbers[place] == -record_id

    def __iter__(self) -> Iterator[RecordId]:
        """Yield the numbers in rising order, then the texts."""
        yield from (-number for number in reversed(self._numbers))
        yield from sorted(self._texts)

    def __len__(self) -> int:
        return len(self._numbers) + len(self._texts)

    def add(self, ids: Iterable[RecordId]) -> None:
        """Add those that are not there yet."""
        listed = list(ids)
        self._texts.update(record_id for record_id in listed if isinstance(record_id, str))
        numbers = sorted({-record_id for record_id in listed if isinstance(record_id, int) and record_id not in self})
        if not numbers or not self._numbers or numbers[0] > self._numbers[-1]:
            self._numbers.extend(numbers)
            return
        # One copy of all for a page: a move for each of its numbers takes ten times as long.
        merged, copied = array("q"), 0
        for place, together in groupby(numbers, partial(bisect_left, self._numbers)):
            merged += self._numbers[copied:place]
            merged.extend(together)
            copied = place
        self._numbers = merged + self._numbers[copied:]
