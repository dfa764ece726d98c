"""How many rows of a document a page has room for, whatever its header takes, and what is said of one that is gone."""

from collections.abc import Sequence

import pytest
from small_account import AS_OF, Account

from cache_core.protocol import Stored
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.get import Document, DocumentAnswer, DocumentRequest, document_tool
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import rows


class Line(Answer):
    """A row of an order."""

    note: str | None = None
    notes: list[str] | None = None


class Shown(Answer):
    """An order."""

    id: int | None = None
    note: str | None = None
    other: str | None = None
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
    return {
        "rows": [Line.model_validate(row) for row in rows(stored.record, "sales_order_rows")],
        "more": [Line.model_validate(row) for row in rows(stored.record, "more")] or None,
    }


def document(*paged: str) -> Document:
    """Return an order whose lists of these names come in pages."""
    return Document(
        source="sales_order",
        toolset="sales",
        key="number",
        what="with its rows",
        reads=(),
        request=Asked,
        answer=Got,
        view=View(model=Shown, computed_fields=lines),
        paged=paged,
    )


async def got(record: dict[str, object], *paged: str, page: int = 1) -> Got:
    """Return an order of an account that has no other."""
    account = Account()
    await account.keep("sales_order", {"id": 7, "order_no": "SO-7", **record})
    request = Asked(sales_order_id=7, rows_page=page)
    answer = await document_tool(document(*(paged or ("rows",)))).run(request, account.services)
    assert isinstance(answer, Got)
    return answer


def row(size: int) -> dict[str, object]:
    """Return a row whose JSON takes so many bytes, the comma behind it too."""
    head = len('{"note":""},')
    if size <= head + 2_000:
        return {"note": "x" * (size - head)}
    count = size // 1_000
    letters = size - len('{"notes":[]},') - len('"",') * count + 1
    each = letters // count
    return {"notes": ["x" * each] * (count - 1) + ["x" * (letters - each * (count - 1))]}


def some(count: int, size: int) -> list[dict[str, object]]:
    """Return so many rows that take so many bytes together."""
    each = size // count
    return [row(each)] * (count - 1) + [row(size - each * (count - 1))]


ROOM = 37_000 - len('{"id":7,"rows":[]}')
"""Bytes for rows where the header holds nothing but the id."""


def lengths(parts: Sequence[object] | None) -> int:
    """Return how many rows a list has."""
    return len(parts or ())


@pytest.mark.parametrize(("count", "fewer"), [(50, 20), (20, 10), (10, 5), (5, 2), (2, 1)])
@pytest.mark.parametrize("place", [1, 2])
async def test_a_page_has_as_many_rows_as_fit_on_each_page(count: int, fewer: int, place: int) -> None:
    light = [row(20)] * count
    for more, shown in ((0, count), (1, fewer)):
        heavy = some(count, ROOM + more)
        sent = [*heavy, *light] if place == 1 else [*light, *heavy]
        answer = await got({"sales_order_rows": sent})
        assert (lengths(answer.order.rows), answer.rows_have_more) == (shown, True)


async def test_rows_that_no_two_of_fit_come_one_by_one() -> None:
    sent = [row(ROOM - 10), row(ROOM - 10), row(20)]
    found = [await got({"sales_order_rows": sent}, page=page) for page in (1, 2, 3)]
    assert [(lengths(answer.order.rows), answer.rows_have_more) for answer in found] == [
        (1, True),
        (1, True),
        (1, False),
    ]


@pytest.mark.parametrize(("more", "shown"), [(0, 20), (1, 10)])
async def test_all_lists_of_a_page_share_its_room(more: int, shown: int) -> None:
    header = len(',"more":[]')
    record: dict[str, object] = {"sales_order_rows": some(20, ROOM - header - 10_000 + more), "more": some(20, 10_000)}
    answer = await got(record, "rows", "more")
    assert (lengths(answer.order.rows), lengths(answer.order.more), answer.rows_have_more) == (shown, shown, shown < 20)


@pytest.mark.parametrize(
    ("texts", "taken"),
    [({"note": "y" * 15_000}, len(',"note":""') + 15_000), ({"note": "y" * 15_000, "other": "z" * 15_000}, 19_982)],
    ids=["whole", "at most half"],
)
async def test_what_the_header_takes_is_not_there_for_rows(texts: dict[str, object], taken: int) -> None:
    for more, shown in ((0, 10), (1, 5)):
        answer = await got({"sales_order_rows": some(10, ROOM - taken + more), **texts})
        assert (lengths(answer.order.rows), answer.rows_have_more) == (shown, shown < 10)


async def test_a_document_without_lists_in_pages_is_whole() -> None:
    answer = await got({"more": some(60, 2_000)})
    assert (answer.order.rows, lengths(answer.order.more), answer.rows_have_more) == ([], 60, False)
    answer = await got({"more": None}, "more")
    assert (answer.order.rows, answer.order.more, answer.rows_have_more, answer.next_actions) == ([], None, False, [])


async def test_what_was_archived_and_deleted_is_said_to_be_deleted() -> None:
    answer = await got({"deleted_at": "2026-03-01T00:00:00.000Z", "archived_at": AS_OF})
    assert [(warning.code, warning.severity, warning.message) for warning in answer.warnings] == [
        ("deleted_item", "advisory", "sales order SO-7 was deleted in Katana at 2026-03-01T00:00:00.000Z")
    ]


async def test_a_document_that_is_not_found_says_how_current_the_rows_are() -> None:
    account = Account()
    await account.keep("sales_order", {"id": 7, "order_no": "SO-7"})
    tool = document_tool(document("rows"))
    with pytest.raises(Refused) as refused:
        await tool.run(Asked(sales_order_id="SO-8"), account.services)
    (warning,) = refused.value.warnings
    assert (warning.code, warning.field_path) == ("not_found", "sales_order_id")
    assert warning.message.startswith("no sales order has the number 'SO-8'")
    assert refused.value.envelope == {"as_of": AS_OF}
