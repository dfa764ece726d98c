"""Outsourced purchase orders: ingredients wait at the tracking location and are used up on receipt (facts 4.3)."""

from typing import Any

import pytest

from katana_sandbox import Answer, Caller, Sandbox, Tenant

from .manufacturing_floor import BOLT, STEEL, WORKSHOP, gadget, stock

LINES = "outsourced_purchase_order_recipe_rows"
STORE = 10000102
PARTS_OF_TWO = 2 * (2 * 8 + 0.5 * 4)


@pytest.fixture
async def good(api: Caller, tenant: Tenant) -> int:
    return await gadget(api, tenant, is_purchasable=True)


async def bought(api: Caller, good: int, quantity: float = 2, **header: object) -> dict[str, Any]:
    row = {"variant_id": good, "quantity": quantity, "price_per_unit": 5}
    body = {
        "supplier_id": 10000102,
        "location_id": STORE,
        "entity_type": "outsourced",
        "tracking_location_id": WORKSHOP,
    }
    answer = await api.post("/purchase_orders", {**body, "currency": "EUR", "purchase_order_rows": [row], **header})
    assert answer.status == 200, answer.raw
    return answer.body


async def received(api: Caller, order: dict[str, Any], quantity: float = 2) -> Answer:
    row = order["purchase_order_rows"][0]["id"]
    return await api.post("/purchase_order_receive", {"purchase_order_row_id": row, "quantity": quantity})


async def lines_of(api: Caller, order: dict[str, Any]) -> list[dict[str, Any]]:
    return (await api.get(f"/{LINES}", {"purchase_order_id": order["id"]})).rows[::-1]


async def test_ingredients_are_copied_and_committed_where_they_are_tracked(
    api: Caller, tenant: Tenant, good: int
) -> None:
    order = await bought(api, good)
    lines = await lines_of(api, order)
    assert [(line["ingredient_variant_id"], line["planned_quantity_per_unit"]) for line in lines] == [
        (STEEL, 2),
        (BOLT, 0.5),
    ]
    assert [stock(tenant, part) for part in (STEEL, BOLT)] == [(100, 4, 0), (100, 1, 0)]
    assert {line["ingredient_availability"] for line in lines} == {"IN_STOCK"}


async def test_whether_ingredients_are_committed_is_a_switch(sandbox: Sandbox, tenant: Tenant, good: int) -> None:
    api = sandbox.caller()
    tenant.set_stock(STEEL, WORKSHOP, 4, 8)
    order = await bought(api, good)
    assert stock(tenant, STEEL) == (4, 4, 0)
    assert [line["ingredient_availability"] for line in await lines_of(api, order)] == ["IN_STOCK"] * 2


async def test_what_is_committed_follows_every_edit(api: Caller, tenant: Tenant, good: int) -> None:
    order = await bought(api, good, status="DRAFT")
    path = f"/purchase_orders/{order['id']}"
    row = f"/purchase_order_rows/{order['purchase_order_rows'][0]['id']}"
    line = f"/{LINES}/{(await lines_of(api, order))[0]['id']}"
    assert stock(tenant, STEEL)[1] == 0, "4.12 [I]: a draft commits nothing"
    await api.patch(path, {"status": "NOT_RECEIVED"})
    assert stock(tenant, STEEL)[1] == 4
    await api.patch(row, {"quantity": 3})
    assert stock(tenant, STEEL)[1] == 6
    await api.patch(line, {"planned_quantity_per_unit": 1})
    assert stock(tenant, STEEL)[1] == 3
    await api.patch(line, {"ingredient_variant_id": BOLT})
    assert (stock(tenant, STEEL)[1], stock(tenant, BOLT)[1]) == (0, 4.5)
    await api.delete(line)
    assert stock(tenant, BOLT)[1] == 1.5
    await api.patch(path, {"tracking_location_id": 10000102})
    assert stock(tenant, BOLT)[1] == 0
    await api.patch(path, {"tracking_location_id": WORKSHOP})
    assert (await api.delete(path)).status == 204
    assert stock(tenant, BOLT)[1] == 0


async def test_a_receipt_uses_ingredients_up_and_their_cost_lands_on_the_goods(
    api: Caller, tenant: Tenant, good: int
) -> None:
    order = await bought(api, good)
    assert (await received(api, order)).status == 204
    assert [stock(tenant, part) for part in (STEEL, BOLT)] == [(96, 0, 0), (99, 0, 0)]
    assert [(line["cost"], line["ingredient_availability"]) for line in await lines_of(api, order)] == [
        (32, "PROCESSED"),
        (4, "PROCESSED"),
    ]
    level = tenant.get("inventory", (good, STORE))
    assert float(level["value_in_stock"]) == 2 * 5 + PARTS_OF_TWO
    assert tenant.get("purchase_orders", order["id"])["purchase_order_rows"][0]["landed_cost"] == 10 + PARTS_OF_TWO


async def test_the_cost_of_ingredients_is_fixed_on_receipt(api: Caller, tenant: Tenant, good: int) -> None:
    order = await bought(api, good)
    await received(api, order)
    row = {"variant_id": STEEL, "quantity": 100, "cost_per_unit": 50}
    header = {"stock_adjustment_number": "A", "stock_adjustment_date": "2026-01-01T00:00:00Z", "location_id": WORKSHOP}
    await api.post("/stock_adjustments", {**header, "stock_adjustment_rows": [row]})
    await api.patch(f"/purchase_orders/{order['id']}", {"additional_info": "x"})
    assert (await lines_of(api, order))[0]["cost"] == 32
    assert float(tenant.get("inventory", (good, STORE))["value_in_stock"]) == 10 + PARTS_OF_TWO


async def test_ingredients_are_counted_in_stock_units_of_the_goods(api: Caller, tenant: Tenant, good: int) -> None:
    row = {"variant_id": good, "quantity": 2, "price_per_unit": 5}
    boxed = {**row, "purchase_uom": "box", "purchase_uom_conversion_rate": 3}
    order = await bought(api, good, purchase_order_rows=[boxed])
    assert stock(tenant, STEEL)[1] == 12
    await received(api, order)
    assert stock(tenant, STEEL) == (88, 0, 0)


async def test_a_part_receipt_uses_up_its_part_and_commits_the_rest(api: Caller, tenant: Tenant, good: int) -> None:
    order = await bought(api, good, 3)
    await received(api, order, 1)
    assert stock(tenant, STEEL) == (98, 4, 0)


async def test_a_receipt_taken_back_gives_ingredients_back(api: Caller, tenant: Tenant, good: int) -> None:
    order = await bought(api, good)
    pairs = [(STEEL, WORKSHOP), (BOLT, WORKSHOP), (good, STORE)]
    before = [tenant.get("inventory", pair) for pair in pairs]
    await received(api, order)
    await api.patch(f"/purchase_orders/{order['id']}", {"status": "NOT_RECEIVED"})
    assert [tenant.get("inventory", pair) for pair in pairs] == before
    assert [line["cost"] for line in await lines_of(api, order)] == [None, None]


async def test_ingredients_of_a_received_order_can_not_be_edited(api: Caller, good: int) -> None:
    order = await bought(api, good)
    await received(api, order)
    line = (await lines_of(api, order))[0]
    body = {"purchase_order_row_id": line["purchase_order_row_id"], "ingredient_variant_id": 10000112}
    refused = [
        await api.post(f"/{LINES}", {**body, "planned_quantity_per_unit": 1}),
        await api.patch(f"/{LINES}/{line['id']}", {"notes": "x"}),
        await api.delete(f"/{LINES}/{line['id']}"),
    ]
    assert [answer.status for answer in refused] == [422] * 3


async def test_ingredients_are_expected_when_what_is_coming_covers_them(api: Caller, tenant: Tenant, good: int) -> None:
    """4.3, 3.4: the date is that of the supply that covers the row, and the order shows the latest."""
    order = await bought(api, good)
    assert [line["ingredient_expected_date"] for line in await lines_of(api, order)] == [None, None]
    clear(tenant, STEEL, BOLT)
    assert await supply_of(api, order) == [("NOT_AVAILABLE", None)] * 3
    late = await coming(api, STEEL, 3, "2026-06-01")
    assert (await supply_of(api, order))[1] == ("NOT_AVAILABLE", None)
    await coming(api, STEEL, 1, "2026-05-01")
    assert await supply_of(api, order) == [
        ("NOT_AVAILABLE", None),
        ("EXPECTED", day("2026-06-01")),
        ("NOT_AVAILABLE", None),
    ]
    await coming(api, BOLT, 9, "2026-05-20")
    both = [("EXPECTED", day("2026-06-01")), ("EXPECTED", day("2026-05-20"))]
    assert await supply_of(api, order) == [both[0], *both]
    await received(api, late, 3)
    tenant.set_stock(STEEL, WORKSHOP, 4, 8)
    assert await supply_of(api, order) == [both[1], ("IN_STOCK", None), both[1]]
    await received(api, order)
    assert await supply_of(api, order) == [("PROCESSED", None)] * 3


async def test_what_comes_to_another_place_is_not_expected_for_ingredients(
    api: Caller, tenant: Tenant, good: int
) -> None:
    """4.3: ingredients are taken where the order is tracked."""
    order = await bought(api, good)
    clear(tenant, STEEL, BOLT)
    await coming(api, STEEL, 50, "2026-05-01", place=STORE)
    assert (await supply_of(api, order))[1] == ("NOT_AVAILABLE", None)


async def test_an_ordinary_purchase_has_no_ingredients(api: Caller) -> None:
    """3.4: both members are null unless the order is outsourced."""
    order = await coming(api, STEEL, 1, "2026-05-01")
    assert (order["ingredient_availability"], order["ingredient_expected_date"]) == (None, None)


def clear(tenant: Tenant, *parts: int) -> None:
    for part in parts:
        tenant.set_stock(part, WORKSHOP, 0)
        for row in list(tenant.all("purchase_order_rows")):
            if row["variant_id"] == part and not row["received_date"] and not row["deleted_at"]:
                tenant.delete("purchase_order_rows", row["id"])


def day(date: str) -> str:
    return f"{date}T00:00:00.000Z"


async def coming(api: Caller, part: int, quantity: float, date: str, place: int = WORKSHOP) -> dict[str, Any]:
    row = {"variant_id": part, "quantity": quantity, "price_per_unit": 5, "arrival_date": day(date)}
    row["purchase_uom_conversion_rate"] = 1
    body = {"supplier_id": 10000102, "location_id": place, "purchase_order_rows": [row]}
    return (await api.post("/purchase_orders", body)).body


async def supply_of(api: Caller, order: dict[str, Any]) -> list[tuple[str, str | None]]:
    """What the order shows, then each of its lines."""
    shown = [(await api.get(f"/purchase_orders/{order['id']}")).body, *(await lines_of(api, order))]
    return [(one["ingredient_availability"], one["ingredient_expected_date"]) for one in shown]
