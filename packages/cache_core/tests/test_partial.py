"""Which rows a search for some of the words looks at, from the words' lists of rows."""

import pytest

from cache_core import partial
from cache_core.partial import Listed, likeliest, present
from cache_core.search_rules import parse


def listed(*rows: int, cut: bool = False) -> Listed:
    """Return a word's list of rows."""
    return Listed(rows, cut)


@pytest.mark.parametrize(
    ("lists", "together", "rows", "cut"),
    [
        ([], [], [], False),
        ([listed(), listed()], [], [], False),
        ([listed(3, 1), listed(4, 3)], [], [3, 4, 1], False),
        ([listed(9, 5, 1), listed(7, 5), listed(5, 1)], [], [5, 1, 9, 7], False),
        # What holds all of them comes first, though the lists that were cut do not meet there.
        ([listed(9, 8, cut=True), listed(7)], [2], [2, 9, 8, 7], True),
        ([listed(9, 2, cut=True), listed(7)], [2], [2, 9, 7], True),
        ([listed(9), listed(7), listed()], [2], [2, 9, 7], False),
    ],
)
def test_the_rows_on_the_most_lists_come_first_and_of_these_the_newest(
    lists: list[Listed], together: list[int], rows: list[int], *, cut: bool
) -> None:
    assert likeliest(lists, together) == (rows, cut)


def test_a_list_that_is_cut_and_empty_cuts_nothing() -> None:
    assert likeliest([listed(cut=True), listed(4)], []) == ([4], False)


@pytest.mark.parametrize(("most", "rows", "cut"), [(4, [3, 4, 2, 1], False), (3, [3, 4, 2], True), (1, [3], True)])
def test_only_so_many_rows_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, most: int, rows: list[int], *, cut: bool
) -> None:
    monkeypatch.setattr(partial, "MAX_LOOKED", most)
    assert likeliest([listed(3, 2, 1), listed(4, 3)], []) == (rows, cut)


def test_the_words_that_stand_somewhere_are_asked_for_together_where_a_list_was_cut() -> None:
    query = parse("fork 35-inch for saddle")
    assert present(query, [listed(1), listed(2), listed(3)]) == ()
    assert present(query, [listed(1, cut=True), listed(2), listed()]) == ("fork", "35", "inch")
    assert present(query, [listed(cut=True), listed(2), listed()]) == ()
    assert present(query, [listed(), listed(2), listed(3, cut=True)]) == ("35", "inch", "saddle")
