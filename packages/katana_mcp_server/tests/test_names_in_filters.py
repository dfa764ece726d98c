"""What filters take for the records they name, which names they refuse, and the filters that stand in many lists."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError
from small_account import Account

from cache_core.conditions import OneOf, Order, Within
from cache_core.protocol import Selection
from katana_mcp.surface.operations.filters import (
    Amount,
    AtLocation,
    ByChange,
    ByCreation,
    ByTotal,
    DatedListRequest,
    ExactText,
    InCurrency,
    OrderedListRequest,
    Refers,
    TotalFrom,
    TotalTo,
    Variants,
    where,
)
from katana_mcp.tools.requests import MAX_AMOUNT, NameOrId, Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking


class Asked(Request):
    """Filters that name records."""

    supplier_id: Annotated[NameOrId | None, Refers("supplier", "default_supplier_id", "supplier")] = None
    goods: Annotated[
        Variants | None,
        Refers("variant", "variant_id", "variant", inside=("manufacturing_order_recipe_row", "manufacturing_order_id")),
    ] = None
    suppliers: Annotated[list[NameOrId] | None, Refers("supplier", "supplier_id", "seller")] = None


async def shop() -> Account:
    """Return an account of some suppliers and goods, and of orders that need them."""
    account = Account()
    suppliers = [{"id": 1, "name": "Steel"}, {"id": 2, "name": "Wood"}]
    await account.keep("supplier", *suppliers, *[{"id": number, "name": "Twin"} for number in range(10, 16)])
    await account.keep("product", {"id": 5, "name": "Fork"})
    await account.keep(
        "variant",
        {"id": 7, "sku": "FORK", "product_id": 5},
        {"id": 8, "sku": "SAME", "product_id": 5, "config_attributes": [{"config_name": "C", "config_value": "Red"}]},
        {"id": 9, "sku": "SAME", "product_id": None},
    )
    needs = [(1, 30, 7), (2, 30, 7), (3, 31, 7), (4, None, 7), (5, 33, 8)]
    await account.keep(
        "manufacturing_order_recipe_row",
        *[{"id": row, "manufacturing_order_id": order, "variant_id": good} for row, order, good in needs],
    )
    return account


async def refused(account: Account, **asked: object) -> ToolWarning:
    """Return why a filter is refused."""
    with pytest.raises(Refused) as refusal:
        await where(Asked.model_validate(asked), account.services)
    (warning,) = refusal.value.warnings
    return warning


@pytest.mark.parametrize(
    ("asked", "condition"),
    [
        ({"supplier_id": "Wood"}, OneOf("default_supplier_id", (2,))),
        ({"supplier_id": 1}, OneOf("default_supplier_id", (1,))),
        ({"supplier_id": 10}, OneOf("default_supplier_id", (10,))),
        ({"suppliers": ["Wood", 1]}, OneOf("supplier_id", (2, 1))),
        ({"goods": ["FORK"]}, OneOf("id", (31, 30))),
        ({"goods": [8, "FORK"]}, OneOf("id", (33, 31, 30))),
        ({"goods": [9]}, OneOf("id", ())),
    ],
    ids=["name", "id", "one of twins", "several", "inside", "several inside", "in none"],
)
async def test_a_filter_names_records_by_id_or_name(asked: dict[str, object], condition: OneOf) -> None:
    assert await where(Asked.model_validate(asked), (await shop()).services) == (condition,)


async def test_every_name_counts() -> None:
    asked = Asked(supplier_id="Steel", goods=[8])
    conditions = (OneOf("default_supplier_id", (1,)), OneOf("id", (33,)))
    assert await where(asked, (await shop()).services) == conditions
    spelt = {"supplier_id": ["Wood"]}
    assert await where(Asked(supplier_id="wod"), (await shop()).services, spelt) == (
        OneOf("default_supplier_id", (2,)),
    )


async def test_a_name_that_nothing_has_is_refused_with_what_is_near() -> None:
    account = await shop()
    message = "no supplier is called exactly 'Steal'; did you mean 'Steel'?"
    assert await refused(account, supplier_id="Steal") == blocking("not_found", message, "supplier_id")
    message = "no seller is called exactly 'Xyzzy'"
    assert await refused(account, suppliers=[1, "Xyzzy"]) == blocking("not_found", message, "suppliers")
    assert await refused(account, goods=[70]) == blocking("not_found", "no variant has the id 70", "goods")


async def test_a_name_that_several_have_is_refused_with_five_of_them() -> None:
    account = await shop()
    offered = ", ".join(f"{number} (Twin)" for number in range(10, 15))
    message = f"6 suppliers are called 'Twin'; name one by id: {offered}"
    assert await refused(account, supplier_id="Twin") == blocking("ambiguous_name", message, "supplier_id")
    message = "2 variants are called 'SAME'; name one by id: 8 (Fork / Red), 9 (SAME)"
    assert await refused(account, goods=["SAME"]) == blocking("ambiguous_name", message, "goods")


async def test_rows_of_other_documents_are_looked_through_newest_first_and_no_more_than_so_many() -> None:
    account = await shop()
    account.cache.selected.clear()
    await where(Asked(goods=[7]), account.services)
    rows = "manufacturing_order_recipe_row"
    inside = Selection((OneOf("variant_id", (7,)),), Order("id", descending=True), 10_001)
    assert [selection for entity, selection in account.cache.selected if entity == rows] == [inside]


@pytest.mark.parametrize(("most", "is_refused"), [(4, False), (3, True)])
async def test_goods_that_too_many_rows_name_are_refused(
    monkeypatch: pytest.MonkeyPatch, most: int, *, is_refused: bool
) -> None:
    monkeypatch.setattr("katana_mcp.surface.operations.filters.MOST_INSIDE", most)
    account = await shop()
    if is_refused:
        message = "goods: more than 3 manufacturing order recipe rows name these; ask for fewer of them"
        assert await refused(account, goods=["FORK"]) == blocking("invalid_argument", message, "goods")
    else:
        assert await where(Asked(goods=["FORK"]), account.services) == (OneOf("id", (31, 30)),)


class Placed(OrderedListRequest):
    """An order list with the filters that many lists have."""

    location_id: AtLocation = None
    currency: InCurrency = None
    total_from: TotalFrom = None
    total_to: TotalTo = None


async def test_the_filters_of_many_lists_ask_their_own_fields() -> None:
    account = await shop()
    await account.keep("location", {"id": 3, "name": "North"})
    asked = Placed.model_validate(
        {
            **{f"{name}_from": "2026-03-01" for name in ("created", "updated", "ordered")},
            **{f"{name}_to": "2026-03-02" for name in ("created", "updated", "ordered")},
            "location_id": "North",
            "currency": "eur",
            "total_from": 1.5,
            "total_to": 2,
        }
    )
    low, high = "2026-03-01T00:00:00.000Z", "2026-03-02T23:59:59.999Z"
    assert set(await where(asked, account.services)) == {
        *[Within(name, low=low) for name in ("created_at", "updated_at", "order_created_date")],
        *[Within(name, high=high) for name in ("created_at", "updated_at", "order_created_date")],
        OneOf("location_id", (3,)),
        OneOf("currency", ("EUR",)),
        Within("total", low=Decimal("1.5")),
        Within("total", high=Decimal(2)),
    }
    assert await where(Placed(), account.services) == ()
    assert (DatedListRequest().include_deleted, asked.created_from) == (False, datetime(2026, 3, 1, tzinfo=UTC))


def test_the_filters_of_many_lists_are_explained() -> None:
    told = Placed.model_json_schema()["properties"]
    assert {name: told[name]["description"] for name in ("location_id", "currency", "total_from", "total_to")} == {
        "location_id": "Id, name or part of it.",
        "currency": "Like EUR.",
        "total_from": "With tax.",
        "total_to": "With tax.",
    }
    dated = {
        f"{name}_{end}": told[f"{name}_{end}"]["description"]
        for name in ("created", "updated", "ordered")
        for end in ("from", "to")
    }
    assert dated == {
        "created_from": "Created.",
        "created_to": "Created.",
        "updated_from": "Changed.",
        "updated_to": "Changed.",
        "ordered_from": "Order date.",
        "ordered_to": "Order date.",
    }


KINDS: list[tuple[object, list[object], list[object]]] = [
    (Amount, [0, MAX_AMOUNT, 1.5], [-0.01, MAX_AMOUNT * 1.01]),
    (ExactText, ["a", "a" * 256], ["", "a" * 257]),
    (Variants, [["A"], [5], ["A"] * 100], [[], ["A"] * 101, "A"]),
    (ByCreation, ["-created_at", "created_at"], ["-updated_at", ""]),
    (ByChange, ["-updated_at", "updated_at"], ["-created_at", ""]),
    (ByTotal, ["-total_in_base_currency", "total_in_base_currency"], ["total", ""]),
]


@pytest.mark.parametrize(
    ("kind", "taken", "not_taken"), KINDS, ids=["amount", "text", "variants", "creation", "change", "total"]
)
def test_a_value_within_its_bounds_is_taken(kind: Any, taken: list[object], not_taken: list[object]) -> None:  # noqa: ANN401 - any kind
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    assert [adapter.validate_python(value) for value in taken] == taken
    for value in not_taken:
        with pytest.raises(ValidationError):
            adapter.validate_python(value)
