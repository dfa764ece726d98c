"""The stock that a plan is told with: which levels are sure, what moves come to, and how many are named."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Self, cast

import pytest

from cache_core.protocol import Stored
from cache_core.records import Json, RecordId
from cache_core.sync.stock import StockAnswer
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import advisory
from katana_mcp.writing.stock_moves import StockMove, described, in_a_sentence, read_levels, shortages, summed

MOVE = StockMove(variant=7, called="FORK", location=1, place="North", change=Decimal(2), path="rows[0]")


@dataclass
class Stock:
    """Stock that is answered as it was made, and what it was asked for."""

    answer: StockAnswer
    asked: list[object] = field(default_factory=list[object])

    def planning(self, seconds: float) -> Self:
        """Note how long it is waited for."""
        self.asked.append(seconds)
        return self

    async def ensure(self, variants: Sequence[int]) -> StockAnswer:
        """Return the answer."""
        self.asked.append(variants)
        return self.answer


def answer(stored: Sequence[Stored], moved: Sequence[int] = ()) -> StockAnswer:
    """Return an answer with these rows, some of which have moved since."""
    return StockAnswer(tuple(stored), (), None, frozenset(moved))


def row(key: RecordId, *levels: Json) -> Stored:
    """Return the stock of a variant at some locations."""
    return Stored(key, None, {"levels": list(levels)}, deleted=False, archived=False)


def level(place: Json, amount: Json) -> Json:
    """Return what a location has."""
    return {"location_id": place, "quantity_in_stock": amount}


async def read(stock: Stock, variants: Sequence[int]) -> object:
    """Return the levels that are read."""
    needed = [name for name in Services._fields if name not in Services._field_defaults]
    services = Services(**cast("dict[str, Any]", {**dict.fromkeys(needed), "stock": stock}))
    return await read_levels(services, variants)


async def test_the_levels_of_each_variant_are_read_once_and_within_ten_seconds() -> None:
    stock = Stock(answer([row(7, level(1, 3), level(2, Decimal("0.5"))), row(8)]))
    assert await read(stock, [7, 8, 7]) == {7: {1: 3, 2: Decimal("0.5")}, 8: {}}
    assert stock.asked == [10.0, [7, 8]]


@pytest.mark.parametrize(
    "unsure",
    [
        row(8, level(1, 3), level(None, 1)),
        row(8, level(1, 3), level(2, None)),
        row(8, level(1, 3), level(2, "many")),
        row("8", level(1, 3)),
    ],
)
async def test_a_variant_of_which_a_level_is_not_known_is_left_out(unsure: Stored) -> None:
    assert await read(Stock(answer([unsure, row(7, level(1, 3))])), [7, 8]) == {7: {1: 3}}


async def test_a_variant_that_has_moved_since_is_left_out() -> None:
    rows = [row(7, level(1, 3)), row(8, level(1, 4))]
    assert await read(Stock(answer(rows, [7])), [7, 8]) == {8: {1: 4}}


def test_moves_are_summed_for_each_variant_and_location_in_their_order() -> None:
    other = replace(MOVE, variant=8, called="BOLT", change=Decimal(-1))
    south = replace(MOVE, location=2, place="South", change=Decimal(1))
    last = replace(MOVE, change=Decimal("0.5"), path="rows[3]")
    back = replace(south, change=Decimal(-1))
    assert summed([MOVE, other, south, last, back]) == [replace(last, change=Decimal("2.5")), other]
    assert summed([]) == []


@pytest.mark.parametrize(
    ("change", "levels", "text"),
    [
        ("2", {7: {1: Decimal(3)}}, "FORK at North: 3 → 5"),
        ("-2", {7: {2: Decimal(3)}}, "FORK at North: 0 → -2"),
        ("1", {}, "FORK at North: +1 (current stock could not be read)"),
        ("-1", {8: {1: Decimal(3)}}, "FORK at North: -1 (current stock could not be read)"),
    ],
)
def test_a_move_is_told_from_how_much_to_how_much(
    change: str, levels: dict[int, dict[int, Decimal]], text: str
) -> None:
    moved = replace(MOVE, change=Decimal(change))
    assert (moved.described(levels), described([moved], levels)) == (text, (text,))
    assert moved.before({7: {}}) == 0


def test_a_move_that_comes_to_nothing_has_no_sign() -> None:
    moved = replace(MOVE, change=Decimal(0))
    assert moved.described({}) == "FORK at North: 0 (current stock could not be read)"
    assert (described([moved], {}), moved.before({})) == ((), None)


@pytest.mark.parametrize(
    ("change", "before", "message"),
    [
        ("-3", "3", ""),
        ("-3.5", "3", "3.5 FORK would be taken from North, which has only 3 in stock"),
        ("-1", "0", "1 FORK would be taken from North, which has only 0 in stock"),
        ("-1", "-2", "1 FORK would be taken from North, which has only -2 in stock"),
        ("1", "-2", ""),
        ("0.5", "-2", ""),
    ],
)
def test_what_would_leave_less_than_nothing_is_told_with_its_argument(change: str, before: str, message: str) -> None:
    found = shortages([replace(MOVE, change=Decimal(change))], {7: {1: Decimal(before)}})
    assert found == ([advisory(warning_codes.INSUFFICIENT_STOCK, message, "rows[0]")] if message else [])


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "stock of 0"),
        (2, "stock of 0, 1"),
        (10, "stock of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"),
        (11, "stock of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 1 more"),
        (13, "stock of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 3 more"),
    ],
)
def test_a_sentence_names_ten_and_counts_the_rest(count: int, text: str) -> None:
    assert in_a_sentence([str(nr) for nr in range(count)]) == text
