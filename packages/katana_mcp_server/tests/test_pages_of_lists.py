"""A list of one cache entity or of several: which tool it is, its rows and their order, and how far its pages reach."""

from dataclasses import fields, replace
from typing import Annotated

import pytest
from listed_goods import (
    GOODS,
    SUPPLIERS,
    Asked,
    Long,
    Plain,
    Row,
    good,
    listed,
    made,
    page,
    refusal,
    shop,
    tool_of,
    view,
)
from small_account import AS_OF, Account

from cache_core.conditions import OneOf, Order, Visibility, Where
from cache_core.protocol import Selection
from katana_mcp.surface.descriptor import Entity, SingleRows, View
from katana_mcp.surface.operations.filters import Moment, not_before
from katana_mcp.surface.operations.list import list_tool
from katana_mcp.tools.answers import listed_of
from katana_mcp.tools.requests import ListRequest


class Dated(ListRequest):
    """A window of dates."""

    created_from: Annotated[Moment | None, not_before("created_at")] = None


def test_what_has_no_filters_has_no_list() -> None:
    assert list_tool(Entity(name="x", plural="xs", toolset="t", sources=("x",), searched=(), summary=view())) is None


def test_the_tool_is_described_by_its_entity() -> None:
    tool = tool_of(GOODS)
    assert {item.name: getattr(tool, item.name) for item in fields(tool) if item.name != "run"} == {
        "name": "list_items",
        "toolset": "catalog",
        "description": (
            "List items with filters — pass `ids=[1,2,3]` to fetch a specific batch by ID (cache-backed). A note."
        ),
        "request": Asked,
        "answer": listed_of(Long),
        "reads": ("product", "material", "location"),
        "open_world": True,
        "read_only": True,
        "destructive": False,
        "plans": False,
        "on_request": False,
        "shows_dates": True,
    }
    bare = tool_of(SUPPLIERS)
    begins = "List suppliers with filters — pass `ids=[1,2,3]` to fetch a specific batch by ID (cache-backed)."
    assert (bare.description, bare.answer, bare.reads) == (begins, listed_of(Row), ("supplier",))
    dated = Entity(name="x", plural="xs", toolset="t", sources=("x",), searched=(), summary=view(), list_request=Dated)
    ends = " `_from` and `_to` are inclusive; a date is a whole day."
    assert tool_of(dated).description == begins.replace("suppliers", "xs") + f" {ends}"


def test_what_its_rows_take_from_elsewhere_is_read_too() -> None:
    parts = View(model=Long, computed_fields=made, names={"supplier": ("x",)}, parts={"variant": "product_id"})

    def listing(request: ListRequest) -> dict[str, View]:
        assert type(request) is Asked
        return {"product": parts}

    narrowed = replace(GOODS, expanded=None, listing=listing)
    assert tool_of(narrowed).reads == ("product", "supplier", "variant")
    assert tool_of(replace(GOODS, summary=parts)).reads == ("product", "material", "location", "variant")


async def test_rows_look_as_they_are_asked_for() -> None:
    account = await shop()
    await account.keep("product", good(9, "P9", "2026-09-01T00:00:00.000Z", category_name="Wheels"))

    async def rows(entity: Entity, **asked: object) -> object:
        tool = tool_of(entity)
        answer = await tool.run(tool.request.model_validate(asked), account.services)
        return answer.model_dump(exclude_none=True)["rows"]

    short = [{"id": 9, "name": "P9"}]
    long = [{"id": 9, "name": "P9", "category_name": "Wheels"}]
    assert await rows(GOODS, ids=[9]) == short
    assert await rows(GOODS, ids=[9], include_rows=True) == long
    assert await rows(GOODS, ids=[9], rows_only=True) == short
    single = SingleRows(path="rows", open=(), view=view(Long))
    assert await rows(replace(GOODS, list_request=Plain, single_rows=single), ids=[9]) == short

    def listing(request: Asked) -> dict[str, View]:
        return {"product": view(Long)} if request.name is None else {"material": view()}

    chosen = replace(GOODS, listing=listing)
    assert await rows(chosen, ids=[9]) == long
    assert await rows(chosen, name="M2") == [{"id": 12, "name": "M2"}]


async def test_a_page_is_one_window_of_what_is_cached() -> None:
    account = await shop()
    every = [f"Supplier {number}" for number in range(6, 0, -1)]
    second = page(every[2:4], 6, 2, 2, has_more=True, next_actions=["list_suppliers(..., limit=2, page=3)"])
    assert await listed(account, SUPPLIERS, limit=2) == page(
        every[:2], 6, 1, 2, has_more=True, next_actions=["list_suppliers(..., limit=2, page=2)"]
    )
    account.cache.selected.clear()
    assert await listed(account, SUPPLIERS, limit=2, page=2) == second
    assert await listed(account, SUPPLIERS, limit=6, order_by="name") == page(every[::-1], 6, 1, 6)
    read = frozenset(("id", "name", "made", "default_supplier_id"))
    newest, by_name = Order("id", descending=True), Order("name")
    assert [window for window in account.cache.selected if window[0] == "supplier"] == [
        ("supplier", Selection((), newest, 2, 2, fields=read)),
        ("supplier", Selection((), by_name, 6, 0, fields=read)),
    ]


async def test_records_are_read_whole_where_a_row_may_show_any_field_and_in_the_soft_states_asked_for() -> None:
    account = await shop()
    where: Where = (OneOf("category_name", ("Wheels",)),)
    await account.keep("supplier", good(7, "Old", category_name="Wheels", archived_at=AS_OF))
    whole = replace(SUPPLIERS, summary=view())
    asked = {"category": "Wheels", "include_archived": True}
    assert await listed(account, whole, **asked) == page(["Old"], 1)
    window = Selection(where, Order("id", descending=True), 25, 0, Visibility(archived=True))
    assert account.cache.selected == [("supplier", window)]
    ordered = replace(SUPPLIERS, summary=view(reads=frozenset()))
    await listed(account, ordered, **asked, order_by="-created_at")
    read = frozenset(("id", "name", "made", "default_supplier_id", "created_at"))
    assert account.cache.selected[-1] == (
        "supplier",
        window._replace(order=Order("created_at", descending=True), fields=read),
    )
    assert (await listed(account, SUPPLIERS, category="Wheels"))["rows"] == []


async def test_pages_of_several_types_are_in_one_order() -> None:
    account = await shop()
    newest = ["M6", "P5", "M4", "P3", "M2", "P1"]
    assert await listed(account) == page(newest, 6)
    await listed(account, limit=2)
    account.cache.selected.clear()
    assert await listed(account, limit=2, page=2) == page(
        ["M4", "P3"], 6, 2, 2, has_more=True, next_actions=["list_items(..., limit=2, page=3)"]
    )
    window = Selection((), Order("created_at", descending=True), 4, 0)
    assert account.cache.selected == [("product", window), ("material", window)]
    assert (await listed(account, order_by="created_at"))["rows"] == newest[::-1]
    assert (await listed(account, order_by="name"))["rows"] == ["M2", "M4", "M6", "P1", "P3", "P5"]


@pytest.mark.parametrize(
    ("order", "rows"),
    [
        ("-created_at", ["b", "P same 8", "P same 7", "M same 7", "a", "M none 9", "P none 2"]),
        ("created_at", ["a", "M same 7", "P same 7", "P same 8", "b", "P none 2", "M none 9"]),
    ],
)
async def test_what_has_no_moment_comes_last_and_ties_are_ordered_by_id_and_type(order: str, rows: list[str]) -> None:
    account, moments = Account(), [f"2026-0{month}-01T00:00:00.000Z" for month in (1, 2, 3)]
    early, same, late = moments
    await account.keep(
        "product", good(8, "P same 8", same), good(7, "P same 7", same), good(2, "P none 2"), good(1, "b", late)
    )
    await account.keep("material", good(7, "M same 7", same), good(9, "M none 9"), good(3, "a", early))
    assert (await listed(account, order_by=order))["rows"] == rows


async def test_pages_of_several_types_end_where_merging_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("katana_mcp.surface.operations.list.REACH", 4)
    account = await shop()
    on = ["list_items(..., limit=2, page=2)"]
    assert await listed(account, limit=2) == page(["M6", "P5"], 6, 1, 2, has_more=True, next_actions=on)
    reached = ["list_items(..., type=...): the pages of several types reach the first 4 rows"]
    assert await listed(account, limit=2, page=2) == page(["M4", "P3"], 6, 2, 2, has_more=True, next_actions=reached)
    assert await listed(account, limit=3, page=2) == page(["P3"], 6, 2, 3, has_more=True, next_actions=reached)
    message = "page: the pages of several types reach the first 4 rows; name one type"
    assert await refusal(account, limit=2, page=3) == ("invalid_argument", message, "page")
    alone = await listed(account, SUPPLIERS, limit=2, page=2)
    assert alone["next_actions"] == ["list_suppliers(..., limit=2, page=3)"]
    assert (await listed(account, SUPPLIERS, limit=2, page=3))["rows"] == ["Supplier 2", "Supplier 1"]
    few = await listed(account, ids=[1, 3, 5, 12], limit=2, page=2)
    assert few == page(["P5", "M2"], 4, 2, 2)
    none = await listed(account, ids=[99], limit=2)
    assert none["rows"] == []
    past = ["list_items(..., limit=4, page=1): that is the last page"]
    assert await listed(account, ids=[1], limit=4, page=2) == page([], 1, 2, 4, next_actions=past)


async def test_a_page_begins_where_the_one_before_it_was_cut_also_far_from_the_first() -> None:
    account = await shop()
    request = Asked(limit=2, page=3)
    question = f"list_items {request.model_dump_json(exclude={'page'})}"
    account.pages.note(question, 2, 3, account.clock.monotonic())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("katana_mcp.surface.operations.list.REACH", 4)
        shown = await listed(account, limit=2, page=3)
    assert shown["rows"] == ["P3"]
