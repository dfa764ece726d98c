"""A part of a name in a filter: what it is taken for, what is said of that, and what it is not taken for."""

from typing import Annotated

import pytest
from small_account import AS_OF, Account

from cache_core.protocol import Search
from katana_mcp.surface.operations.filters import Refers, exactly
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.tools.requests import NameOrId, Request, SkuOrVariantId
from katana_mcp.tools.warnings import Refused, info

Named = Annotated[NameOrId | None, Refers("supplier", "default_supplier_id", "supplier")]


class Asked(Request):
    """Filters that name records."""

    supplier_id: Named = None
    place: Annotated[NameOrId | None, Refers("location", "name", "place")] = None
    order: Annotated[NameOrId | None, Refers("sales_order", "sales_order_id", "sales order")] = None
    sku: Annotated[SkuOrVariantId | None, Refers("variant", "variant_id", "variant")] = None
    name: Annotated[str | None, exactly("name")] = None
    code: Annotated[str | None, exactly("code")] = None


async def shop(*, is_listed: bool = True) -> Account:
    """Return an account of some suppliers."""
    account = Account()
    await account.keep(
        "supplier",
        {"id": 1, "name": "Nordic Steel"},
        {"id": 2, "name": "Baltic Iron", "comment": "nordic quality"},
        {"id": 3, "name": "Nordisk Wood", "deleted_at": AS_OF},
        is_listed=is_listed,
    )
    await account.keep("location", {"id": 7, "name": "Main Hall"})
    await account.keep("sales_order", {"id": 8, "order_no": "SO nordic"})
    await account.keep("variant", {"id": 9, "sku": "NORDIC-1"})
    return account


async def taken(account: Account, **asked: object) -> tuple[dict[str, object], list[str]]:
    """Return the arguments as they were taken, and what is said of it."""
    return await taken_in(account, None, **asked)


async def taken_in(account: Account, listed: str | None, **asked: object) -> tuple[dict[str, object], list[str]]:
    """Return the same in a list of a cache entity."""
    request, notices = await completed(Asked.model_validate(asked), account.services, listed)
    assert isinstance(request, Asked)
    assert all(notice == info("partial_name", notice.message, notice.field_path) for notice in notices)
    assert [notice.field_path for notice in notices] == [notice.message.partition(":")[0] for notice in notices]
    return request.model_dump(exclude_none=True), [notice.message for notice in notices]


@pytest.mark.parametrize("part", ["nordic", "STEEL", "nord ste", "steel nordic"])
async def test_a_part_of_one_name_stands_for_its_record(part: str) -> None:
    message = f"supplier_id: {part!r} was read as supplier 1 (Nordic Steel), the only one with this in its name"
    assert await taken(await shop(), supplier_id=part) == ({"supplier_id": 1}, [message])


async def test_each_filter_by_a_name_is_completed() -> None:
    asked, notices = await taken(await shop(), supplier_id="nordic", place="hall", code="nordic")
    assert asked == {"supplier_id": 1, "place": "Main Hall", "code": "nordic"}
    assert notices == [
        "supplier_id: 'nordic' was read as supplier 1 (Nordic Steel), the only one with this in its name",
        "place: 'hall' was read as place 7 (Main Hall), the only one with this in its name",
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"supplier_id": 1},
        {"supplier_id": "1"},
        {"supplier_id": "Nordic Steel"},
        {"supplier_id": " nordic STEEL"},
        {"supplier_id": "ordic"},
        {"supplier_id": "quality"},
        {"supplier_id": "nordic iron"},
        {"supplier_id": "wood"},
        {"supplier_id": "--"},
        {"order": "so"},
        {"sku": "nordic"},
        {"code": "nordic"},
        {"name": "nordic"},
    ],
    ids=[
        "nothing",
        "an id",
        "an id in digits",
        "a name",
        "a name in other letters",
        "inside a word",
        "another field",
        "words of two names",
        "a deleted one",
        "no word",
        "a number of an order",
        "a SKU",
        "another text",
        "the name of what is not listed",
    ],
)
async def test_what_is_no_part_of_a_live_name_stays_as_it_is(asked: dict[str, object]) -> None:
    assert await taken(await shop(), **asked) == (asked, [])


async def test_what_is_no_part_of_a_name_is_not_asked_for() -> None:
    account = await shop()
    await taken(account, order="so", sku="nordic", code="x", supplier_id="77")
    assert account.lookups.asked == []
    await taken(account, supplier_id="zebra")
    assert account.lookups.asked == [([("supplier", "zebra")], False)]


async def test_the_own_name_of_what_is_listed_may_be_a_part_too() -> None:
    account = await shop()
    message = "name: 'nordic' was read as supplier 1 (Nordic Steel), the only one with this in its name"
    assert await taken_in(account, "supplier", name="nordic", code="steel") == (
        {"name": "Nordic Steel", "code": "steel"},
        [message],
    )
    assert await taken_in(account, "sales_order", name="nordic") == ({"name": "nordic"}, [])


async def test_nothing_is_taken_for_a_name_before_all_names_are_known() -> None:
    account = await shop(is_listed=False)
    assert await taken(account, supplier_id="nordic") == ({"supplier_id": "nordic"}, [])


async def refusal(account: Account, **asked: object) -> tuple[str | None, str, str | None]:
    """Return code, sentence and argument of a refusal."""
    with pytest.raises(Refused) as refused:
        await taken(account, **asked)
    (warning,) = refused.value.warnings
    return warning.code, warning.message, warning.field_path


async def test_a_part_of_several_names_is_refused_with_five_of_them() -> None:
    account = await shop()
    await account.keep("supplier", {"id": 11, "name": "Nordic A"})
    ends = "suppliers have 'nordic' in their names; name one whole or by id:"
    two = f"supplier_id: 2 {ends} 11 (Nordic A), 1 (Nordic Steel)"
    assert await refusal(account, supplier_id="nordic") == ("ambiguous_name", two, "supplier_id")
    await account.keep("supplier", *[{"id": 12 + place, "name": f"Nordic {name}"} for place, name in enumerate("BCD")])
    shown = ", ".join(f"{11 + place} (Nordic {name})" for place, name in enumerate("ABCD"))
    five = f"supplier_id: 5 {ends} {shown}, 1 (Nordic Steel)"
    assert await refusal(account, supplier_id="nordic") == ("ambiguous_name", five, "supplier_id")
    await account.keep("supplier", {"id": 20, "name": "Nordic Z"})
    six = f"supplier_id: 6 {ends} {shown}, 1 (Nordic Steel) and more"
    assert await refusal(account, supplier_id="nordic") == ("ambiguous_name", six, "supplier_id")


async def test_two_hundred_records_with_the_words_elsewhere_are_looked_through() -> None:
    account = await shop()
    others = [{"id": number, "name": f"Other {number}", "comment": "steel"} for number in range(100, 299)]
    await account.keep("supplier", *others)
    assert (await taken(account, supplier_id="steel"))[0] == {"supplier_id": 1}
    assert ("supplier", Search("steel", limit=200)) in account.cache.searched
    await account.keep("supplier", {"id": 299, "name": "Other 299", "comment": "steel"})
    assert await taken(account, supplier_id="steel") == ({"supplier_id": "steel"}, [])
