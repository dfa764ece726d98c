"""Which rows a search for some of the words looks at: those on the most lists, a list per word, the newest first.

Bounded by counts; refuses to decide, which `text.guess` does on the rows' texts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cache_core.search_rules import Query, carriers

MAX_LISTED = 5_000
"""Rows of one word that are listed at most: the newest."""

MAX_LOOKED = 500
"""Rows whose texts are looked at."""


class Listed(NamedTuple):
    """The rows in which a word stands, the newest first, and whether there are more of them."""

    rows: Sequence[int]
    cut: bool


def likeliest(listed: Iterable[Listed], together: Sequence[int]) -> tuple[list[int], bool]:
    """Return the rows on the most lists, the newest first, and whether some row was left out or not listed.

    Args:
        listed: for each word that a hit may rest on.
        together: rows that hold all of these words, for the lists that were cut may not meet.
    """
    lists = [row_list for row_list in listed if row_list.rows]
    counts = Counter(row for row_list in lists for row in row_list.rows)
    counts.update({row: len(lists) - counts[row] for row in together})
    by_count: dict[int, list[int]] = {}
    for row, count in counts.items():
        by_count.setdefault(count, []).append(row)
    best: list[int] = []
    for count in sorted(by_count, reverse=True):
        if len(best) >= MAX_LOOKED:
            break
        best += sorted(by_count[count], reverse=True)
    return best[:MAX_LOOKED], len(counts) > MAX_LOOKED or any(row_list.cut for row_list in lists)


def present(query: Query, listed: Iterable[Listed]) -> tuple[str, ...]:
    """Return the tokens of all words with a list that is not empty, if one of these was cut; otherwise nothing."""
    lists = [(word, row_list) for word, row_list in zip(carriers(query), listed, strict=True) if row_list.rows]
    if not any(row_list.cut for _, row_list in lists):
        return ()
    return tuple(token for word, _ in lists for token in word)
