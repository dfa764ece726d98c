"""Which of the tests that run a line are tried on its bug: those that are likely to notice it, and soon over.

First come those that run little else, and those of files that are named like the code; then the quickest of each file,
its own package's first.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from pathlib import PurePosixPath

from mutants.drawn.lines import Test

LIKELY = 12
"""So many that run the fewest lines, and as many of files named like the code, are tried however long they take."""
MOST = 400
SECONDS = 90.0
"""Of all that are tried on one bug, as long as they take without it."""
ALIKE = 2
"""So many of one function's cases are likely before those of others."""


def chosen(tests: Sequence[Test], file: str, most: int = MOST, seconds: float = SECONDS) -> list[Test]:
    """Return the tests to try on a bug in a file, in the order in which to try them."""
    small = _in_turn(sorted(tests, key=lambda test: (test.size, test.seconds, test.name)), _function, ALIKE)
    named = [test for test in small if _words(_file(test)) & _words(file)]
    likely = (test for pair in zip_longest(small[:LIKELY], named[:LIKELY]) for test in pair if test is not None)
    taken = dict.fromkeys(likely)
    spent = sum(test.seconds for test in taken)
    package = "/".join(file.split("/")[:2])
    quick = sorted(tests, key=lambda test: (not test.name.startswith(f"{package}/"), test.seconds, test.name))
    for test in _in_turn(quick, _file, 1):
        if len(taken) >= most or spent + test.seconds > seconds:
            break
        if test not in taken:
            taken[test] = None
            spent += test.seconds
    return list(taken)


def _in_turn(tests: Iterable[Test], key: Callable[[Test], str], at_once: int) -> list[Test]:
    """Return a few of each kind, then a few more of each, and so on."""
    seen = Counter[str]()
    rounds: list[tuple[int, Test]] = []
    for test in tests:
        rounds.append((seen[key(test)] // at_once, test))
        seen[key(test)] += 1
    return [test for _, test in sorted(rounds, key=lambda entry: entry[0])]


def _function(test: Test) -> str:
    return test.name.partition("[")[0]


def _file(test: Test) -> str:
    return test.name.partition("::")[0]


def _words(file: str) -> set[str]:
    """Return the words in the name of a file and of its folder."""
    path = PurePosixPath(file)
    return {*path.stem.split("_"), *path.parent.name.split("_")} - {"test", "tests", "cache", "katana"}
