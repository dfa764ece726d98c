"""What a search makes of a query that is shaped like a number or a code: alone, asked of Katana, and missed."""

from collections.abc import Mapping

import pytest
from small_account import AS_OF, Account

from cache_core.protocol import Search
from katana_mcp.surface.descriptor import Entity
from katana_mcp.surface.operations.coded import brought_first, is_missed, looked_up, missed, number_alone
from katana_mcp.surface.operations.rows import Sourced
from katana_mcp.tools.warnings import advisory

ORDERS = Entity(
    name="sales_order", plural="sales_orders", toolset="sales", sources=("sales_order",), searched=("order_no",)
)
ITEMS = Entity(name="item", plural="items", toolset="items", sources=("variant", "service"), searched=("sku",))
BOTH = Entity(
    name="order",
    plural="orders",
    toolset="sales",
    sources=("sales_order", "purchase_order"),
    searched=("order_no",),
)


def order(number: int, **further: object) -> dict[str, object]:
    """Return an order."""
    return {"id": number, "order_no": f"SO-{number}", **further}


def variant(record_id: int, sku: str | None, *codes: str, **further: object) -> dict[str, object]:
    """Return a variant."""
    return {"id": record_id, "sku": sku, "supplier_item_codes": list(codes), "product_id": 1, **further}


async def shop() -> Account:
    """Return an account of some orders and goods."""
    account = Account()
    await account.keep("customer", {"id": 1, "name": "Acme 7 Parts", "company": "SO 88 Ltd", "email": "acme@x.org"})
    await account.keep("product", {"id": 1, "name": "Fork 35 Kit", "category_name": "Forks"})
    await account.keep(
        "variant", variant(1, "FSKT-35M", "00.4021"), variant(2, "FSKT-36M", "00.4022"), variant(3, None, "00.4023")
    )
    await account.keep("service", {"id": 9, "name": "Wash", "variants": [{"id": 90, "sku": "SRV-10"}]})
    await account.keep("sales_order", *[order(number, customer_id=1) for number in range(11, 15)])
    await account.keep("purchase_order", {"id": 1, "order_no": "PO-5"})
    return account


async def row(account: Account, entity: str, *ids: int) -> list[Sourced]:
    """Return cached rows with their cache entity."""
    return [(entity, found) for found in (await account.cache.get_many(entity, ids)).rows]


@pytest.mark.parametrize(
    ("query", "alone"),
    [
        ("sales order SO-12", "SO-12"),
        ("Sales Orders: SO-12", "SO-12"),
        ("order no. SO-12", "SO-12"),
        ("#order:. SO-12", "SO-12"),
        ("order NUMBER SO-12", "SO-12"),
        ("nr so12", "so12"),
        ("order SO-999", "SO-999"),
        ("SO-12", "SO-12"),
        ("SO-12 ", "SO-12 "),
        ("acme SO-12", "acme SO-12"),
        ("order acme SO-12", "order acme SO-12"),
        ("order acme", "order acme"),
        ("order PO-5", "order PO-5"),
        ("SO-12 order", "SO-12 order"),
    ],
)
async def test_a_number_behind_words_for_its_kind_is_searched_for_alone(query: str, alone: str) -> None:
    assert await number_alone(ORDERS, query, (await shop()).services) == alone


async def test_a_number_of_any_of_the_cache_entities_is_searched_for_alone() -> None:
    services = (await shop()).services
    assert await number_alone(BOTH, "order PO-7", services) == "PO-7"
    assert await number_alone(BOTH, "order SO-7", services) == "SO-7"
    assert await number_alone(BOTH, "order XX-7", services) == "order XX-7"


def searches(text: str, *sources: str) -> Mapping[str, Search]:
    """Return searches for one text."""
    return {source: Search(text) for source in sources or ("variant", "service")}


@pytest.mark.parametrize(
    ("code", "is_asked"),
    [
        ("A-1", True),
        ("  A-1 ", True),
        (f"1{'x' * 99}", True),
        (f"1{'x' * 100}", False),
        ("A1", False),
        ("fork", False),
        ("A-1 B", False),
        ("1 2", False),
        ("  ", False),
    ],
    ids=["three", "blanks around", "a hundred", "more", "two", "no digit", "two words", "two digits", "nothing"],
)
async def test_a_word_with_a_digit_may_be_a_code_that_katana_is_asked_for_first(code: str, is_asked: bool) -> None:
    account = await shop()
    assert await brought_first(ITEMS, searches(code), account.services) is False
    assert account.lookups.first == ([("variant", code.strip()), ("service", code.strip())] if is_asked else [])


@pytest.mark.parametrize("typed", ["NEW-7", "new7"])
async def test_what_katana_gives_before_a_first_listing_ends_is_there_at_once(typed: str) -> None:
    account = await shop()
    account.lookups.listing.add("variant")
    account.lookups.brings["variant"] = [variant(7, "NEW-7", product_id=5), variant(8, "NEW-71", product_id=6)]
    assert await brought_first(ITEMS, searches(typed), account.services) is True
    assert account.fresh.again == [("product", (5,))]
    assert await brought_first(ITEMS, searches("NEW-8"), account.services) is False
    assert await brought_first(ITEMS, searches("SRV-10"), account.services) is True
    assert account.fresh.again == [("product", (5,))]


async def test_what_is_cached_before_a_first_listing_began_is_not_taken_for_brought() -> None:
    account = await shop()
    assert await brought_first(ITEMS, searches("FSKT-35M"), account.services) is False
    account.lookups.listing.add("service")
    assert await brought_first(ITEMS, searches("FSKT-35M"), account.services) is True
    assert await brought_first(ITEMS, searches("FSKT-35M", "service"), account.services) is False
    assert await brought_first(ITEMS, searches("FSKT-35M", "variant"), account.services) is True


@pytest.mark.parametrize(
    ("query", "found", "is_without"),
    [
        ("SO-12", [12], False),
        ("so12", [11, 12], False),
        ("SO-99", [11, 12], True),
        ("SO-1", [12], True),
        ("SO-99", [], True),
        ("acme", [], False),
        ("SO-12 acme", [], False),
    ],
)
async def test_a_number_is_missed_unless_it_is_that_of_a_row(query: str, found: list[int], is_without: bool) -> None:
    account = await shop()
    rows = await row(account, "sales_order", *found)
    assert await is_missed(ORDERS, query, rows, account.services) is is_without


@pytest.mark.parametrize(
    ("query", "found", "is_without"),
    [
        ("FSKT-35M", [1], False),
        ("FSKT-3M", [1], True),
        ("fskt-35m", [2, 1], False),
        ("AFSKT-35M", [1], True),
        ("SKT-35M", [1], False),
        ("00.4022", [2], False),
        ("00.4022", [1], True),
        ("fork", [], False),
        ("fork 35 kit", [], False),
    ],
)
async def test_a_code_is_missed_unless_a_row_has_it_in_one_of_its_own(
    query: str, found: list[int], is_without: bool
) -> None:
    account = await shop()
    rows = await row(account, "variant", *found)
    assert await is_missed(ITEMS, query, rows, account.services) is is_without


async def test_a_number_that_is_cached_in_any_state_is_not_asked_for_again() -> None:
    account = await shop()
    await account.keep("sales_order", order(30, deleted_at=AS_OF), order(31), {**order(32), "order_no": "SO-31"})
    services = account.services
    assert await looked_up(ORDERS, "so12", services) == "SO-12"
    assert await looked_up(ORDERS, "so 30", services) == "SO-30"
    assert await looked_up(ORDERS, "SO31", services) == "SO-31"
    assert await looked_up(BOTH, "po5", services) == "PO-5"
    assert account.lookups.asked == []


async def test_a_number_that_is_not_cached_is_asked_for_as_the_account_writes_it() -> None:
    account = await shop()
    assert await looked_up(BOTH, " so99 ", account.services) == "SO-99"
    assert account.lookups.asked == [([("sales_order", "SO-99"), ("purchase_order", "so99")], False)]
    account.lookups.is_silent = True
    assert await looked_up(ORDERS, "so99", account.services) is None


async def test_a_code_that_is_not_cached_is_looked_for_in_what_is_newest() -> None:
    account = await shop()
    assert await looked_up(ITEMS, " FSKT-99M ", account.services) == "FSKT-99M"
    assert account.lookups.asked == [([("variant", "FSKT-99M"), ("service", "FSKT-99M")], True)]


async def told(account: Account, entity: Entity, query: str, found: list[Sourced]) -> str:
    """Return what is said of a number or a code that nothing has."""
    warning = await missed(entity, query, found, account.services)
    assert warning == advisory("not_found", warning.message, "query")
    return warning.message


async def test_a_number_that_nothing_has_is_said_with_those_near_it() -> None:
    account = await shop()
    assert await told(account, ORDERS, "so99", []) == "no sales order has the number SO-99"
    near = "no sales order has the number SO-15; did you mean 'SO-14', 'SO-13', 'SO-12'?"
    assert await told(account, ORDERS, "so15", []) == near
    assert await told(account, BOTH, "SO-99", []) == "no order has the number SO-99"
    assert await told(account, BOTH, " PO-9 ", []) == "no order has the code PO-9"
    assert await told(account, ITEMS, " FSKT-99M ", []) == "no item has the code FSKT-99M"
    assert await told(account, ITEMS, "FSKT-37M", []) == "no item has the code FSKT-37M"


@pytest.mark.parametrize(
    ("states", "end"),
    [
        ({"deleted_at": AS_OF}, " except a deleted one"),
        ({"archived_at": AS_OF}, " except an archived one"),
        ({"archived_at": AS_OF, "deleted_at": AS_OF}, " except a deleted one"),
        ({}, "; did you mean 'SO-50'?"),
    ],
    ids=["deleted", "archived", "both", "live"],
)
async def test_the_owner_of_a_number_that_is_gone_is_told(states: dict[str, object], end: str) -> None:
    account = await shop()
    await account.keep("sales_order", order(50, **states))
    assert await told(account, ORDERS, "so50", []) == f"no sales order has the number SO-50{end}"


async def test_what_was_found_instead_is_told_by_the_field_that_has_what_its_number_lacks() -> None:
    account = await shop()
    await account.keep(
        "sales_order",
        order(60, customer_ref="ref 88", addresses=[{"city": "Riga 88"}]),
        order(61, addresses=[{"city": "Riga 88"}]),
        {"id": 62, "order_no": None, "additional_info": "SO 88"},
        order(63, sales_order_rows=[{"variant_id": 4}]),
        order(64),
    )
    await account.keep("variant", variant(4, "88-X"))
    rows = await row(account, "sales_order", 11, 60, 61, 62, 63, 64)
    assert await told(account, ORDERS, "SO-88", rows) == (
        "no sales order has the number SO-88; what was found has it elsewhere: SO-11 by customer name or company; "
        "SO-60 by customer ref; SO-61 by addresses city; 62 by additional info; SO-63 by variant sku; "
        "SO-64 by order no"
    )
    assert await told(account, ORDERS, "SO-1", await row(account, "sales_order", 11, 12)) == (
        "no sales order has the number SO-1; what was found has it elsewhere: SO-11, SO-12 by order no; "
        "did you mean 'SO-11', 'SO-12', 'SO-13'?"
    )


async def test_of_goods_that_were_found_instead_each_place_names_ten() -> None:
    account = await shop()
    many = [variant(number, f"X-{number}", product_id=1) for number in range(100, 111)]
    await account.keep("variant", *many)
    begins = "no item has the code 35-9; what was found has it elsewhere: "
    ten = ", ".join(f"X-{number}" for number in range(100, 110))
    rows = await row(account, "variant", *range(100, 110))
    assert await told(account, ITEMS, "35-9", rows) == f"{begins}{ten} by product name"
    rows = await row(account, "variant", *range(100, 111))
    assert await told(account, ITEMS, "35-9", rows) == f"{begins}{ten} and more by product name"
    mixed = [*await row(account, "service", 9), *await row(account, "variant", 3)]
    assert await told(account, ITEMS, "00.4", mixed) == (
        "no item has the code 00.4; what was found has it elsewhere: SRV-10 by a text like it; "
        "00.4023 by supplier item codes"
    )
