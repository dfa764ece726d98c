"""What is computed of many rows: a little where it is asked for, more in a thread, others being answered meanwhile.

It is not computed again of the very same rows: a cache gives a row as the same object as long as nothing of it
changes, whatever else was written. Who gets a result leaves it as it is, as he does the rows.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from itertools import islice
from operator import is_
from typing import NamedTuple, cast

HERE = 1_000
"""Rows of which something is computed where it is asked for, in some 5 ms: a thread takes a tenth of that to reach."""
MOST = 64
"""Results that are kept, those used last: a burst of questions asks for some twenty."""
MOST_AT_ONCE = 1_000
"""Rows and objects of a result that is kept: more rows of one read are not given as the same objects again."""


class Result(NamedTuple):
    """What was computed, and of which objects: only while they are held can no other be taken for them."""

    of: tuple[object, ...]
    value: object


class Results:
    """Results that are kept, by what computes them and the objects that they are of."""

    def __init__(self) -> None:
        """Keep none."""
        self._results: OrderedDict[Hashable, Result] = OrderedDict()

    def get(self, key: Hashable, objects: tuple[object, ...]) -> Result | None:
        """Return the result of these very objects, or None; it was used last now."""
        found = self._results.get(key)
        if found is None or not all(map(is_, found.of, objects)):
            return None
        self._results.move_to_end(key)
        return found

    def keep(self, key: Hashable, result: Result) -> None:
        """Keep a result; the one that was not used for longest gives way."""
        self._results[key] = result
        self._results.move_to_end(key)
        if len(self._results) > MOST:
            self._results.popitem(last=False)


_KEPT = Results()
place_of: Callable[[object], int] = object.__hash__
"""Tells where an object stands in memory; `id` does too, but whatever audits the process hears of each call of it."""


async def computed[*A, T](rows: int, work: Callable[[*A], T], *given: *A) -> T:
    """Return what is computed of so many rows; hundreds of thousands take seconds of a processor."""
    return work(*given) if rows <= HERE else await asyncio.to_thread(work, *given)


async def computed_once[*A, T](
    rows: int, of: Iterable[object], work: Callable[[*A], T], *given: *A, asked: Hashable = (), aside: bool = False
) -> T:
    """Return what `computed` does, or what it returned before of the very same objects.

    Args:
        rows: how many rows it is computed of, those of earlier results among them: what is made of a result that
            was too large to be kept is not kept either.
        of: every object that the result is made of, in their order: rows, and earlier results.
        work: a function that knows nothing but what it is given.
        *given: what it is given.
        asked: what else of that makes a difference, as a value.
        aside: whether it is computed in a thread, because a few rows may take long too.
    """
    size = HERE + 1 if aside else rows
    objects = tuple(islice(of, MOST_AT_ONCE + 1))
    if max(rows, len(objects)) > MOST_AT_ONCE:
        return await computed(size, work, *given)
    key = (work, asked, tuple(map(place_of, objects)))
    found = _KEPT.get(key, objects)
    if found is None:
        found = Result(objects, await computed(size, work, *given))
        _KEPT.keep(key, found)
    return cast("T", found.value)
