"""Which of the tests that run a line are tried on its bug: those that run little else, then the quickest."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from mutants.drawn.lines import Test

SPECIFIC = 20
"""So many that run the fewest lines are tried, however long they take."""
MOST = 60
SECONDS = 40.0
"""Of all that are tried on one bug, as long as they take without it."""
ALIKE = 2
"""So many of one function's cases are tried before those of others, the quickest."""


def chosen(tests: Sequence[Test], most: int = MOST, seconds: float = SECONDS) -> list[Test]:
    """Return the tests to try, in the order in which to try them."""
    specific = list(_spread(sorted(tests, key=lambda test: (test.size, test.seconds, test.name))))
    quick = _spread(sorted(tests, key=lambda test: (test.seconds, test.name)))
    taken = dict.fromkeys(specific[:SPECIFIC])
    spent = sum(test.seconds for test in taken)
    for test in quick:
        if len(taken) >= most or spent + test.seconds > seconds:
            break
        if test not in taken:
            taken[test] = None
            spent += test.seconds
    return list(taken)


def _spread(tests: Iterable[Test]) -> Iterator[Test]:
    """Yield a few cases of each function first, then the others."""
    count = Counter[str]()
    first: list[Test] = []
    others: list[Test] = []
    for test in tests:
        function = test.name.partition("[")[0]
        count[function] += 1
        (first if count[function] <= ALIKE else others).append(test)
    return chain(first, others)
