"""Pages that are cut to what fits: who follows what is said meets every row once."""

import re
from dataclasses import dataclass
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from server_wire import live, rows_of_cut_pages

from katana_mcp.operations.paging import offset, paged
from katana_mcp.sandbox import OwnSandbox
from katana_mcp.services import Current
from katana_mcp.testing import paced, staged
from katana_mcp.tools.answers import Answer
from katana_sandbox import ManualClock, Sandbox, SandboxConfig

NOW = Current(None, None, None, None, [])
FOLLOWING = re.compile(r"limit=(\d+), page=(\d+)")
LONG = "\u0436" * 400


class Row(Answer):
    """A row of some size."""

    nr: int
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The window of a request."""

    limit: int
    page: int


def told(text: str) -> Asked:
    """Return the window that a text names."""
    found = FOLLOWING.search(text)
    assert found is not None, text
    return Asked(int(found[1]), int(found[2]))


@settings(deadline=None)
@given(
    runs=st.lists(st.tuples(st.sampled_from([10, 300, 900, 5_000, 39_000]), st.integers(1, 60)), max_size=6),
    limit=st.integers(1, 250),
    page=st.integers(1, 4),
)
def test_following_what_is_said_meets_every_row_once_wherever_one_begins(
    runs: list[tuple[int, int]], limit: int, page: int
) -> None:
    sizes = [size for size, count in runs for _ in range(count)]
    rows = [Row(nr=nr, text="x" * size) for nr, size in enumerate(sizes)]
    window, seen, more = Asked(limit, page), list[int](), True
    begin = offset(window)
    while more:
        mine = cast("list[Answer]", rows[offset(window) :][: window.limit])
        answer = paged("list", window, mine, len(rows), NOW)
        seen += [row.nr for row in cast("list[Row]", answer.fields["rows"])]
        assert answer.end == offset(window) + len(cast("list[Row]", answer.fields["rows"]))
        more = answer.fields["has_more"] is True and bool(mine)
        if more:
            (action,) = cast("list[str]", answer.fields["next_actions"])
            window = told(action)
            assert all(told(each.message) == window for each in answer.warnings)
    assert seen == list(range(len(rows)))[begin:]


def test_a_cut_page_far_on_is_followed_by_pages_of_about_its_size() -> None:
    rows: list[Answer] = [Row(nr=nr, text="x" * 380) for nr in range(250)]
    for limit in (250, 241, 199, 127):
        answer = paged("list", Asked(limit, 2), rows[:limit], 1_000, NOW)
        kept = len(cast("list[Row]", answer.fields["rows"]))
        assert kept + told(answer.warnings[0].message).limit > 140, limit


@pytest.mark.parametrize(
    ("tool", "limit", "page", "asked"),
    [
        ("list_sales_orders", 250, 1, {"include_rows": True}),
        ("list_sales_orders", 97, 2, {"include_rows": True}),
        ("search_sales_orders", 50, 2, {"query": "so"}),
    ],
)
async def test_every_row_comes_once_from_a_server_too(
    clock: ManualClock, tool: str, limit: int, page: int, asked: dict[str, object]
) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(orders=300), clock=clock))
    tenant = own.sandbox.tenant()
    for each in live(tenant, "customers"):
        tenant.edit("customers", each["id"], name=f"{LONG} {each['id']}")
    async with staged(own) as stage:
        rows, total = await rows_of_cut_pages(stage, tool, limit, page, **asked)
    assert len(rows) == len({row["sales_order_id"] for row in rows}) == total - offset(Asked(limit, page))


async def test_the_pages_of_a_search_go_on_to_the_last_row_that_it_reaches(clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=2_000), clock=clock))
    async with staged(own) as stage:
        while "warming" in await paced(clock, stage.call("search_items", query="0"), 1):
            await paced(clock, clock.sleep(20), 1)
        seen: list[int] = []
        window = Asked(47, 1)
        while True:
            answer = await stage.call("search_items", query="0", limit=window.limit, page=window.page)
            seen += [row["variant_id"] for row in answer["rows"]]
            (action,) = answer["next_actions"]
            if "more words" in action:
                break
            window = told(action)
        assert answer["total"] > len(seen) == len(set(seen)) == 1_000
        refusal = await stage.refusal("search_items", query="0", limit=50, page=21)
    assert refusal["warnings"][0]["field_path"] == "page"
