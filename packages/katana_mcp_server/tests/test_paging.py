"""Pages that are cut to what fits: the next number of the same limit goes on where one ended, whoever asks for it."""

from dataclasses import dataclass, field
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from server_wire import live, rows_of_cut_pages

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.references.page_ends import REMEMBERED, PageEnds
from katana_mcp.references.services import Current
from katana_mcp.surface.operations.paging import Page, offset, page_of, paged
from katana_mcp.testing import paced, staged
from katana_mcp.tools.answers import Answer
from katana_sandbox import ManualClock, Sandbox, SandboxConfig

NOW = Current(None, None, None, None, [])
LONG = "\u0436" * 400


class Row(Answer):
    """A row of some size."""

    nr: int
    text: str


class Asked(BaseModel):
    """The window of a request."""

    limit: int
    page: int


@dataclass(slots=True)
class Account:
    """Rows, what remembers where pages ended, and how many rows were rendered."""

    rows: list[Row]
    pages: PageEnds = field(default_factory=PageEnds)
    clock: ManualClock = field(default_factory=lambda: ManualClock(auto=False))
    rendered: int = 0

    async def render(self, first: int, last: int) -> list[Answer]:
        self.rendered += len(self.rows[first:last])
        return list[Answer](self.rows[first:last])

    async def page(self, limit: int, page: int) -> Page:
        return await page_of("list", Asked(limit=limit, page=page), self, self.render)

    async def answer(self, limit: int, page: int) -> tuple[list[int], bool]:
        """Return the numbers of the rows of a page, and whether there are more."""
        asked = await self.page(limit, page)
        answer = paged(asked, await self.render(asked.first, asked.last), len(self.rows), NOW)
        rows = cast("list[Row]", answer.fields["rows"])
        more = answer.fields["has_more"] is True
        texts = [
            *cast("list[str]", answer.fields.get("next_actions", [])),
            *(warning.message for warning in answer.warnings),
        ]
        past = not rows and bool(self.rows)
        said = "that is the last page" if past else f"limit={limit}, page={page + 1}"
        assert all(said in message for message in texts)
        assert bool(texts) is (more or past)
        return [row.nr for row in rows], more


def _account(runs: list[tuple[int, int]]) -> Account:
    sizes = [size for size, count in runs for _ in range(count)]
    return Account([Row(nr=nr, text="x" * size) for nr, size in enumerate(sizes)])


RUNS = st.lists(st.tuples(st.sampled_from([10, 300, 900, 5_000, 39_000]), st.integers(1, 30)), max_size=6)


@settings(deadline=None)
@given(runs=RUNS, limit=st.integers(1, 250))
async def test_the_next_number_of_the_same_limit_goes_on_where_a_page_ended_and_meets_every_row_once(
    runs: list[tuple[int, int]], limit: int
) -> None:
    account, seen, more, page = _account(runs), list[int](), True, 0
    while more:
        page += 1
        rows, more = await account.answer(limit, page)
        if page < 4 or not more:
            assert await _account(runs).answer(limit, page) == (rows, more), "nobody remembers where pages ended"
        seen += rows
    assert seen == list(range(len(account.rows)))
    assert await account.answer(limit, page + 1) == ([], False)
    assert await _account(runs).answer(limit, page + 9) == ([], False)


async def test_who_goes_on_has_no_row_rendered_twice() -> None:
    account = _account([(900, 400)])
    for page in range(1, 8):
        await account.answer(100, page)
    assert account.rendered <= 8 * 100


async def test_the_end_of_a_page_is_remembered_for_a_while_of_one_question() -> None:
    account = _account([(900, 400)])
    await account.answer(100, 1)
    ended = (await account.page(100, 2)).first
    assert 0 < ended < 100
    del account.rows[:10]  # who goes on has seen these
    assert (await account.page(100, 2)).first == ended
    assert (await account.page(99, 2)).first != 0
    account.clock.advance(REMEMBERED + 1)
    account.rows[:0] = [Row(nr=-1, text="") for _ in range(60)]
    assert (await account.page(100, 2)).first > ended


@pytest.mark.parametrize(
    ("tool", "limit", "page", "asked"),
    [
        ("list_sales_orders", 250, 1, {"include_rows": True}),
        pytest.param("list_sales_orders", 97, 2, {"include_rows": True}, marks=pytest.mark.soak),
        ("search_sales_orders", 50, 2, {"query": "so"}),
    ],
)
async def test_every_row_comes_once_from_a_server_too(
    clock: ManualClock, tool: str, limit: int, page: int, asked: dict[str, object]
) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(orders=200), clock=clock))
    tenant = own.sandbox.tenant()
    for customer in live(tenant, "customers"):
        tenant.edit("customers", customer["id"], name=f"{LONG} {customer['id']}")
    async with staged(own) as stage:
        rows, total = await rows_of_cut_pages(stage, tool, limit, page, **asked)
    async with staged(own) as stage:
        every, _ = await rows_of_cut_pages(stage, tool, limit, 1, **asked)
    numbers = [row["sales_order_id"] for row in every]
    assert len(numbers) == len(set(numbers)) == total
    assert [row["sales_order_id"] for row in rows] == numbers[len(numbers) - len(rows) :]
    assert len(rows) == total if page == 1 else total - (page - 1) * limit < len(rows) < total


async def test_the_pages_of_a_search_go_on_to_the_last_row_that_it_reaches(clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=2_000), clock=clock))
    async with staged(own) as stage:
        while "warming" in await paced(clock, stage.call("search_items", query="0"), 1):
            await paced(clock, clock.sleep(20), 1)
        seen: list[int] = []
        action, page, total = "", 0, 0
        while "more words" not in action:
            page += 1
            answer = await stage.call("search_items", query="0", limit=47, page=page)
            seen += [row["variant_id"] for row in answer["rows"]]
            (action,), total = answer["next_actions"], answer["total"]
        assert total > len(seen) == len(set(seen)) == 1_000
        refusal = await stage.refusal("search_items", query="0", limit=50, page=21)
    assert refusal["warnings"][0]["field_path"] == "page"


@pytest.mark.parametrize(("page", "before"), [(1, 0), (2, 25), (3, 50)])
def test_before_a_page_stand_all_rows_of_the_pages_before(page: int, before: int) -> None:
    assert offset(Asked(limit=25, page=page)) == before
