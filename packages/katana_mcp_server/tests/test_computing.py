"""What is computed of many rows: where, that it is the same, and not again of the same rows."""

import threading
from collections.abc import Sequence
from weakref import ref

import pytest

from katana_mcp.workflows import computing
from katana_mcp.workflows.computing import HERE, Results, computed, computed_once


class Row:
    """A row, equal to every other of its number."""

    def __init__(self, nr: int) -> None:
        self.nr = nr

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and other.nr == self.nr

    def __hash__(self) -> int:
        return self.nr


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "_KEPT", Results())
    monkeypatch.setattr(_sum, "calls", 0, raising=False)


def _here(first: int, second: str) -> tuple[bool, int, str]:
    return threading.current_thread() is threading.main_thread(), first, second


def _sum(rows: Sequence[Row], more: int) -> int:
    vars(_sum)["calls"] += 1
    return sum(row.nr for row in rows) + more


async def summed(rows: Sequence[Row], more: int = 0) -> int:
    return await computed_once(len(rows), rows, _sum, rows, more, asked=more)


def calls() -> int:
    return vars(_sum)["calls"]


@pytest.mark.threads
@pytest.mark.parametrize(("rows", "is_here"), [(0, True), (HERE, True), (HERE + 1, False)])
async def test_a_little_is_computed_where_it_is_asked_for(rows: int, *, is_here: bool) -> None:
    assert await computed(rows, _here, 7, "seven") == (is_here, 7, "seven")
    assert await computed_once(rows, (), _here, 7, "seven") == (is_here, 7, "seven")


async def test_the_same_rows_are_added_up_once() -> None:
    rows = [Row(1), Row(2)]
    assert [await summed(rows), await summed(tuple(rows)), calls()] == [3, 3, 1]


async def test_rows_that_are_made_anew_or_in_another_order_are_added_up_anew() -> None:
    rows = [Row(1), Row(2)]
    assert [await summed(rows), await summed([Row(1), Row(2)]), await summed(rows[::-1]), calls()] == [3, 3, 3, 3]


async def test_what_else_is_asked_makes_a_difference_and_so_does_what_computes() -> None:
    rows = [Row(1)]
    assert [await summed(rows), await summed(rows, 1), await summed(rows, 1), calls()] == [1, 2, 2, 2]
    assert await computed_once(1, rows, len, rows) == 1


async def test_rows_are_held_as_long_as_a_result_of_theirs_is_kept() -> None:
    row = Row(1)
    await summed([row])
    is_there = ref(row)
    del row
    for nr in range(computing.MOST):
        assert is_there() is not None
        await summed([Row(nr)])
    assert is_there() is None


async def test_what_was_used_last_is_kept_longest() -> None:
    often = [Row(1)]
    for nr in range(2 * computing.MOST):
        await summed(often)
        await summed([Row(nr)])
    assert calls() == 2 * computing.MOST + 1


async def test_of_very_many_rows_nothing_is_kept() -> None:
    rows = [Row(nr) for nr in range(computing.MOST_AT_ONCE + 1)]
    assert await summed(rows) == await summed(rows)
    assert await computed_once(len(rows), (rows,), _sum, rows, 0) == await computed_once(
        len(rows), (rows,), _sum, rows, 0
    )
    assert calls() == 4
    assert await summed(rows[1:]) == await summed(rows[1:])
    assert calls() == 5


@pytest.mark.threads
async def test_what_may_take_long_of_few_rows_is_computed_aside() -> None:
    assert await computed_once(1, (), _here, 7, "seven", aside=True) == (False, 7, "seven")


async def test_rows_that_seem_to_stand_where_others_stood_are_not_taken_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(computing, "place_of", bool)
    one, other = [Row(1)], [Row(2)]
    assert [await summed(one), await summed(other), await summed(other), calls()] == [1, 2, 2, 2]


async def test_what_failed_is_tried_again() -> None:
    rows = [Row(1)]
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await computed_once(1, rows, divmod, 1, 0)
