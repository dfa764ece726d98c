"""Where a page begins and ends, what it says of the rest, and what is rendered to find that out."""

from dataclasses import dataclass, field, replace

import pytest
from pydantic import BaseModel

from cache_core.testing import ManualClock
from katana_mcp.references.page_ends import PageEnds
from katana_mcp.references.services import Current
from katana_mcp.surface.operations.paging import Page, Paged, offset, page_of, paged
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.warnings import info

NOW = Current(None, None, None, None, [])
WARMING = replace(NOW, warming="1/5")


class Row(Answer):
    """A row that takes a thousand bytes."""

    nr: int
    text: str = "x" * 978


class Asked(BaseModel):
    """A request for a page."""

    limit: int
    page: int
    name: str = "a"


class Beside(BaseModel):
    """Something beside the rows."""

    text: str


@dataclass
class Account:
    """Rows, and which of them were rendered."""

    count: int
    pages: PageEnds = field(default_factory=PageEnds)
    clock: ManualClock = field(default_factory=ManualClock)
    windows: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    async def render(self, first: int, last: int) -> list[Answer]:
        self.windows.append((first, last))
        return rows(first, min(last, self.count))

    async def page(self, limit: int, page: int, *beside: BaseModel) -> Page:
        """Return a page that is asked for."""
        return await page_of("list_x", Asked(limit=limit, page=page), self, self.render, beside)


def rows(first: int, last: int) -> list[Answer]:
    """Return rows of a list."""
    return [Row(nr=1_000 + nr) for nr in range(first, last)]


FIT = 37
"""So many of them fit into an answer."""


def test_the_rows_before_a_page_are_those_of_the_pages_before_it() -> None:
    assert [offset(Asked(limit=7, page=page)) for page in (1, 2, 3)] == [0, 7, 14]


async def test_a_first_page_begins_at_the_first_row_whatever_was_noted() -> None:
    account = Account(100)
    question = 'list_x {"limit":10,"name":"a"}'
    account.pages.note(question, 0, 5, 0)
    first = await account.page(10, 1)
    assert first == Page("list_x", Asked(limit=10, page=1), 0, question, account.pages, 0.0)
    assert (first.last, account.windows) == (10, [])


async def test_a_page_begins_where_the_one_before_it_is_known_to_have_ended() -> None:
    account = Account(100)
    account.clock.advance(30)
    for page, end in ((1, 6), (2, 13), (3, 20)):
        account.pages.note('list_x {"limit":10,"name":"a"}', page, end, 30)
    third = await account.page(10, 3)
    assert (third.first, third.last, third.asked_at, account.windows) == (13, 23, 30.0, [])
    second = await account.page(10, 2)
    assert (second.first, account.windows) == (6, [])


async def test_ends_that_nobody_knows_are_found_by_the_sizes_of_the_rows_before() -> None:
    account = Account(600)
    page = await account.page(100, 4)
    assert (page.first, account.windows) == (3 * FIT, [(0, 250)])
    assert [account.pages.of(page.question, number, 0) for number in (1, 2, 3, 4)] == [FIT, 2 * FIT, 3 * FIT, None]


async def test_rows_before_a_page_are_rendered_together_and_each_once() -> None:
    account = Account(600)
    assert (await account.page(10, 40)).first == 390
    assert account.windows == [(0, 250), (250, 500)]
    account = Account(600)
    assert (await account.page(250, 15)).first == 14 * FIT
    assert account.windows == [(0, 250), (250, 500), (500, 750), (600, 850)]
    account = Account(600)
    assert (await account.page(25, 11)).first == 250
    assert account.windows == [(0, 250)]
    account = Account(600)
    assert (await account.page(300, 2)).first == FIT
    assert account.windows == [(0, 300)]


@pytest.mark.parametrize(("count", "first"), [(0, 0), (5, 5), (20, 20), (25, 25), (30, 30)])
async def test_a_page_past_the_end_begins_there(count: int, first: int) -> None:
    account = Account(count)
    page = await account.page(10, 6)
    assert page.first == first
    assert account.pages.of(page.question, 5, 0) is None


async def test_what_stands_beside_the_rows_takes_room() -> None:
    beside = Beside(text="y" * 1_988)
    assert (await Account(600).page(100, 2, beside)).first == FIT - 2
    found = await Account(600).page(100, 1)
    assert paged(found, rows(0, 100), 600, NOW, beside=[beside]).end == FIT - 2


@pytest.mark.parametrize(
    ("total", "number", "has_more"), [(10, 1, False), (11, 1, True), (30, 2, True), (20, 2, False), (0, 1, False)]
)
async def test_a_page_says_whether_there_are_more_and_how_to_get_them(total: int, number: int, has_more: bool) -> None:
    account = Account(total)
    asked = await account.page(10, number)
    shown = rows(asked.first, min(asked.last, total))
    fields: dict[str, object] = {"rows": shown, "total": total, "has_more": has_more}
    if has_more:
        fields["next_actions"] = [f"list_x(..., limit=10, page={number + 1})"]
    end = asked.first + len(shown)
    assert paged(asked, shown, total, NOW) == Paged(fields, [], end)
    assert account.pages.of(asked.question, number, 0) == end


async def test_a_page_that_does_not_fit_is_cut_and_says_so() -> None:
    account = Account(100)
    asked = await account.page(50, 1)
    kept = rows(0, FIT)
    fields: dict[str, object] = {
        "rows": kept,
        "total": 50,
        "has_more": True,
        "next_actions": ["list_x(..., limit=50, page=2)"],
    }
    message = f"{FIT} of the 50 rows of this page fit into one answer; limit=50, page=2 goes on after them"
    cut = [info("truncated_result", message, "limit")]
    assert paged(asked, rows(0, 50), 50, NOW) == Paged(fields, cut, FIT)
    # Also where the total that was counted is less than what came.
    assert paged(asked, rows(0, 50), FIT, NOW) == Paged({**fields, "total": FIT}, cut, FIT)
    assert (await account.page(50, 2)).first == FIT


async def test_while_rows_may_be_missing_neither_their_number_nor_their_end_is_known() -> None:
    asked = await Account(10).page(10, 1)
    assert paged(asked, rows(0, 10), 10, WARMING).fields == {"rows": rows(0, 10), "total": None, "has_more": None}
    more = paged(asked, rows(0, 10), 11, WARMING).fields
    assert (more["total"], more["has_more"]) == (None, True)


async def test_a_page_without_rows_offers_no_next_one() -> None:
    asked = await Account(10).page(10, 1)
    assert paged(asked, [], 10, NOW) == Paged({"rows": [], "total": 10, "has_more": True}, [], 0)


@pytest.mark.parametrize(
    ("count", "limit", "last"), [(23, 10, 3), (20, 10, 2), (5, 10, 1), (100, 50, 3), (100, 250, 3)]
)
async def test_a_page_past_the_last_one_names_the_last_one_however_it_is_asked_for(
    count: int, limit: int, last: int
) -> None:
    account = Account(count)
    actions = [f"list_x(..., limit={limit}, page={last}): that is the last page"]
    for number in (last + 5, last + 6, last + 1):
        asked = await account.page(limit, number)
        fields: dict[str, object] = {"rows": [], "total": count, "has_more": False, "next_actions": actions}
        assert paged(asked, [], count, NOW) == Paged(fields, [], count)
        assert account.pages.of(asked.question, number, 0) is None
    assert (await account.page(limit, last)).first < count


async def test_the_last_page_is_of_this_question_and_of_the_rows_that_there_are_now() -> None:
    account = Account(0)
    question = 'list_x {"limit":10,"name":"a"}'
    for page in range(1, 5):
        account.pages.note(question, page, page * 10, 0)
        account.pages.note("list_y", page, 100, 0)
    asked = await account.page(10, 5)
    assert paged(asked, [], 20, NOW).fields["next_actions"] == ["list_x(..., limit=10, page=2): that is the last page"]


async def test_where_there_is_no_row_or_rows_may_be_missing_no_page_is_the_last() -> None:
    asked = await Account(0).page(10, 3)
    assert "next_actions" not in paged(asked, [], 0, NOW).fields
    asked = await Account(10).page(10, 3)
    assert "next_actions" not in paged(asked, [], 10, WARMING).fields


async def test_what_is_forgotten_says_no_more_which_page_is_the_last() -> None:
    account = Account(0)
    account.pages.note("q", 2, 20, 0)
    account.pages.note("q", 3, 20, 1)
    assert [account.pages.last_page("q", 20, now) for now in (600, 600.5, 602)] == [2, 3, 1]
