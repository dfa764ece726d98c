"""Business rules that the facts only infer: what the sandbox decided (facts 4)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Tenant

from .manufacturing_floor import STEEL, WORKSHOP, clear, gadget, ordered, rows_of, stock

PART, STORE = 10000106, 10000102
LINE = {"variant_id": PART, "quantity": 4, "price_per_unit": 10, "tax_rate_id": 10000101}
BUY = {"variant_id": PART, "quantity": 10, "price_per_unit": 4}


@pytest.fixture(autouse=True)
def clear_shelves(tenant: Tenant) -> None:
    """Nothing seeded wants or brings the part; 10 of it at 8 stand in the workshop."""
    clear(tenant, PART)
    tenant.set_stock(PART, WORKSHOP, 10, 8)
    tenant.set_stock(PART, STORE, 0)


async def sold(api: Caller, *rows: dict[str, Any], **header: object) -> dict[str, Any]:
    body = {"customer_id": 10000101, "sales_order_rows": list(rows) or [LINE], "currency": "EUR", **header}
    answer = await api.post("/sales_orders", body)
    assert answer.status == 200, answer.raw
    return answer.body


async def ship(api: Caller, order: dict[str, Any], quantity: float, status: str, place: int = 0) -> int:
    rows = [{"sales_order_row_id": order["sales_order_rows"][place]["id"], "quantity": quantity}]
    body = {"sales_order_id": order["id"], "status": status, "sales_order_fulfillment_rows": rows}
    return (await api.post("/sales_order_fulfillments", body)).status


async def bought(api: Caller, *rows: dict[str, Any], **header: object) -> dict[str, Any]:
    body = {"supplier_id": 10000102, "location_id": STORE, "purchase_order_rows": list(rows) or [BUY], **header}
    answer = await api.post("/purchase_orders", body)
    assert answer.status == 200, answer.raw
    return answer.body


async def receive(api: Caller, order: dict[str, Any], quantity: float = 10) -> int:
    row = order["purchase_order_rows"][0]["id"]
    return (await api.post("/purchase_order_receive", {"purchase_order_row_id": row, "quantity": quantity})).status


async def test_4_12_quotes_commit_no_stock(api: Caller, tenant: Tenant) -> None:
    await sold(api, status="PENDING")
    assert stock(tenant, PART, WORKSHOP) == (10, 0, 0)
    later = await sold(api, {**LINE, "quantity": 8})
    state = later["sales_order_rows"][0]["product_availability"]
    assert state != "NOT_AVAILABLE", "what a quote holds is not promised again"


async def test_4_12_drafts_of_purchase_orders_are_not_expected(api: Caller, tenant: Tenant) -> None:
    await bought(api, status="DRAFT")
    assert stock(tenant, PART, STORE) == (0, 0, 0)


async def test_4_8_what_a_transfer_in_transit_does_to_stock(api: Caller, tenant: Tenant) -> None:
    body = {
        "stock_transfer_number": "T",
        "source_location_id": WORKSHOP,
        "target_location_id": STORE,
        "stock_transfer_rows": [{"variant_id": PART, "quantity": "3"}],
    }
    path = f"/stock_transfers/{(await api.post('/stock_transfers', body)).body['id']}/status"
    seen: list[tuple[float, float]] = []
    for status in ("draft", "inTransit", "received", "draft"):
        assert (await api.patch(path, {"status": status})).status == 200
        seen.append((stock(tenant, PART, WORKSHOP)[0], stock(tenant, PART, STORE)[2]))
    assert seen == [(10, 0), (7, 3), (7, 0), (10, 0)]


async def test_4_8_a_transfer_does_not_lead_to_where_it_comes_from(api: Caller) -> None:
    rows = [{"variant_id": PART, "quantity": "3"}]
    body = {"stock_transfer_number": "T", "source_location_id": WORKSHOP, "target_location_id": WORKSHOP}
    made = await api.post("/stock_transfers", {**body, "stock_transfer_rows": rows})
    assert made.status == 422


async def test_4_5_an_order_shipped_in_whole_and_delivered_in_part_has_a_status(api: Caller) -> None:
    order = await sold(api)
    seen: list[object] = []
    for quantity, status in ((1, "PACKED"), (1, "DELIVERED"), (2, "PACKED")):
        assert await ship(api, order, quantity, status) == 200
        seen.append((await api.get(f"/sales_orders/{order['id']}")).body["status"])
    assert seen == ["PARTIALLY_PACKED", "PARTIALLY_DELIVERED", "PACKED"]
    packed = await sold(api, {**LINE, "quantity": 1})
    await ship(api, packed, 1, "PACKED")
    assert (await api.get(f"/sales_orders/{packed['id']}")).body["status"] == "PACKED", "nothing delivered, no mix"


async def test_4_5_no_more_than_is_ordered_is_shipped(api: Caller, tenant: Tenant) -> None:
    order = await sold(api)
    assert [await ship(api, order, quantity, "DELIVERED") for quantity in (5, 4, 1)] == [422, 200, 422]
    assert stock(tenant, PART, WORKSHOP)[:2] == (6, 0)
    assert (await api.get(f"/sales_orders/{order['id']}")).body["status"] == "DELIVERED"


async def test_4_4_tax_is_taken_after_the_discount(api: Caller) -> None:
    order = await sold(api, {**LINE, "total_discount": 10})
    assert (order["sales_order_rows"][0]["total"], order["total"]) == (30, 36.6)
    fee = {"sales_order_id": order["id"], "amount": "10", "tax_rate_id": 10000101}
    assert (await api.post("/sales_order_shipping_fee", fee)).status == 200
    assert (await api.get(f"/sales_orders/{order['id']}")).body["total"] == 48.8


async def test_7_1_other_currencies_are_converted_by_a_table(api: Caller) -> None:
    sale, purchase = (await sold(api, currency="USD"), await bought(api, currency="USD"))
    rates = [round(one["total_in_base_currency"] / one["total"], 4) for one in (sale, purchase)]
    assert (sale["conversion_rate"], rates) == (0.92, [0.92, 0.92])
    moved = await sold(api)
    changed = (await api.patch(f"/sales_orders/{moved['id']}", {"currency": "USD"})).body
    assert (moved["conversion_rate"], changed["conversion_rate"]) == (1, 0.92)


async def test_4_3_a_purchase_order_begins_in_a_status(api: Caller) -> None:
    assert (await bought(api))["status"] == "NOT_RECEIVED"
    assert [(await bought(api, status=status))["status"] for status in ("DRAFT", "NOT_RECEIVED")] == [
        "DRAFT",
        "NOT_RECEIVED",
    ]


@pytest.mark.parametrize("by_status", [False, True])
async def test_4_3_a_draft_is_not_received(api: Caller, tenant: Tenant, by_status: bool) -> None:
    order = await bought(api, status="DRAFT")
    path = f"/purchase_orders/{order['id']}"
    status = (await api.patch(path, {"status": "RECEIVED"})).status if by_status else await receive(api, order)
    assert status == 422
    shown = (await api.get(f"/purchase_orders/{order['id']}")).body["status"]
    assert (shown, stock(tenant, PART, STORE)[0]) == ("DRAFT", 0)


async def test_4_3_a_second_receipt_is_refused(api: Caller, tenant: Tenant) -> None:
    order = await bought(api)
    assert [await receive(api, order), await receive(api, order)] == [204, 422]
    assert stock(tenant, PART, STORE)[0] == 10


async def test_4_3_a_received_order_takes_and_gives_up_no_rows(api: Caller, tenant: Tenant) -> None:
    order = await bought(api)
    path = f"/purchase_orders/{order['id']}"
    await receive(api, order)
    added = await api.post("/purchase_order_rows", {**BUY, "purchase_order_id": order["id"]})
    assert added.status == 422
    assert (await api.get(path)).body["status"] == "RECEIVED"
    gone = await api.delete(f"/purchase_order_rows/{order['purchase_order_rows'][0]['id']}")
    assert gone.status == 422
    assert stock(tenant, PART, STORE) == (10, 0, 0), "its stock goes with the row"


async def test_4_3_a_received_order_takes_notes(api: Caller) -> None:
    order = await bought(api)
    path = f"/purchase_orders/{order['id']}"
    bodies = ({"additional_info": "N"}, {"order_created_date": "2026-02-01T00:00:00.000Z"})
    assert [(await api.patch(path, body)).status for body in bodies] == [200, 200]
    await receive(api, order)
    assert [(await api.patch(path, body)).status for body in bodies] == [200, 200]


async def test_4_3_outsourced_rows_begin_with_the_recipe(api: Caller, tenant: Tenant) -> None:
    variant = await gadget(api, tenant, is_purchasable=True)
    order = await bought(api, {**BUY, "variant_id": variant}, entity_type="outsourced", tracking_location_id=WORKSHOP)
    lines = await api.get("/outsourced_purchase_order_recipe_rows", {"purchase_order_id": order["id"]})
    assert len(lines.rows) == 2


@pytest.mark.parametrize("name", ["products", "materials", "services"])
async def test_4_1_documents_may_refer_to_archived_items(api: Caller, name: str) -> None:
    item = (await api.post(f"/{name}", {"name": "Old", "variants": [{"sku": "O"}]})).body
    body = {"customer_id": 10000101, "sales_order_rows": [{**LINE, "variant_id": item["variants"][0]["id"]}]}
    assert (await api.post("/sales_orders", body)).status == 200
    assert (await api.patch(f"/{name}/{item['id']}", {"is_archived": True})).status == 200
    assert (await api.post("/sales_orders", body)).status == 200
    assert (await api.patch(f"/{name}/{item['id']}", {"is_archived": False})).status == 200
    assert (await api.post("/sales_orders", body)).status == 200


async def test_4_1_several_variants_leave_no_options_out(api: Caller) -> None:
    sizes = [{"name": "Size", "values": ["S", "L"]}]
    small = {"sku": "S", "config_attributes": [{"config_name": "Size", "config_value": "S"}]}
    bare = {"name": "P", "variants": [{"sku": "A"}, {"sku": "B"}]}
    for body in (bare, {**bare, "configs": sizes}):
        assert (await api.post("/products", body)).status == 422
    assert (
        await api.post("/products", {"name": "P", "variants": [small, {"sku": "B"}], "configs": sizes})
    ).status == 422
    wrong = {"config_attributes": [{"config_name": "Colour", "config_value": "red"}]}
    assert (await api.post("/products", {"name": "P", "variants": [wrong], "configs": sizes})).status == 422


async def test_4_1_a_bom_row_does_not_name_another_product(api: Caller, tenant: Tenant) -> None:
    row = next(tenant.all("bom_rows"))
    other = next(item["id"] for item in tenant.all("products") if item["id"] != row["product_item_id"])
    body = {"product_variant_id": row["product_variant_id"], "product_item_id": other, "ingredient_variant_id": PART}
    assert (await api.post("/bom_rows", body)).status == 422
    own = {**body, "product_item_id": row["product_item_id"], "ingredient_variant_id": row["product_variant_id"]}
    assert (await api.post("/bom_rows", own)).status == 422


async def test_3_6_a_manufacturing_order_is_of_something_producible(api: Caller) -> None:
    body = {"variant_id": STEEL, "planned_quantity": 1, "location_id": WORKSHOP}
    assert (await api.post("/manufacturing_orders", body)).status == 422


async def test_4_7_an_operation_starts_its_order(api: Caller, tenant: Tenant) -> None:
    order = await ordered(api, await gadget(api, tenant))
    row = (await rows_of(api, "operation_rows", order))[0]
    answer = await api.patch(f"/manufacturing_order_operation_rows/{row['id']}", {"status": "IN_PROGRESS"})
    assert answer.status == 200, answer.raw
    assert (await api.get(f"/manufacturing_orders/{order['id']}")).body["status"] == "IN_PROGRESS"
