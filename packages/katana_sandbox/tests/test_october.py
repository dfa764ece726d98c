"""What Katana answers since October besides purchases and serials, a line of the facts each (facts of October 1, 3)."""

from typing import Any

import pytest

from katana_sandbox import Caller, Fault, LeaveParent, Refused, Sandbox, Tenant

from .manufacturing_floor import gadget, ordered, produced

LATER = "2026-05-01T00:00:00.000Z"


@pytest.fixture
def stocked(tenant: Tenant) -> tuple[int, int]:
    """A new material's variant, ten of it, and where they are."""
    location = next(tenant.all("locations"))["id"]
    variant = tenant.create("materials", {"name": "Clamp", "variants": [{"sku": "CL"}]})["variants"][0]["id"]
    tenant.set_stock(variant, location, 10, 2)
    return variant, location


def sold(tenant: Tenant, pair: tuple[int, int], **header: object) -> dict[str, Any]:
    customer = next(row["id"] for row in tenant.all("customers") if not row["deleted_at"])
    row = {"variant_id": pair[0], "quantity": 2, "price_per_unit": 9}
    body = {"customer_id": customer, "location_id": pair[1], "sales_order_rows": [row], **header}
    return tenant.create("sales_orders", body)


def shipment(order: dict[str, Any], status: str = "DELIVERED") -> dict[str, Any]:
    rows = [{"sales_order_row_id": row["id"], "quantity": row["quantity"]} for row in order["sales_order_rows"]]
    return {"sales_order_id": order["id"], "status": status, "sales_order_fulfillment_rows": rows}


async def test_the_deleted_item_of_a_variant_is_shown_when_extended(api: Caller, tenant: Tenant) -> None:
    item = tenant.create("materials", {"name": "Gone", "variants": [{"sku": "G"}]})
    assert (await api.delete(f"/materials/{item['id']}")).status == 204
    query = {"ids": item["variants"][0]["id"], "include_deleted": "true", "extend": "product_or_material"}
    parent = (await api.get("/variants", query)).rows[0]["product_or_material"]
    assert (parent and parent["name"]) == "Gone"


async def test_an_order_that_is_ready_for_fulfillment_is_as_one_that_is_not_shipped(
    api: Caller, tenant: Tenant, stocked: tuple[int, int]
) -> None:
    order = sold(tenant, stocked)
    path = f"/sales_orders/{order['id']}"
    assert (await api.patch(path, {"status": "READY_FOR_FULFILLMENT"})).body["status"] == "READY_FOR_FULFILLMENT"
    assert tenant.get("inventory", stocked)["quantity_committed"] == "2.00000"
    row = order["sales_order_rows"][0]["id"]
    assert (await api.patch(f"/sales_order_rows/{row}", {"quantity": 3})).body["quantity"] == 3
    listed = (await api.get("/sales_orders", {"status": "READY_FOR_FULFILLMENT"})).ids
    assert listed == [order["id"]]
    shipped = await api.post("/sales_order_fulfillments", shipment(order))
    assert shipped.status == 200
    assert (await api.get(path)).body["status"] == "PARTIALLY_DELIVERED"
    await api.delete(f"/sales_order_fulfillments/{shipped.body['id']}")
    with pytest.raises(Refused):
        sold(tenant, stocked, status="READY_FOR_FULFILLMENT")


async def test_the_delivery_date_is_open_until_all_is_delivered(
    api: Caller, tenant: Tenant, stocked: tuple[int, int]
) -> None:
    order = sold(tenant, stocked)
    path = f"/sales_orders/{order['id']}"
    packed = (await api.post("/sales_order_fulfillments", shipment(order, "PACKED"))).body
    assert (await api.patch(path, {"delivery_date": LATER})).body["delivery_date"] == LATER
    await api.patch(f"/sales_order_fulfillments/{packed['id']}", {"status": "DELIVERED"})
    assert (await api.patch(path, {"delivery_date": LATER})).status == 422


async def test_a_quote_is_fulfilled_unless_switched(api: Caller, tenant: Tenant, stocked: tuple[int, int]) -> None:
    order = sold(tenant, stocked, status="PENDING")
    assert (await api.post("/sales_order_fulfillments", shipment(order))).status == 200
    assert tenant.get("sales_orders", order["id"])["status"] == "DELIVERED"
    assert tenant.get("inventory", stocked)["quantity_in_stock"] == "8.00000"


async def test_adjustments_and_transfers_without_a_number_get_one(
    api: Caller, tenant: Tenant, stocked: tuple[int, int]
) -> None:
    variant, location = stocked
    other = next(row["id"] for row in tenant.all("locations") if row["id"] != location)
    rows = [{"variant_id": variant, "quantity": 1}]
    adjustment = {"location_id": location, "stock_adjustment_rows": rows}
    transfer = {
        "source_location_id": location,
        "target_location_id": other,
        "stock_transfer_rows": [{"variant_id": variant, "quantity": "1"}],
    }
    one, two = [(await api.post("/stock_adjustments", adjustment)).body["stock_adjustment_number"] for _ in range(2)]
    assert one.startswith("SA-")
    assert one != two
    assert (await api.post("/stock_transfers", transfer)).body["stock_transfer_number"].startswith("ST-")
    moved = (await api.get("/inventory_movements", {"caused_by_order_no": two})).rows
    assert [row["quantity_change"] for row in moved] == [1]
    assert (await api.post("/stock_adjustments", {**adjustment, "stock_adjustment_number": ""})).status == 422


async def test_a_lead_time_is_a_whole_number_of_at_most_999_days(api: Caller, tenant: Tenant) -> None:
    variant = tenant.create("materials", {"name": "Clamp", "variants": [{"sku": "CL"}]})["variants"][0]["id"]
    path = f"/variants/{variant}"
    assert [(await api.patch(path, {"lead_time": days})).status for days in (999, 1000, 1.5)] == [200, 422, 500]
    assert (await api.get(path)).body["lead_time"] == 999
    before = tenant.count("materials")
    late = {"name": "Late", "variants": [{"sku": "L", "lead_time": 1000}]}
    assert ((await api.post("/materials", late)).status, tenant.count("materials")) == (422, before)


async def test_barcodes_are_stored_in_upper_case_and_no_purchase_price_is_0(api: Caller, tenant: Tenant) -> None:
    given = {"sku": "B", "internal_barcode": "abc-1", "registered_barcode": "e12x", "purchase_price": None}
    made = (await api.post("/materials", {"name": "Coded", "variants": [{**given, "lead_time": None}]})).body
    variant = tenant.get("variants", made["variants"][0]["id"])
    shown = [variant[name] for name in ("internal_barcode", "registered_barcode", "purchase_price", "lead_time")]
    assert shown == ["ABC-1", "E12X", 0, None]
    await api.patch(f"/variants/{variant['id']}", {"internal_barcode": "xyz"})
    assert (await api.get("/variants", {"internal_barcode": "XYZ"})).ids == [variant["id"]]


@pytest.mark.parametrize(("status", "times"), [(422, 1), (500, 4)])
@pytest.mark.parametrize("name", ["materials", "products"])
async def test_a_failed_create_of_an_item_may_leave_its_parent(
    api: Caller, sandbox: Sandbox, name: str, status: int, times: int
) -> None:
    sandbox.faults.add(Fault(f"POST /{name}", action=LeaveParent(status, times)))
    options = [{"name": "Size", "values": ["S"]}]
    body = {"name": "Half", "configs": options, "variants": [{"sku": "H-1"}]}
    assert (await api.post(f"/{name}", body)).status == status
    left = (await api.get(f"/{name}", {"name": "Half"})).rows
    assert [(record["variants"], record["configs"][0]["values"]) for record in left] == [([], ["S"])] * times
    assert (await api.get("/variants", {"sku": "H-1"})).rows == []


async def test_a_patch_of_a_variant_shows_its_options_only_where_it_names_them(api: Caller, tenant: Tenant) -> None:
    own = [{"config_name": "Size", "config_value": "S"}]
    body = {"name": "Sized", "configs": [{"name": "Size", "values": ["S", "M"]}]}
    product = tenant.create("products", {**body, "variants": [{"config_attributes": own}]})
    path = f"/variants/{product['variants'][0]['id']}"
    assert (await api.patch(path, {"sales_price": 3})).body["config_attributes"] == []
    assert (await api.get(path)).body["config_attributes"] == own
    other = [{"config_name": "Size", "config_value": "M"}]
    assert (await api.patch(path, {"config_attributes": other})).body["config_attributes"] == other


async def test_configs_name_their_parent_as_product_and_need_an_id_or_a_name(api: Caller) -> None:
    options = [{"name": "Size", "values": ["S"]}]
    variants = [{"sku": "S", "config_attributes": [{"config_name": "Size", "config_value": "S"}]}]
    made = (await api.post("/materials", {"name": "Sized", "configs": options, "variants": variants})).body
    assert (made["configs"][0]["product_id"], "material_id" in made["configs"][0]) == (made["id"], False)
    refused = await api.patch(f"/materials/{made['id']}", {"configs": [{"values": ["S", "L"]}]})
    assert (refused.status, refused.error["message"]) == (422, "Config name or id has to be set")
    assert (await api.get(f"/materials/{made['id']}")).body["configs"][0]["values"] == ["S"]


async def test_a_batch_of_a_sales_row_without_quantity_is_none_of_it(
    api: Caller, tenant: Tenant, stocked: tuple[int, int]
) -> None:
    path = f"/sales_order_rows/{sold(tenant, stocked)['sales_order_rows'][0]['id']}"
    shown = (await api.patch(path, {"batch_transactions": [{"batch_id": 7}]})).body["batch_transactions"]
    assert shown == [{"batch_id": 7, "quantity": 0}]
    assert (await api.patch(path, {"batch_transactions": [{"batch_id": None, "quantity": 1}]})).status == 422


async def test_ingredients_of_productions_are_listed_and_traced_with_quantities(api: Caller, tenant: Tenant) -> None:
    order = await ordered(api, await gadget(api, tenant))
    production = (await produced(api, order, 1)).body
    listed = (await api.get("/manufacturing_order_production_ingredients", {"production_ids": production["id"]})).rows
    assert {row["id"] for row in listed} == {row["id"] for row in production["ingredients"]}
    path = f"/manufacturing_order_production_ingredients/{listed[0]['id']}"
    words = "Traceability entries without a serial number must provide a positive quantity"
    refused = await api.patch(path, {"batch_transactions": [{"batch_id": 1}]})
    assert (refused.status, refused.error["message"]) == (422, words)
    assert (await api.patch(path, {"traceability": [{"batch_id": 1, "quantity": "0.5"}]})).status == 200


async def test_a_production_of_a_done_order_is_not_deleted(api: Caller, tenant: Tenant) -> None:
    production = (await produced(api, await ordered(api, await gadget(api, tenant), 1), 1, is_final=True)).body
    assert (await api.delete(f"/manufacturing_order_productions/{production['id']}")).status == 422
    assert tenant.get("manufacturing_order_productions", production["id"])["deleted_at"] is None
