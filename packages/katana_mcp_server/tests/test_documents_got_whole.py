"""A document that is got: which tool gets it, its rows in pages, what stands beside it, and whether it is gone."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pytest
from small_account import AS_OF, Account

from cache_core.conditions import OneOf, Order
from cache_core.protocol import Selection, Stored
from cache_core.records import Record
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import Entity, View
from katana_mcp.surface.operations.get import (
    Document,
    DocumentAnswer,
    DocumentRequest,
    RelatedRows,
    all_beside,
    document_tool,
    get_tool,
    of_ids,
    rows_beside,
)
from katana_mcp.surface.operations.rows import Sourced
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import get_int, rows


class Line(Answer):
    """A row of an order."""

    id: int | None = None


class Shown(Answer):
    """An order."""

    id: int | None = None
    order_no: str | None = None
    rows: list[Line] | None = None
    more: list[Line] | None = None


class Asked(DocumentRequest):
    """Which order."""

    sales_order_id: int | str


class Got(DocumentAnswer):
    """An order that was got."""

    order: Shown


def lines(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return the rows of an order."""
    del names, services
    sent = {name: rows(stored.record, name) for name in ("sales_order_rows", "more")}
    return {
        "rows": [Line(id=get_int(row, "id")) for row in sent["sales_order_rows"]],
        "more": [Line(id=get_int(row, "id")) for row in sent["more"]] or None,
    }


DOCUMENT = Document(
    source="sales_order",
    toolset="sales",
    key="number",
    what="with its rows",
    reads=("customer",),
    request=Asked,
    answer=Got,
    view=View(model=Shown, computed_fields=lines),
)


async def shop(count: int, **further: object) -> Account:
    """Return an account of one order with so many rows."""
    account = Account()
    sent = [{"id": number} for number in range(1, count + 1)]
    await account.keep("sales_order", {"id": 7, "order_no": "SO-7", "sales_order_rows": sent, **further})
    return account


async def got(account: Account, document: Document = DOCUMENT, **asked: object) -> tuple[Shown, DocumentAnswer]:
    """Return an order, and the answer that it stands in."""
    request = Asked.model_validate({"sales_order_id": "SO-7", **asked})
    answer = await document_tool(document).run(request, account.services)
    assert isinstance(answer, Got)
    return answer.order, answer


def ids(part: list[Line] | None) -> list[int | None]:
    """Return the ids of rows."""
    return [row.id for row in part or ()]


def test_the_tool_is_described_by_its_document() -> None:
    tool = document_tool(DOCUMENT)
    begins = "Get one sales order with its rows.\n\n"
    partner = (
        "For multiple sales orders at once, use ``list_sales_orders(ids=[...])`` — it returns a JSON envelope of "
        "rows and supports all the same filters."
    )
    assert {item.name: getattr(tool, item.name) for item in fields(tool) if item.name != "run"} == {
        "name": "get_sales_order",
        "toolset": "sales",
        "description": begins + partner,
        "request": Asked,
        "answer": Got,
        "reads": ("sales_order", "customer"),
        "open_world": True,
        "read_only": True,
        "destructive": False,
        "plans": False,
        "on_request": False,
        "shows_dates": True,
    }
    other = document_tool(replace(DOCUMENT, tool="get_it", cross_reference="Alone.", costs="It is dear."))
    assert (other.name, other.description) == ("get_it", f"{begins}Alone. It is dear.")
    entity = Entity(name="x", plural="xs", toolset="t", sources=("x",), searched=(), get=other)
    assert (get_tool(entity), get_tool(replace(entity, get=None))) == (other, None)


@pytest.mark.parametrize(
    ("count", "page", "shown", "has_more"),
    [(50, 1, range(1, 51), False), (51, 1, range(1, 51), True), (51, 2, range(51, 52), False), (0, 1, range(0), False)],
    ids=["fifty", "one more", "second page", "none"],
)
async def test_rows_come_in_pages_of_fifty(count: int, page: int, shown: range, *, has_more: bool) -> None:
    account = await shop(count)
    order, answer = await got(account, rows_page=page)
    assert (order.id, order.order_no, ids(order.rows), order.more) == (7, "SO-7", [*shown], None)
    assert (answer.rows_page, answer.rows_have_more, answer.warnings, answer.as_of) == (page, has_more, [], AS_OF)
    on = [f"get_sales_order(sales_order_id=7, rows_page={page + 1})"]
    assert answer.next_actions == (on if has_more else [])
    assert account.fresh.ensured == [(("sales_order", "customer"), None, ())]


async def test_every_list_of_a_document_is_paged_and_the_longest_says_whether_there_are_more() -> None:
    account = await shop(3, more=[{"id": number} for number in range(100, 160)])
    document = replace(DOCUMENT, paged=("rows", "more"))
    order, answer = await got(account, document)
    assert (ids(order.rows), ids(order.more), answer.rows_have_more) == ([1, 2, 3], [*range(100, 150)], True)
    order, answer = await got(account, document, rows_page=2)
    assert (ids(order.rows), ids(order.more), answer.rows_have_more) == ([], [*range(150, 160)], False)


GONE: list[tuple[dict[str, object], list[ToolWarning]]] = [
    ({"deleted_at": AS_OF}, [advisory("deleted_item", f"sales order SO-7 was deleted in Katana at {AS_OF}")]),
    ({"archived_at": AS_OF}, [advisory("archived_item", f"sales order SO-7 was archived in Katana at {AS_OF}")]),
    (
        {"deleted_at": AS_OF, "order_no": None},
        [advisory("deleted_item", f"sales order 7 was deleted in Katana at {AS_OF}")],
    ),
    ({}, []),
]


@pytest.mark.parametrize(("state", "warnings"), GONE, ids=["deleted", "archived", "no number", "live"])
async def test_a_document_that_is_gone_says_so(state: Mapping[str, object], warnings: list[ToolWarning]) -> None:
    assert (await got(await shop(1, **state), sales_order_id=7))[1].warnings == warnings


@pytest.mark.parametrize(("count", "is_cut"), [(10_000, False), (10_001, True)])
async def test_what_katana_keeps_beside_a_document_joins_it(count: int, *, is_cut: bool) -> None:
    async def beside(record: Record, request: Asked, services: Services) -> RelatedRows:
        assert (record["id"], request.rows_page, services.tenant) == (7, 2, "factory")
        some: list[Record] = [{"id": 5}]
        many: list[Record] = [{"id": 1}] * count
        return {"sales_order_rows": some, "side_row": many, "numbers": 5}

    order, answer = await got(await shop(60), replace(DOCUMENT, beside=beside), rows_page=2)
    assert (ids(order.rows), answer.rows_have_more) == ([], False)
    message = "of the side rows the first 10001 are shown, and there may be more"
    assert [warning.message for warning in answer.warnings] == ([message] if is_cut else [])


async def test_a_document_is_found_where_it_says() -> None:
    account = await shop(1)
    await account.keep("purchase_order", {"id": 9, "order_no": "PO-9"})

    async def find(request: Asked, services: Services) -> Sourced:
        return "purchase_order", (await services.cache.get_many("purchase_order", [9])).rows[0]

    def views(request: Any) -> Mapping[str, View]:  # noqa: ANN401 - of any document
        assert isinstance(request, Asked)
        return {"sales_order": DOCUMENT.view, "purchase_order": DOCUMENT.view}

    document = replace(DOCUMENT, find=find, views=views)
    assert (await got(account, document))[0].order_no == "PO-9"
    assert document_tool(document).reads == ("sales_order", "purchase_order", "customer")


async def test_rows_of_other_collections_are_read_in_their_order() -> None:
    account = Account()
    await account.keep("customer", *[{"id": number, "name": f"C{9 - number}"} for number in (1, 2, 3)])
    await account.keep("supplier", {"id": 4, "name": "S"})
    where = of_ids("id", 1, None, 3, 1)
    assert where == (OneOf("id", (1, 3)),)
    assert [row["id"] for row in await rows_beside(account.services, "customer", where)] == [1, 3]
    assert [row["id"] for row in await rows_beside(account.services, "customer", where, "-name")] == [1, 3]
    found = await all_beside(account.services, {"customer": ((), "name"), "supplier": ((), "-id")})
    assert {entity: [row["id"] for row in some] for entity, some in found.items()} == {
        "customer": [3, 2, 1],
        "supplier": [4],
    }
    assert account.cache.selected == [
        ("customer", Selection(where, Order("id"), 10_001)),
        ("customer", Selection(where, Order("name", descending=True), 10_001)),
        ("customer", Selection((), Order("name"), 10_001)),
        ("supplier", Selection((), Order("id", descending=True), 10_001)),
    ]
