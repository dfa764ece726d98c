"""Rules of the facts at their edges: items, contacts, orders and stock (4.1-4.5, 4.9, 4.12, 4.13, 6.21)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Sandbox, Tenant

PART, WORKSHOP = 10000106, 10000101
NEW = {"name": "Trike", "configs": [{"name": "Size", "values": ["S"]}]}


def sized(value: str) -> dict[str, Any]:
    return {"sku": "T", "config_attributes": [{"config_name": "Size", "config_value": value}]}


async def sold(api: Caller, **header: object) -> dict[str, Any]:
    row = {"variant_id": PART, "quantity": 2, "tax_rate_id": 10000101}
    return (await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": [row], **header})).body


async def shipped(api: Caller, order: dict[str, Any], **header: object) -> dict[str, Any]:
    line = {"sales_order_row_id": order["sales_order_rows"][0]["id"], "quantity": 2}
    body = {"sales_order_id": order["id"], "status": "PACKED", "sales_order_fulfillment_rows": [line], **header}
    return (await api.post("/sales_order_fulfillments", body)).body


async def test_materials_take_no_tracking_by_serial_and_no_sequence(api: Caller) -> None:
    """4.1 [L]."""
    for name in ("serial_tracked", "operations_in_sequence"):
        created = await api.post("/materials", {"name": "M", "variants": [{"sku": "M"}], name: True})
        for answer in (created, await api.patch("/materials/10000101", {name: True})):
            assert answer.status == 422
            assert answer.error["details"][0]["info"] == {"additionalProperty": name}


async def test_configs_carry_only_name_and_values_when_created(api: Caller) -> None:
    """4.1 [L]; a parent needs a variant, a service exactly one."""
    wrong = {**NEW, "configs": [{"id": 1, "name": "Size", "values": ["S"]}], "variants": [sized("S")]}
    assert (await api.post("/materials", wrong)).status == 422
    for path in ("/products", "/materials", "/services"):
        assert (await api.post(path, {"name": "None", "variants": []})).status == 422
    assert (await api.post("/services", {"name": "Two", "variants": [{"sku": "A"}, {"sku": "B"}]})).status == 422


@pytest.mark.parametrize(("word", "status", "values"), [("append", 200, ["S", "L"]), ("refuse", 422, ["S"])])
async def test_whether_an_unknown_option_value_is_learned_is_a_switch(
    sandbox: Sandbox, word: str, status: int, values: list[str]
) -> None:
    """6.21."""
    api = sandbox.caller()
    sandbox.switches.set("new_option_values", word)
    product = (await api.post("/products", {**NEW, "variants": [sized("S")]})).body
    answer = await api.patch(f"/variants/{product['variants'][0]['id']}", sized("L"))
    assert answer.status == status
    assert (await api.get(f"/products/{product['id']}")).body["configs"][0]["values"] == values


async def test_whether_configs_are_matched_by_id_first_is_a_switch(sandbox: Sandbox) -> None:
    """6.21."""
    api = sandbox.caller()
    product = (await api.post("/products", {**NEW, "variants": [{"sku": "T"}]})).body
    changes = [{"id": product["configs"][0]["id"], "name": "Length", "values": ["S"]}]
    changed = (await api.patch(f"/products/{product['id']}", {"configs": changes})).body["configs"]
    assert [config["name"] for config in changed] == ["Size"]


async def test_archived_items_stay_in_documents_and_may_be_sold(api: Caller, tenant: Tenant) -> None:
    """4.1 [I]."""
    order = await sold(api)
    material = tenant.get("variants", PART)["material_id"]
    assert (await api.patch(f"/materials/{material}", {"is_archived": True})).status == 200
    assert (await api.get(f"/sales_order_rows/{order['sales_order_rows'][0]['id']}")).body["variant_id"] == PART
    assert (await sold(api))["sales_order_rows"][0]["variant_id"] == PART


async def test_customers_may_share_a_name_and_discounts_end_at_a_hundred(api: Caller) -> None:
    """4.2."""
    assert [(await api.post("/customers", {"name": "Twin"})).status for _ in range(2)] == [200, 200]
    for rate, status in ((0, 200), (100, 200), (100.5, 422), (-1, 422)):
        assert (await api.patch("/customers/10000101", {"discount_rate": rate})).status == status


async def test_a_price_list_does_not_price_a_sales_order(api: Caller, tenant: Tenant) -> None:
    """4.2 [I]."""
    made = (await api.post("/price_lists", {"name": "Spring"})).body["id"]
    price = {"variant_id": PART, "adjustment_method": "fixed", "amount": 1}
    await api.post("/price_list_rows", {"price_list_id": made, "price_list_rows": [price]})
    await api.post(
        "/price_list_customers", {"price_list_id": made, "price_list_customers": [{"customer_id": 10000101}]}
    )
    row = (await sold(api))["sales_order_rows"][0]
    assert float(row["price_per_unit"]) == tenant.get("variants", PART)["sales_price"]


async def test_rows_are_not_added_to_or_taken_from_a_received_purchase(api: Caller, tenant: Tenant) -> None:
    """4.3 [I]; what has no lock can still be written."""
    line = {"variant_id": PART, "quantity": 1, "price_per_unit": 1}
    body = {"supplier_id": 10000101, "location_id": WORKSHOP, "purchase_order_rows": [line]}
    order = tenant.create("purchase_orders", body)
    path = f"/purchase_orders/{order['id']}"
    assert (await api.patch(path, {"status": "RECEIVED"})).status == 200
    assert (await api.post("/purchase_order_rows", {"purchase_order_id": order["id"], **line})).status == 422
    assert (await api.delete(f"/purchase_order_rows/{order['purchase_order_rows'][0]['id']}")).status == 422
    free = {"additional_info": "x", "order_created_date": "2026-01-05T00:00:00.000Z"}
    assert free.items() <= (await api.patch(path, free)).body.items()


async def test_naive_dates_of_purchases_are_refused_by_their_camel_case_name(api: Caller, tenant: Tenant) -> None:
    """4.13, 5.23."""
    row = next(row for row in tenant.all("purchase_order_rows") if not row["deleted_at"])
    naive = "2026-03-01T10:00:00"
    nested = {"variant_id": PART, "quantity": 1, "price_per_unit": 1, "arrival_date": naive}
    order = {"supplier_id": 10000101, "location_id": WORKSHOP, "purchase_order_rows": [nested]}
    receipt = {"purchase_order_row_id": row["id"], "quantity": 1, "received_date": naive}
    for path, answer in (
        ("/arrivalDate", await api.patch(f"/purchase_order_rows/{row['id']}", {"arrival_date": naive})),
        ("/receivedDate", await api.patch(f"/purchase_order_rows/{row['id']}", {"received_date": naive})),
        ("/expectedArrivalDate", await api.patch("/purchase_orders/10000101", {"expected_arrival_date": naive})),
        ("/purchase_order_rows/0/arrivalDate", await api.post("/purchase_orders", order)),
        ("/receivedDate", await api.post("/purchase_order_receive", receipt)),
    ):
        detail = answer.error["details"][0]
        assert (answer.status, detail["path"], detail["message"]) == (422, path, 'must match format "date-time"')


async def test_a_deleted_sales_order_takes_all_its_parts_along(api: Caller, tenant: Tenant) -> None:
    """4.4."""
    order = await sold(api, addresses=[{"entity_type": "billing", "city": "Graz"}])
    await api.post("/sales_order_shipping_fee", {"sales_order_id": order["id"], "amount": "5"})
    await shipped(api, order)
    names = ("sales_order_rows", "sales_order_addresses", "sales_order_fulfillments", "sales_order_shipping_fee")

    def live() -> list[int]:
        return [len(tenant.context().children(name, "sales_order_id", order["id"])) for name in names]

    assert live() == [1, 1, 1, 1]
    assert (await api.delete(f"/sales_orders/{order['id']}")).status == 204
    assert live() == [0, 0, 0, 0]


async def test_a_returned_fulfillment_is_not_deleted(api: Caller, tenant: Tenant) -> None:
    """4.5 [I]."""
    order = await sold(api)
    shipment = await shipped(api, order)
    line = order["sales_order_rows"][0]
    header = {"sales_order_id": order["id"], "return_location_id": next(tenant.all("locations"))["id"]}
    key = tenant.create("sales_returns", header)["id"]
    body = {"sales_return_id": key, "variant_id": line["variant_id"], "quantity": 1}
    row = shipment["sales_order_fulfillment_rows"][0]["id"]
    assert (await api.post("/sales_return_rows", {**body, "fulfillment_row_id": row})).status == 200
    assert (await api.delete(f"/sales_order_fulfillments/{shipment['id']}")).status == 422


async def test_shipping_before_making_is_not_refused_and_dips_below_zero(api: Caller, tenant: Tenant) -> None:
    """4.5, 5.29: done_date must be earlier than picked_date, or the balance is negative in between."""
    product = (await api.post("/products", {"name": "Made", "variants": [{"sku": "M"}]})).body
    variant = product["variants"][0]["id"]
    body = {"variant_id": variant, "planned_quantity": 2, "location_id": WORKSHOP}
    order = (await api.post("/manufacturing_orders", body)).body
    run = {"manufacturing_order_id": order["id"], "completed_quantity": 2, "is_final": True}
    await api.post("/manufacturing_order_productions", {**run, "completed_date": "2026-02-20T00:00:00Z"})
    sale = await sold(api, sales_order_rows=[{"variant_id": variant, "quantity": 2}], location_id=WORKSHOP)
    await shipped(api, sale, picked_date="2026-02-10T00:00:00Z")
    moves = (await api.get("/inventory_movements", {"variant_ids": variant})).rows
    assert sorted(move["balance_after"] for move in moves) == [-2, 0]
    listed = {row["variant_id"] for row in tenant.all("negative_stock")}
    assert variant not in listed, "4.12: only what is below zero now"


async def test_every_variant_has_a_row_at_every_location(api: Caller, tenant: Tenant) -> None:
    """4.12 [I]: zeros are shown too; average cost is 0 when nothing was ever received."""
    product = (await api.post("/products", {"name": "New", "variants": [{"sku": "N"}]})).body
    rows = (await api.get("/inventory", {"variant_id": product["variants"][0]["id"]})).rows
    locations = [row["id"] for row in tenant.all("locations") if not row.get("deleted_at")]
    assert [row["location_id"] for row in rows] == locations
    assert {(row["quantity_in_stock"], row["average_cost"]) for row in rows} == {("0.00000", "0.0000000000")}
