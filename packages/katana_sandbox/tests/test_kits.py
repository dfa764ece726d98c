"""Kits: built on the spot when a sales order ships them, undone with the shipment (facts 4.1, 4.5, 4.12)."""

from typing import Any

import pytest

from katana_sandbox import Answer, Caller, Sandbox, Tenant

from .manufacturing_floor import BOLT, STEEL, WORKSHOP, gadget, stock

MARCH = "2026-03-03T08:00:00.000Z"
PARTS_OF_TWO = 2 * (2 * 8 + 0.5 * 4)
WORK_OF_TWO = 2 * 6 + 12


@pytest.fixture
async def kit(api: Caller, tenant: Tenant) -> int:
    return await gadget(api, tenant, is_auto_assembly=True)


async def sold(api: Caller, kit: int, quantity: float = 2) -> dict[str, Any]:
    row = {"variant_id": kit, "quantity": quantity, "price_per_unit": 90}
    body = {"customer_id": 10000101, "location_id": WORKSHOP, "sales_order_rows": [row]}
    return (await api.post("/sales_orders", body)).body


async def shipped(api: Caller, order: dict[str, Any], quantity: float = 2, status: str = "DELIVERED") -> Answer:
    line = {"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": quantity}
    body = {"sales_order_id": order["id"], "status": status, "picked_date": MARCH}
    return await api.post("/sales_order_fulfillments", {**body, "sales_order_fulfillment_rows": [line]})


async def built(api: Caller, kit: int) -> list[dict[str, Any]]:
    rows = (await api.get("/manufacturing_orders", {"limit": 250})).rows
    return [row for row in rows if row["variant_id"] == kit]


async def test_delivering_a_kit_makes_it_takes_its_parts_and_carries_their_cost(
    api: Caller, tenant: Tenant, kit: int
) -> None:
    order = await sold(api, kit)
    assert await built(api, kit) == [], "4.1: it is the delivery that builds"
    assert (await shipped(api, order)).status == 200
    made = (await built(api, kit))[0]
    assert (made["status"], made["actual_quantity"], made["done_date"]) == ("DONE", 2, MARCH)
    assert (made["is_linked_to_sales_order"], made["total_cost"]) == (False, PARTS_OF_TWO + WORK_OF_TWO)
    assert [stock(tenant, variant)[0] for variant in (kit, STEEL, BOLT)] == [0, 96, 99]
    row = (await api.get(f"/sales_order_rows/{order['sales_order_rows'][0]['id']}")).body
    assert float(row["cogs_value"]) == PARTS_OF_TWO + WORK_OF_TWO, "4.5: quantity x average cost at that time"
    moves = (await api.get("/inventory_movements", {"variant_ids": kit})).rows[::-1]
    assert [(move["resource_type"], move["balance_after"]) for move in moves] == [
        ("Production", 2),
        ("SalesOrderRow", 0),
    ]
    assert moves[0]["caused_by_order_no"] == made["order_no"]


@pytest.mark.parametrize("undo", ["fulfillment", "order"])
async def test_undoing_the_shipment_takes_the_kit_apart(api: Caller, tenant: Tenant, kit: int, undo: str) -> None:
    order = await sold(api, kit)
    before = [tenant.get("inventory", (variant, WORKSHOP)) for variant in (STEEL, BOLT)]
    shipment = (await shipped(api, order)).body
    path = f"/sales_order_fulfillments/{shipment['id']}" if undo == "fulfillment" else f"/sales_orders/{order['id']}"
    assert (await api.delete(path)).status == 204
    assert [tenant.get("inventory", (variant, WORKSHOP)) for variant in (STEEL, BOLT)] == before
    assert await built(api, kit) == []
    assert (await api.get("/inventory_movements", {"variant_ids": kit})).rows == []


async def test_a_part_shipment_builds_its_part_and_is_undone_alone(api: Caller, tenant: Tenant, kit: int) -> None:
    order = await sold(api, kit, 3)
    await shipped(api, order, 1)
    second = (await shipped(api, order, 2)).body
    assert stock(tenant, STEEL)[0] == 94
    await api.delete(f"/sales_order_fulfillments/{second['id']}")
    assert (stock(tenant, STEEL)[0], len(await built(api, kit))) == (98, 1)


async def test_another_picked_date_moves_the_building_too(api: Caller, kit: int) -> None:
    shipment = (await shipped(api, await sold(api, kit))).body
    later = "2026-03-04T08:00:00.000Z"
    await api.patch(f"/sales_order_fulfillments/{shipment['id']}", {"picked_date": later})
    moves = (await api.get("/inventory_movements", {"variant_ids": kit})).rows
    assert [(move["movement_date"], move["balance_after"]) for move in moves] == [(later, 0), (later, 2)]
    assert (await built(api, kit))[0]["done_date"] == later


async def test_kits_are_built_when_stock_leaves(sandbox: Sandbox, api: Caller, tenant: Tenant, kit: int) -> None:
    await shipped(api, await sold(api, kit), status="PACKED")
    assert stock(tenant, STEEL)[0] == 96, "4.5 [I]: at PACKED"
    sandbox.switches.set("stock_leaves", "DELIVERED")
    packed = (await shipped(api, await sold(api, kit), status="PACKED")).body
    assert stock(tenant, STEEL)[0] == 96
    path = f"/sales_order_fulfillments/{packed['id']}"
    for status, left in (("DELIVERED", 92), ("PACKED", 96)):
        await api.patch(path, {"status": status})
        assert stock(tenant, STEEL)[0] == left


async def test_every_kit_of_a_shipment_is_built_even_where_some_stand_in_stock(
    sandbox: Sandbox, tenant: Tenant, kit: int
) -> None:
    api = sandbox.caller()
    tenant.set_stock(kit, WORKSHOP, 1, 20)
    await shipped(api, await sold(api, kit))
    assert (stock(tenant, kit)[0], stock(tenant, STEEL)[0]) == (1, 96)


async def test_an_open_order_commits_the_kit_and_not_its_parts(api: Caller, tenant: Tenant, kit: int) -> None:
    order = await sold(api, kit)
    assert [stock(tenant, variant)[1] for variant in (kit, STEEL, BOLT)] == [2, 0, 0], "4.12: committed is of rows"
    await shipped(api, order)
    assert stock(tenant, kit) == (0, 0, 0)


async def test_what_can_be_built_is_the_least_that_free_parts_allow(api: Caller, tenant: Tenant, kit: int) -> None:
    assert tenant.get("inventory", (kit, WORKSHOP))["quantity_potential"] == "50.00000", "4.12: floor(100 / 2)"
    tenant.set_stock(BOLT, WORKSHOP, 3.7, 4)
    assert tenant.get("inventory", (kit, WORKSHOP))["quantity_potential"] == "7.00000"
    await sold(api, STEEL, 99)
    assert tenant.get("inventory", (kit, WORKSHOP))["quantity_potential"] == "0.00000"
    tenant.set_stock(STEEL, WORKSHOP, -4, 4)
    assert tenant.get("inventory", (kit, WORKSHOP))["quantity_potential"] == "0.00000"


async def test_what_is_no_kit_has_no_potential(api: Caller, tenant: Tenant) -> None:
    made = await gadget(api, tenant)
    bare = await api.post("/products", {"name": "Bare", "is_auto_assembly": True, "variants": [{"sku": "B"}]})
    for variant in (made, STEEL, bare.body["variants"][0]["id"]):
        row = (await api.get("/inventory", {"variant_id": variant, "location_id": WORKSHOP})).rows[0]
        assert row["quantity_potential"] is None, "3.7, 5.4: null on typical rows"
    assert (await shipped(api, await sold(api, made))).status == 200
    assert await built(api, made) == []


async def test_a_kit_is_not_built_where_nothing_may_be_made(api: Caller, tenant: Tenant, kit: int) -> None:
    order = await sold(api, kit)
    tenant.edit("locations", WORKSHOP, manufacturing_allowed=False)
    refused = await shipped(api, order)
    assert (refused.status, refused.error["message"]) == (422, "Location has manufacturing disabled")
    assert stock(tenant, STEEL)[0] == 100


async def test_only_a_producible_product_without_batches_is_a_kit(api: Caller) -> None:
    for wrong in ({"is_producible": False, "is_purchasable": True}, {"batch_tracked": True}):
        body = {"name": "K", "is_auto_assembly": True, "variants": [{"sku": "K"}], **wrong}
        assert (await api.post("/products", body)).status == 422, "4.1"
