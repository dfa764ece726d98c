"""What a list does for ids, for names that nothing has, for single rows, and for fields that could not be read."""

from dataclasses import replace
from typing import Annotated

import pytest
from listed_goods import GOODS, SUPPLIERS, Asked, good, listed, page, refusal, shop
from small_account import AS_OF, Account

from cache_core.conditions import Missing, OneOf, Order, Visibility
from cache_core.protocol import Selection, Stored
from cache_core.states import UnreadField
from cache_core.sync.patience import Freshness
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import Entity, SingleRows, View
from katana_mcp.surface.operations.filters import Refers, equals
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.requests import ListRequest

NONE_NAMED = {"fields": ["name"], "did_you_mean": []}


async def test_ids_come_in_their_order_with_those_that_are_missing() -> None:
    account = await shop()
    found = await listed(account, ids=[14, 99, 1, 98, 12])
    assert found == page(["M4", "P1", "M2"], 3, not_found=[99, 98])
    every = [("product", 98), ("product", 99), ("material", 98), ("material", 99)]
    assert [(sorted(asked), newest) for asked, newest in account.lookups.asked] == [(sorted(every), False)]
    assert await listed(account, ids=[14, 1], limit=1, page=2) == page(["P1"], 2, 2, 1)
    assert len(account.lookups.asked) == 1
    await account.keep("product", good(21, "Wheel", category_name="Wheels"))
    assert await listed(account, ids=[21, 1], category="Wheels") == page(["Wheel"], 1)


async def test_ids_that_katana_has_by_now_are_shown() -> None:
    account = await shop()
    account.lookups.brings["material"] = [good(99, "New")]
    assert await listed(account, ids=[99, 1]) == page(["New", "P1"], 2)
    account.lookups.is_silent = True
    account.lookups.brings["material"] = [good(98, "Newer")]
    assert await listed(account, ids=[98, 1]) == page(["P1"], 1, not_found=[98])


async def test_ids_that_several_types_have_are_refused() -> None:
    account = await shop()
    await account.keep("material", *[good(number, f"Other {number}") for number in (1, 3)])
    message = "ids: several types have 1 (product, material), 3 (product, material); name one type"
    assert await refusal(account, ids=[3, 1, 5]) == ("ambiguous_name", message, "ids")
    await account.keep("material", *[good(number, f"Other {number}") for number in range(20, 26)])
    await account.keep("product", *[good(number, f"Other {number}") for number in range(20, 26)])
    shared = ", ".join(f"{number} (product, material)" for number in range(20, 25))
    message = f"ids: several types have {shared} and 1 more; name one type"
    assert await refusal(account, ids=[*range(20, 26)]) == ("ambiguous_name", message, "ids")


def nothing(searched: str, records: int, near: list[str], *fields: str) -> dict[str, object]:
    """Return what is said of a list that holds nothing."""
    return {"searched": searched, "records": records, "did_you_mean": near, "fields": list(fields)}


async def test_a_name_that_nothing_has_is_asked_for_once_before_it_is_denied() -> None:
    account = await shop()
    empty = nothing("name='Zebra'", 6, [], "name")
    assert await listed(account, name="Zebra") == page(
        [], 0, empty=empty, next_actions=["list_items(...) with fewer filters"]
    )
    assert account.lookups.asked == [([("product", "Zebra"), ("material", "Zebra")], False)]
    account.lookups.brings["material"] = [good(99, "Zebra")]
    assert await listed(account, name="Zebra") == page(["Zebra"], 1)
    account.lookups.asked.clear()
    assert await listed(account, name="P1") == page(["P1"], 1)
    empty = nothing("category='Wheels'", 7, [], "category")
    asked = await listed(account, category="Wheels")
    assert asked == page([], 0, empty=empty, next_actions=["list_items(...) with fewer filters"])
    assert account.lookups.asked == []


async def test_a_name_like_it_is_offered_and_one_that_differs_in_case_alone_is_taken() -> None:
    account = await shop()
    await account.keep("product", good(30, "Front Wheel"))
    empty = nothing("name='Front Wheels'", 7, ["Front Wheel"], "name")
    assert await listed(account, name="Front Wheels") == page(
        [], 0, empty=empty, next_actions=["list_items(..., name='Front Wheel')"]
    )
    assert await listed(account, name="front wheel") == page(["Front Wheel"], 1)


async def test_an_archived_name_is_not_replaced_by_a_live_one_in_other_letters() -> None:
    account = await shop()
    await account.keep("product", good(30, "bolt", archived_at=AS_OF))
    await account.keep("material", good(31, "BOLT"))
    assert await listed(account, name="bolt", include_archived=True) == page(["bolt"], 1)
    assert await listed(account, name="bolt") == page(["BOLT"], 1)


async def test_nothing_is_said_of_what_there_is_while_rows_may_be_missing() -> None:
    account = await shop(warming=True)
    account.lookups.brings["material"] = [good(99, "Zebra")]
    cold = "the first sync of product is not finished: rows may be missing or old; ask again in a moment"
    shown = await listed(account, name="Zebra")
    assert shown == {
        "rows": [],
        "page": 1,
        "limit": 25,
        "next_actions": [],
        "warnings": [cold],
        "warming": "1/5",
    }
    assert account.lookups.asked == []


async def test_a_part_of_the_name_of_what_is_listed_is_enough_where_one_type_is() -> None:
    account = await shop()
    await account.keep("supplier", good(9, "Nordic Steel"))
    message = "name: 'nordic' was read as supplier 9 (Nordic Steel), the only one with this in its name"
    assert await listed(account, SUPPLIERS, name="nordic") == page(["Nordic Steel"], 1, warnings=[message])
    await account.keep("product", good(30, "Front Wheel"))
    assert (await listed(account, name="front"))["rows"] == []
    assert (await listed(account, replace(GOODS, sources=("product",)), name="front"))["rows"] == ["Front Wheel"]


class Line(Answer):
    """What is shown of a row by itself."""

    id: int | None = None
    name: str | None = None
    variant_id: int | None = None


class OrdersAsked(ListRequest):
    """Filters of orders."""

    rows_only: bool = False
    include_deleted: bool = False
    order_by: str | None = None
    variant_id: Annotated[int | None, equals("sales_order_rows[].variant_id")] = None
    status: Annotated[str | None, equals("status")] = None


class OpenAsked(OrdersAsked):
    """The same with those that are open."""

    open: bool | None = None


def line_of(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    """Return the row of an order."""
    del names, services
    row = stored.record["row"]
    assert isinstance(row, dict)
    return {"name": f"{stored.record['order_no']}/{row['id']}", "variant_id": row["variant_id"]}


SINGLE = SingleRows(
    path="sales_order_rows",
    open=(Missing("delivered_at"),),
    view=View(model=Line, computed_fields=line_of),
)
ORDERS = Entity(
    name="sales_order",
    plural="sales_orders",
    toolset="sales",
    sources=("sales_order",),
    searched=(),
    summary=View(model=Line, computed_fields=lambda row, _, __: {"name": row.record["order_no"]}),
    single_rows=SINGLE,
    list_request=OpenAsked,
)


def order(number: int, *rows: tuple[int, int, str | None], **further: object) -> dict[str, object]:
    """Return an order with these rows: their id, their variant and when they were delivered."""
    sent = [{"id": row, "variant_id": variant, "delivered_at": at} for row, variant, at in rows]
    return {"id": number, "order_no": f"SO-{number}", "status": "open", "sales_order_rows": sent, **further}


async def orders() -> Account:
    """Return an account of three orders with five rows, one of them deleted."""
    account = Account()
    await account.keep(
        "sales_order",
        order(1, (11, 7, None), (12, 8, AS_OF)),
        order(2, (21, 7, AS_OF), (22, 7, None)),
        order(3, (31, 8, None), status="done"),
        order(4, (41, 7, None), deleted_at=AS_OF),
    )
    return account


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        pytest.param({}, ["3/31", "2/21", "2/22", "1/11", "1/12"], id="all"),
        pytest.param({"order_by": "order_no"}, ["1/11", "1/12", "2/21", "2/22", "3/31"], id="in an order"),
        pytest.param({"variant_id": 7}, ["2/21", "2/22", "1/11"], id="of a variant"),
        pytest.param({"status": "done"}, ["3/31"], id="of orders"),
        pytest.param({"open": True}, ["3/31", "2/22", "1/11"], id="open"),
        pytest.param({"open": False, "variant_id": 8}, ["3/31", "1/12"], id="not only open"),
        pytest.param({"open": True, "variant_id": 7}, ["2/22", "1/11"], id="open of a variant"),
        pytest.param({"ids": [1, 3]}, ["1/11", "1/12", "3/31"], id="of ids"),
        pytest.param({"ids": [1, 3], "status": "done"}, ["3/31"], id="of ids that meet a filter"),
        pytest.param({"include_deleted": True, "variant_id": 7}, ["4/41", "2/21", "2/22", "1/11"], id="deleted too"),
    ],
)
async def test_rows_by_themselves_are_those_that_meet_the_filters(asked: dict[str, object], rows: list[str]) -> None:
    names = [f"SO-{row}" for row in rows]
    assert await listed(await orders(), ORDERS, rows_only=True, **asked) == page(names, len(rows))


async def test_rows_by_themselves_come_in_pages_and_without_orders_that_do_not_exist() -> None:
    account = await orders()
    assert await listed(account, ORDERS, rows_only=True, limit=2, page=2) == page(
        ["SO-2/22", "SO-1/11"], 5, 2, 2, has_more=True, next_actions=["list_sales_orders(..., limit=2, page=3)"]
    )
    assert await listed(account, ORDERS, rows_only=True, ids=[9, 1]) == page(["SO-1/11", "SO-1/12"], 2, not_found=[9])
    assert await listed(account, ORDERS) == page(["SO-3", "SO-2", "SO-1"], 3)
    bare = replace(ORDERS, list_request=OrdersAsked)
    assert (await listed(account, bare, rows_only=True, variant_id=8))["rows"] == ["SO-3/31", "SO-1/12"]
    assert (await listed(account, replace(ORDERS, single_rows=None), rows_only=True))["rows"] == [
        "SO-3",
        "SO-2",
        "SO-1",
    ]


async def test_a_list_without_single_rows_in_its_request_shows_documents() -> None:
    account = await orders()
    assert (await listed(account, replace(ORDERS, list_request=ListRequest)))["rows"] == ["SO-3", "SO-2", "SO-1"]


async def test_more_documents_than_are_looked_through_for_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    account = await orders()
    monkeypatch.setattr("katana_mcp.surface.operations.list.REACH", 3)
    assert (await listed(account, ORDERS, rows_only=True, limit=1))["total"] == 5
    window = Selection((), Order("id", descending=True), 4, 0)
    assert account.cache.selected == [("sales_order", window)]
    await account.keep("sales_order", order(5))
    message = "rows_only: more than 3 sales orders have such rows; narrow the filters"
    assert await refusal(account, ORDERS, rows_only=True) == ("invalid_argument", message, "rows_only")
    assert (await listed(account, ORDERS, rows_only=True, variant_id=7))["total"] == 3
    monkeypatch.setattr("katana_mcp.surface.operations.list.REACH", 1_234)
    visibility = Visibility(deleted=True)
    await listed(account, ORDERS, rows_only=True, include_deleted=True, status="open")
    assert account.cache.selected[-1] == (
        "sales_order",
        Selection((OneOf("status", ("open",)),), Order("id", descending=True), 1_235, 0, visibility),
    )


class Referring(Asked):
    """Filters of goods by what they name."""

    supplier_id: Annotated[int | None, Refers("supplier", "default_supplier_id", "supplier")] = None
    order_id: Annotated[
        int | None,
        Refers("supplier", "supplier_id", "supplier", inside=("material", "default_supplier_id")),
    ] = None


def unread(account: Account, entity: str, *fields: str) -> None:
    """Let fields of an entity be unread of one record."""
    account.fresh.states[entity] = Freshness(
        entity, AS_OF, unread=tuple(UnreadField(name, (record_id,)) for record_id, name in enumerate(fields, 1))
    )


def left_out(*fields: str) -> list[str]:
    """Return what is said of fields that filters could not read."""
    return [f"incomplete: {name} could not be read, so filters, order and sums leave it out" for name in fields]


async def test_fields_that_filters_and_order_use_and_that_could_not_be_read_are_told() -> None:
    account = await shop()
    entity = replace(GOODS, list_request=Referring)
    unread(account, "product", "created_at", "name", "default_supplier_id", "supplier_id")
    unread(account, "material", "supplier_id", "category_name", "created_at")
    both = left_out("product.created_at of 1 (1)", "material.created_at of 1 (3)")
    assert (await listed(account, entity))["warnings"] == both
    assert (await listed(account, entity, order_by="name"))["warnings"] == left_out("product.name of 1 (2)")
    assert (await listed(account, entity, ids=[1]))["warnings"] == []
    assert (await listed(account, entity, ids=[1], category="Wheels"))["warnings"] == left_out(
        "material.category_name of 1 (2)"
    )
    assert (await listed(account, entity, supplier_id=1, order_by="updated_at"))["warnings"] == left_out(
        "product.default_supplier_id of 1 (3)"
    )
    assert (await listed(account, entity, order_id=1, category="Wheels"))["warnings"] == left_out(
        "product.created_at of 1 (1)",
        "material.supplier_id of 1 (1)",
        "material.category_name of 1 (2)",
        "material.created_at of 1 (3)",
    )


async def test_an_entity_whose_records_are_asked_beside_what_is_listed_is_told_too() -> None:
    account = await shop()
    unread(account, "material", "supplier_id")
    alone = replace(GOODS, list_request=Referring, sources=("product",), reads=("material",))
    assert (await listed(account, alone, order_id=1))["warnings"] == left_out("material.supplier_id of 1 (1)")


async def test_what_names_need_is_brought_up_to_date_with_what_is_listed() -> None:
    account = await shop()
    await listed(account, replace(GOODS, list_request=Referring), supplier_id=1)
    assert account.fresh.ensured == [(("product", "material", "location", "supplier"), None, ())]
