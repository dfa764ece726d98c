"""Make to order: links between sales order rows and manufacturing orders, and what the sales order shows of them."""

from typing import Any

import pytest

from katana_sandbox import Answer, Caller, Tenant

from .manufacturing_floor import WORKSHOP, gadget, header, ordered, produced

DUE = "2026-03-20T00:00:00.000Z"


@pytest.fixture
async def variant(api: Caller, tenant: Tenant) -> int:
    return await gadget(api, tenant)


async def sold(api: Caller, variant: int, quantity: float = 3) -> dict[str, Any]:
    row = {"variant_id": variant, "quantity": quantity, "price_per_unit": 90, "tax_rate_id": 10000101}
    body = {"customer_id": 10000101, "order_no": "SO-2", "delivery_date": DUE, "sales_order_rows": [row]}
    answer = await api.post("/sales_orders", body)
    assert answer.status == 200, answer.raw
    return answer.body


async def made_to_order(api: Caller, order: dict[str, Any], **extra: object) -> Answer:
    body = {"sales_order_row_id": order["sales_order_rows"][0]["id"], **extra}
    return await api.post("/manufacturing_order_make_to_order", body)


async def shown(api: Caller, order: dict[str, Any]) -> dict[str, Any]:
    return (await api.get(f"/sales_orders/{order['id']}")).body


async def test_a_row_and_its_order_know_each_other(api: Caller, variant: int) -> None:
    """4.7, 3.6: order_no in the style of `SO-2 / 1`; a row already linked is refused."""
    order = await sold(api, variant)
    answer = await made_to_order(api, order)
    made = answer.body
    assert (answer.status, made["order_no"], made["planned_quantity"]) == (200, "SO-2 / 1", 3)
    assert (made["is_linked_to_sales_order"], made["sales_order_id"]) == (True, order["id"])
    assert (made["sales_order_row_id"], made["sales_order_delivery_deadline"]) == (
        order["sales_order_rows"][0]["id"],
        DUE,
    )
    after = await shown(api, order)
    assert after["sales_order_rows"][0]["linked_manufacturing_order_id"] == made["id"]
    assert after["linked_manufacturing_order_id"] == made["id"]
    found = await api.get("/sales_order_rows", {"linked_manufacturing_order_id": made["id"]})
    assert len(found.rows) == 1
    linked = await api.get("/manufacturing_orders", {"is_linked_to_sales_order": True, "order_no": "SO-2 / 1"})
    assert linked.ids == [made["id"]]
    assert (await made_to_order(api, order)).status == 422


async def test_the_sales_order_follows_production(api: Caller, tenant: Tenant, variant: int) -> None:
    """4.4: production_status, ingredient_availability and product_availability come from the linked order."""
    order = await sold(api, variant)
    made = (await made_to_order(api, order)).body
    path = f"/manufacturing_orders/{made['id']}"

    async def state() -> tuple[object, object, object]:
        now = await shown(api, order)
        return now["production_status"], now["ingredient_availability"], now["product_availability"]

    assert await state() == ("NOT_STARTED", "IN_STOCK", "EXPECTED")
    assert (await shown(api, order))["product_expected_date"] == DUE
    await api.patch(path, {"status": "BLOCKED"})
    assert (await state())[0] == "BLOCKED"
    await api.patch(path, {"status": "IN_PROGRESS"})
    assert (await state())[0] == "IN_PROGRESS"
    await produced(api, made, 3, is_final=True)
    assert await state() == ("DONE", "PROCESSED", "IN_STOCK")
    await api.patch(path, {"status": "IN_PROGRESS"})
    assert await state() == ("IN_PROGRESS", "IN_STOCK", "EXPECTED")


async def test_unlink_leaves_both(api: Caller, variant: int) -> None:
    """4.7: 204; a second one, and a row without link, are refused."""
    order = await sold(api, variant)
    made = (await made_to_order(api, order)).body
    body = {"sales_order_row_id": order["sales_order_rows"][0]["id"]}
    assert (await api.post("/manufacturing_order_unlink", body)).status == 204
    free = await header(api, made)
    assert (free["is_linked_to_sales_order"], "sales_order_id" in free) == (False, False)
    after = await shown(api, order)
    assert (after["linked_manufacturing_order_id"], after["production_status"]) == (None, "NONE")
    assert (await api.post("/manufacturing_order_unlink", body)).status == 422
    assert (await api.post("/manufacturing_order_unlink", {"sales_order_row_id": 1})).status == 422


async def test_a_linked_order_is_not_deleted_and_its_row_not_moved(api: Caller, variant: int) -> None:
    """1.3 (412), 4.4: row location_id needs linked_manufacturing_order_id null."""
    order = await sold(api, variant)
    made = (await made_to_order(api, order)).body
    refused = await api.delete(f"/manufacturing_orders/{made['id']}")
    assert (refused.status, refused.error["name"]) == (412, "PreconditionFailedError")
    row = order["sales_order_rows"][0]["id"]
    assert (await api.patch(f"/sales_order_rows/{row}", {"location_id": 10000102})).status == 422
    assert (await shown(api, order))["sales_order_rows"][0]["linked_manufacturing_order_id"] == made["id"]


async def test_a_deleted_sales_order_frees_what_was_made_for_it(api: Caller, variant: int) -> None:
    order = await sold(api, variant)
    made = (await made_to_order(api, order)).body
    assert (await api.delete(f"/sales_orders/{order['id']}")).status == 204
    assert (await header(api, made))["is_linked_to_sales_order"] is False


async def test_subassemblies_get_orders_of_their_own(api: Caller, tenant: Tenant, variant: int) -> None:
    big = (await api.post("/products", {"name": "Big", "variants": [{"sku": "BIG"}]})).body
    line = {"product_variant_id": big["variants"][0]["id"], "product_item_id": big["id"], "quantity": 2}
    await api.post("/bom_rows", {**line, "ingredient_variant_id": variant})
    order = await sold(api, big["variants"][0]["id"], 3)
    await made_to_order(api, order, create_subassemblies=True)
    found = (await api.get("/manufacturing_orders", {"order_no": "SO-2 / 1 / 1"})).rows
    assert [(row["variant_id"], row["planned_quantity"]) for row in found] == [(variant, 6)]
    assert tenant.get("inventory", (variant, WORKSHOP))["quantity_expected"] == "6.00000"


async def test_rows_that_need_nothing_made_are_refused(api: Caller, variant: int) -> None:
    order = await sold(api, 10000106)
    assert (await made_to_order(api, order)).status == 422
    done = await sold(api, variant, 1)
    line = {"sales_order_row_id": done["sales_order_rows"][0]["id"], "quantity": 1}
    packed = {"sales_order_id": done["id"], "status": "PACKED", "sales_order_fulfillment_rows": [line]}
    assert (await api.post("/sales_order_fulfillments", packed)).status == 200
    refused = await made_to_order(api, done)
    assert (refused.status, refused.error["message"]) == (422, "sales order row needs no manufacturing order")
    for body in ({}, {"sales_order_row_id": "x"}, {"sales_order_row_id": 1}):
        assert (await api.post("/manufacturing_order_make_to_order", body)).status == 422


async def test_an_order_made_for_stock_is_not_linked(api: Caller, variant: int) -> None:
    order = await sold(api, variant)
    await ordered(api, variant, 5)
    after = await shown(api, order)
    assert (after["product_availability"], after["linked_manufacturing_order_id"]) == ("EXPECTED", None)
