"""Business rules that the facts only infer: each shown on both sides of its switch (facts 4)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Sandbox, Tenant

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


@pytest.mark.parametrize(("on", "committed"), [(False, 0), (True, 4)])
async def test_4_12_quotes_may_commit_stock(
    sandbox: Sandbox, api: Caller, tenant: Tenant, on: bool, committed: float
) -> None:
    sandbox.switches.set("quotes_commit", on)
    await sold(api, status="PENDING")
    assert stock(tenant, PART, WORKSHOP) == (10, committed, 0)
    later = await sold(api, {**LINE, "quantity": 8})
    state = later["sales_order_rows"][0]["product_availability"]
    assert (state == "NOT_AVAILABLE") is on, "what a quote holds is not promised again"


@pytest.mark.parametrize(("on", "expected"), [(False, 0), (True, 10)])
async def test_4_12_drafts_of_purchase_orders_may_be_expected(
    sandbox: Sandbox, api: Caller, tenant: Tenant, on: bool, expected: float
) -> None:
    sandbox.switches.set("drafts_expected", on)
    await bought(api, status="DRAFT")
    assert stock(tenant, PART, STORE) == (0, 0, expected)


@pytest.mark.parametrize("leaves", [True, False])
@pytest.mark.parametrize("expected", [True, False])
async def test_4_8_what_a_transfer_in_transit_does_to_stock(
    sandbox: Sandbox, api: Caller, tenant: Tenant, leaves: bool, expected: bool
) -> None:
    sandbox.switches.set("transit_leaves", leaves)
    sandbox.switches.set("transit_expected", expected)
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
    assert seen == [(10, 0), (7 if leaves else 10, 3 if expected else 0), (7, 0), (10, 0)]


@pytest.mark.parametrize(("on", "status"), [(False, 422), (True, 200)])
async def test_4_8_a_transfer_may_lead_to_where_it_comes_from(
    sandbox: Sandbox, api: Caller, tenant: Tenant, on: bool, status: int
) -> None:
    sandbox.switches.set("transfers_within", on)
    rows = [{"variant_id": PART, "quantity": "3"}]
    body = {"stock_transfer_number": "T", "source_location_id": WORKSHOP, "target_location_id": WORKSHOP}
    made = await api.post("/stock_transfers", {**body, "stock_transfer_rows": rows})
    assert made.status == status
    if on:
        await api.patch(f"/stock_transfers/{made.body['id']}/status", {"status": "received"})
        assert stock(tenant, PART, WORKSHOP)[0] == 10


@pytest.mark.parametrize("mixed", ["PACKED", "PARTIALLY_DELIVERED"])
async def test_4_5_an_order_shipped_in_whole_and_delivered_in_part_has_a_status(
    sandbox: Sandbox, api: Caller, mixed: str
) -> None:
    sandbox.switches.set("mixed_shipment", mixed)
    order = await sold(api)
    seen: list[object] = []
    for quantity, status in ((1, "PACKED"), (1, "DELIVERED"), (2, "PACKED")):
        assert await ship(api, order, quantity, status) == 200
        seen.append((await api.get(f"/sales_orders/{order['id']}")).body["status"])
    assert seen == ["PARTIALLY_PACKED", "PARTIALLY_DELIVERED", mixed]
    packed = await sold(api, {**LINE, "quantity": 1})
    await ship(api, packed, 1, "PACKED")
    assert (await api.get(f"/sales_orders/{packed['id']}")).body["status"] == "PACKED", "nothing delivered, no mix"


@pytest.mark.parametrize(("on", "statuses"), [(False, [422, 200, 422]), (True, [200, 200, 200])])
async def test_4_5_more_than_is_ordered_may_be_shipped(
    sandbox: Sandbox, api: Caller, tenant: Tenant, on: bool, statuses: list[int]
) -> None:
    sandbox.switches.set("ship_beyond_order", on)
    order = await sold(api)
    assert [await ship(api, order, quantity, "DELIVERED") for quantity in (5, 4, 1)] == statuses
    assert stock(tenant, PART, WORKSHOP)[:2] == (0 if on else 6, 0)
    assert (await api.get(f"/sales_orders/{order['id']}")).body["status"] == "DELIVERED"


@pytest.mark.parametrize(
    ("tax", "total", "with_fee"), [("discounted", 36.6, 48.8), ("undiscounted", 38.8, 51.0), ("none", 30, 40)]
)
async def test_4_4_tax_is_taken_after_or_before_the_discount_or_left_out(
    sandbox: Sandbox, api: Caller, tax: str, total: float, with_fee: float
) -> None:
    sandbox.switches.set("order_tax", tax)
    order = await sold(api, {**LINE, "total_discount": 10})
    assert (order["sales_order_rows"][0]["total"], order["total"]) == (30, total)
    fee = {"sales_order_id": order["id"], "amount": "10", "tax_rate_id": 10000101}
    assert (await api.post("/sales_order_shipping_fee", fee)).status == 200
    assert (await api.get(f"/sales_orders/{order['id']}")).body["total"] == with_fee


@pytest.mark.parametrize(("form", "rate"), [("table", 0.92), ("one", 1)])
async def test_7_1_other_currencies_are_converted_by_a_table_or_one_to_one(
    sandbox: Sandbox, api: Caller, form: str, rate: float
) -> None:
    sandbox.switches.set("currency_rates", form)
    sale, purchase = await sold(api, currency="USD"), await bought(api, currency="USD")
    rates = [round(one["total_in_base_currency"] / one["total"], 4) for one in (sale, purchase)]
    assert (sale["conversion_rate"], rates) == (rate, [rate, rate])
    moved = await sold(api)
    changed = (await api.patch(f"/sales_orders/{moved['id']}", {"currency": "USD"})).body
    assert (moved["conversion_rate"], changed["conversion_rate"]) == (1, rate)


@pytest.mark.parametrize("word", ["NOT_RECEIVED", "DRAFT"])
async def test_4_3_a_purchase_order_begins_in_a_status(sandbox: Sandbox, api: Caller, word: str) -> None:
    sandbox.switches.set("new_purchase_status", word)
    assert (await bought(api))["status"] == word
    assert [(await bought(api, status=status))["status"] for status in ("DRAFT", "NOT_RECEIVED")] == [
        "DRAFT",
        "NOT_RECEIVED",
    ]


@pytest.mark.parametrize("on", [False, True])
@pytest.mark.parametrize("by_status", [False, True])
async def test_4_3_a_draft_may_be_received(
    sandbox: Sandbox, api: Caller, tenant: Tenant, on: bool, by_status: bool
) -> None:
    sandbox.switches.set("receive_drafts", on)
    order = await bought(api, status="DRAFT")
    path = f"/purchase_orders/{order['id']}"
    status = (await api.patch(path, {"status": "RECEIVED"})).status if by_status else await receive(api, order)
    assert status == ((200 if by_status else 204) if on else 422)
    shown = (await api.get(f"/purchase_orders/{order['id']}")).body["status"]
    assert (shown, stock(tenant, PART, STORE)[0]) == (("RECEIVED", 10) if on else ("DRAFT", 0))


@pytest.mark.parametrize(("word", "status"), [("refuse", 422), ("ignore", 204)])
async def test_4_3_a_second_receipt_is_refused_or_does_nothing(
    sandbox: Sandbox, api: Caller, tenant: Tenant, word: str, status: int
) -> None:
    sandbox.switches.set("received_again", word)
    order = await bought(api)
    assert [await receive(api, order), await receive(api, order)] == [204, status]
    assert stock(tenant, PART, STORE)[0] == 10


@pytest.mark.parametrize("locked", [True, False])
async def test_4_3_a_received_order_may_take_and_give_up_rows(
    sandbox: Sandbox, api: Caller, tenant: Tenant, locked: bool
) -> None:
    sandbox.switches.set("received_locks_rows", locked)
    order = await bought(api)
    path = f"/purchase_orders/{order['id']}"
    await receive(api, order)
    added = await api.post("/purchase_order_rows", {**BUY, "purchase_order_id": order["id"]})
    assert added.status == (422 if locked else 200)
    assert (await api.get(path)).body["status"] == ("RECEIVED" if locked else "PARTIALLY_RECEIVED")
    gone = await api.delete(f"/purchase_order_rows/{order['purchase_order_rows'][0]['id']}")
    assert gone.status == (422 if locked else 204)
    assert stock(tenant, PART, STORE) == ((10, 0, 0) if locked else (0, 0, 10)), "its stock goes with the row"


@pytest.mark.parametrize(("locked", "status"), [(False, 200), (True, 422)])
async def test_4_3_a_received_order_may_lock_its_notes(
    sandbox: Sandbox, api: Caller, locked: bool, status: int
) -> None:
    sandbox.switches.set("received_locks_notes", locked)
    order = await bought(api)
    path = f"/purchase_orders/{order['id']}"
    bodies = ({"additional_info": "N"}, {"order_created_date": "2026-02-01T00:00:00.000Z"})
    assert [(await api.patch(path, body)).status for body in bodies] == [200, 200]
    await receive(api, order)
    assert [(await api.patch(path, body)).status for body in bodies] == [status, status]


@pytest.mark.parametrize(("on", "count"), [(True, 2), (False, 0)])
async def test_4_3_outsourced_rows_begin_with_the_recipe_or_without(
    sandbox: Sandbox, api: Caller, tenant: Tenant, on: bool, count: int
) -> None:
    sandbox.switches.set("outsourced_recipe", on)
    variant = await gadget(api, tenant, is_purchasable=True)
    order = await bought(api, {**BUY, "variant_id": variant}, entity_type="outsourced", tracking_location_id=WORKSHOP)
    lines = await api.get("/outsourced_purchase_order_recipe_rows", {"purchase_order_id": order["id"]})
    assert len(lines.rows) == count


@pytest.mark.parametrize(("allowed", "status"), [(True, 200), (False, 422)])
@pytest.mark.parametrize("name", ["products", "materials", "services"])
async def test_4_1_documents_may_refer_to_archived_items(
    sandbox: Sandbox, api: Caller, name: str, allowed: bool, status: int
) -> None:
    sandbox.switches.set("archived_references", allowed)
    item = (await api.post(f"/{name}", {"name": "Old", "variants": [{"sku": "O"}]})).body
    body = {"customer_id": 10000101, "sales_order_rows": [{**LINE, "variant_id": item["variants"][0]["id"]}]}
    assert (await api.post("/sales_orders", body)).status == 200
    assert (await api.patch(f"/{name}/{item['id']}", {"is_archived": True})).status == 200
    assert (await api.post("/sales_orders", body)).status == status
    assert (await api.patch(f"/{name}/{item['id']}", {"is_archived": False})).status == 200
    assert (await api.post("/sales_orders", body)).status == 200


@pytest.mark.parametrize(("on", "status"), [(True, 422), (False, 200)])
async def test_4_1_several_variants_may_leave_options_out(sandbox: Sandbox, api: Caller, on: bool, status: int) -> None:
    sandbox.switches.set("variants_need_options", on)
    sizes = [{"name": "Size", "values": ["S", "L"]}]
    small = {"sku": "S", "config_attributes": [{"config_name": "Size", "config_value": "S"}]}
    bare = {"name": "P", "variants": [{"sku": "A"}, {"sku": "B"}]}
    for body in (bare, {**bare, "configs": sizes}):
        assert (await api.post("/products", body)).status == status
    assert (
        await api.post("/products", {"name": "P", "variants": [small, {"sku": "B"}], "configs": sizes})
    ).status == status
    wrong = {"config_attributes": [{"config_name": "Colour", "config_value": "red"}]}
    assert (await api.post("/products", {"name": "P", "variants": [wrong], "configs": sizes})).status == 422


@pytest.mark.parametrize(("on", "status"), [(True, 422), (False, 200)])
async def test_4_1_a_bom_row_may_name_another_product(
    sandbox: Sandbox, api: Caller, tenant: Tenant, on: bool, status: int
) -> None:
    sandbox.switches.set("bom_parent_check", on)
    row = next(tenant.all("bom_rows"))
    other = next(item["id"] for item in tenant.all("products") if item["id"] != row["product_item_id"])
    body = {"product_variant_id": row["product_variant_id"], "product_item_id": other, "ingredient_variant_id": PART}
    assert (await api.post("/bom_rows", body)).status == status
    own = {**body, "product_item_id": row["product_item_id"], "ingredient_variant_id": row["product_variant_id"]}
    assert (await api.post("/bom_rows", own)).status == 422


@pytest.mark.parametrize(("on", "status"), [(True, 422), (False, 200)])
async def test_3_6_a_manufacturing_order_may_be_of_anything(
    sandbox: Sandbox, api: Caller, on: bool, status: int
) -> None:
    sandbox.switches.set("only_producible", on)
    body = {"variant_id": STEEL, "planned_quantity": 1, "location_id": WORKSHOP}
    assert (await api.post("/manufacturing_orders", body)).status == status


@pytest.mark.parametrize(("on", "status"), [(True, "IN_PROGRESS"), (False, "NOT_STARTED")])
async def test_4_7_an_operation_may_start_its_order(
    sandbox: Sandbox, api: Caller, tenant: Tenant, on: bool, status: str
) -> None:
    sandbox.switches.set("operation_starts_order", on)
    order = await ordered(api, await gadget(api, tenant))
    row = (await rows_of(api, "operation_rows", order))[0]
    answer = await api.patch(f"/manufacturing_order_operation_rows/{row['id']}", {"status": "IN_PROGRESS"})
    assert answer.status == 200, answer.raw
    assert (await api.get(f"/manufacturing_orders/{order['id']}")).body["status"] == status
