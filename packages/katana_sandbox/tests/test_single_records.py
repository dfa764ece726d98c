"""Finding, changing and deleting single records, and what follows for the records around them."""

from typing import Any

import pytest

from katana_sandbox import Caller, Tenant

from .manufacturing_floor import STEEL, WORKSHOP, gadget, ordered, produced, rows_of

BUY = {"variant_id": 10000106, "quantity": 10, "price_per_unit": 4}
SELL = {"variant_id": 10000106, "quantity": 2, "price_per_unit": 21, "tax_rate_id": 10000101}
PRICE = {"variant_id": 10000106, "adjustment_method": "fixed", "amount": 19.5}
HOME = {"line_1": "Mill Lane 3", "city": "Graz", "zip": "8010", "country": "AT"}


async def bought(api: Caller, *rows: dict[str, Any], **header: object) -> dict[str, Any]:
    body = {"supplier_id": 10000102, "location_id": 10000102, "purchase_order_rows": list(rows) or [BUY], **header}
    answer = await api.post("/purchase_orders", body)
    assert answer.status == 200, answer.raw
    return answer.body


async def sold(api: Caller) -> dict[str, Any]:
    answer = await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": [SELL]})
    assert answer.status == 200, answer.raw
    return answer.body


async def listed(api: Caller) -> int:
    return (await api.post("/price_lists", {"name": "Spring"})).body["id"]


async def test_additional_costs_are_found_by_name(api: Caller) -> None:
    every = (await api.get("/additional_costs")).rows
    found = (await api.get("/additional_costs", {"name": every[0]["name"]})).rows
    assert found == [every[0]]
    assert (await api.post("/additional_costs", {"name": "Toll"})).status == 404


async def test_a_location_says_what_may_happen_at_it(api: Caller) -> None:
    place = (await api.get("/locations/10000101")).body
    assert (place["id"], place["is_primary"], place["manufacturing_allowed"]) == (10000101, True, True)
    assert (await api.get("/locations/2999")).status == 404


async def test_a_material_is_made_with_its_variants_and_goes_with_them(api: Caller) -> None:
    body = {"name": "Chain oil", "uom": "l", "variants": [{"sku": "OIL-1", "purchase_price": 6.5}]}
    made = (await api.post("/materials", body)).body
    variant = made["variants"][0]["id"]
    assert (made["type"], made["is_sellable"]) == ("material", False)
    shown = (await api.get(f"/variants/{variant}")).body
    assert (shown["sku"], shown["material_id"], shown["product_id"]) == ("OIL-1", made["id"], None)
    assert (await api.delete(f"/materials/{made['id']}")).status == 204
    assert (await api.get(f"/materials/{made['id']}")).status == 404
    assert (await api.get(f"/variants/{variant}")).status == 404
    assert (await api.delete(f"/materials/{made['id']}")).status == 404


async def test_a_deleted_variant_leaves_its_product_and_the_stock_list(api: Caller, tenant: Tenant) -> None:
    options = [[{"config_name": "Tone", "config_value": tone}] for tone in ("low", "high")]
    variants = [{"sku": f"BELL-{place}", "config_attributes": option} for place, option in enumerate(options)]
    body = {"name": "Bell", "configs": [{"name": "Tone", "values": ["low", "high"]}], "variants": variants}
    product = (await api.post("/products", body)).body
    extra = next(row["id"] for row in product["variants"] if row["sku"] == "BELL-1")
    tenant.set_stock(extra, WORKSHOP, 4, 2)
    assert len((await api.get("/inventory", {"variant_id": extra})).rows) == 3
    assert (await api.delete(f"/variants/{extra}")).status == 204
    left = (await api.get(f"/products/{product['id']}")).body["variants"]
    assert [row["sku"] for row in left] == ["BELL-0"]
    assert (await api.get("/inventory", {"variant_id": extra})).rows == []


async def test_a_deleted_service_is_shown_only_on_request(api: Caller) -> None:
    made = (await api.post("/services", {"name": "Wash", "variants": [{"sku": "W", "sales_price": 5}]})).body
    assert (await api.get(f"/services/{made['id']}")).body == made
    assert (await api.delete(f"/services/{made['id']}")).status == 204
    assert (await api.get(f"/services/{made['id']}")).status == 404
    assert made["id"] not in (await api.get("/services", {"name": "Wash"})).ids
    assert (await api.get("/services", {"name": "Wash", "include_deleted": True})).ids == [made["id"]]


async def test_the_currency_of_a_supplier_changes_and_its_address_goes_with_it(api: Caller) -> None:
    made = (await api.post("/suppliers", {"name": "Neu", "currency": "SEK", "addresses": [HOME]})).body
    address = made["default_address_id"]
    changed = (await api.patch(f"/suppliers/{made['id']}", {"currency": "NOK", "comment": "Lund"})).body
    assert (changed["currency"], changed["comment"], changed["name"]) == ("NOK", "Lund", "Neu")
    moved = (await api.patch(f"/supplier_addresses/{address}", {"city": "Lund"})).body
    assert (moved["city"], moved["zip"]) == ("Lund", "8010")
    found = (await api.get("/supplier_addresses", {"supplier_ids": [made["id"]], "city": "Lund"})).rows
    assert [row["id"] for row in found] == [address]
    assert (await api.delete(f"/suppliers/{made['id']}")).status == 204
    assert (await api.get("/supplier_addresses", {"supplier_ids": made["id"]})).rows == []


async def test_an_address_of_a_sales_order_is_written_apart_from_its_header(api: Caller) -> None:
    order = await sold(api)
    old = order["billing_address_id"]
    changed = await api.patch(f"/sales_order_addresses/{old}", {"city": "Linz"})
    assert (changed.status, changed.body["city"], changed.body["entity_type"]) == (200, "Linz", "billing")
    assert (await api.patch(f"/sales_order_addresses/{old}", {"entity_type": "shipping"})).status == 422
    assert (await api.delete(f"/sales_order_addresses/{old}")).status == 204
    assert (await api.get(f"/sales_orders/{order['id']}")).body["billing_address_id"] is None
    body = {"sales_order_id": order["id"], "entity_type": "billing", **HOME}
    new = (await api.post("/sales_order_addresses", body)).body
    assert (await api.get(f"/sales_orders/{order['id']}")).body["billing_address_id"] == new["id"]
    assert (await api.post("/sales_order_addresses", {**body, "sales_order_id": 999999})).status == 422


async def test_a_sales_order_row_is_read_by_id_and_searched_by_its_order(api: Caller) -> None:
    order = await sold(api)
    row = order["sales_order_rows"][0]["id"]
    shown = (await api.get(f"/sales_order_rows/{row}")).body
    assert (shown["sales_order_id"], shown["quantity"], shown["total"]) == (order["id"], 2, 42)
    where = {"filter": {"sales_order_id": order["id"]}}
    assert (await api.post("/sales_order_rows/search", where)).ids == [row]
    assert (await api.delete(f"/sales_order_rows/{row}")).status == 204
    assert (await api.get(f"/sales_order_rows/{row}")).status == 404


async def test_a_shipping_fee_is_found_by_its_order(api: Caller) -> None:
    order = await sold(api)
    body = {"sales_order_id": order["id"], "amount": "10", "tax_rate_id": 10000101}
    created = (await api.post("/sales_order_shipping_fee", body)).body
    fee = {**created, "amount": "10.0000000000"}
    assert (await api.get("/sales_order_shipping_fee", {"sales_order_id": order["id"]})).rows == [fee]
    assert (await api.get(f"/sales_order_shipping_fee/{fee['id']}")).body == fee
    raised = (await api.patch(f"/sales_order_shipping_fee/{fee['id']}", {"amount": "12.5"})).body
    assert raised == {**fee, "amount": "12.5000000000"}


async def test_a_deleted_purchase_order_row_is_expected_no_more(api: Caller, tenant: Tenant) -> None:
    def expected() -> float:
        return float(tenant.get("inventory", (10000106, 10000102))["quantity_expected"])

    before = expected()
    order = await bought(api, BUY, {**BUY, "variant_id": 10000107})
    row = order["purchase_order_rows"][0]["id"]
    assert expected() == before + 10
    assert (await api.get(f"/purchase_order_rows/{row}")).body["purchase_order_id"] == order["id"]
    found = await api.get("/purchase_order_rows", {"purchase_order_id": order["id"], "variant_id": 10000106})
    assert found.ids == [row]
    assert (await api.delete(f"/purchase_order_rows/{row}")).status == 204
    assert expected() == before
    shown = (await api.get(f"/purchase_orders/{order['id']}")).body
    left = shown["purchase_order_rows"]
    assert ([line["variant_id"] for line in left], shown["total"]) == (
        [10000107],
        order["total"] / 2,
    )


async def test_a_cost_row_belongs_to_the_group_of_its_order(api: Caller) -> None:
    first, second = await bought(api), await bought(api)
    assert first["default_group_id"] != second["default_group_id"]
    body = {
        "additional_cost_id": 10000101,
        "tax_rate_id": 10000101,
        "price": 12.5,
        "group_id": first["default_group_id"],
    }
    made = (await api.post("/po_additional_cost_rows", body)).body
    assert (await api.get(f"/po_additional_cost_rows/{made['id']}")).body == made
    assert (await api.get("/po_additional_cost_rows", {"group_id": first["default_group_id"]})).rows == [made]
    assert (await api.get("/po_additional_cost_rows", {"group_id": second["default_group_id"]})).rows == []


async def test_an_ingredient_of_an_outsourced_order_is_added_and_taken_away(api: Caller) -> None:
    order = await bought(api, entity_type="outsourced", tracking_location_id=10000102)
    row = order["purchase_order_rows"][0]["id"]
    body = {"purchase_order_row_id": row, "ingredient_variant_id": 10000112, "planned_quantity_per_unit": 2}
    made = (await api.post("/outsourced_purchase_order_recipe_rows", body)).body
    shown = (await api.get(f"/outsourced_purchase_order_recipe_rows/{made['id']}")).body
    assert (shown["purchase_order_row_id"], shown["ingredient_variant_id"]) == (row, 10000112)
    assert (await api.delete(f"/outsourced_purchase_order_recipe_rows/{made['id']}")).status == 204
    assert (await api.get(f"/outsourced_purchase_order_recipe_rows/{made['id']}")).status == 404


async def test_bills_are_found_by_the_purchase_order_they_are_of(api: Caller) -> None:
    bills = (await api.get("/purchase_order_accounting_metadata")).rows
    one = bills[0]
    found = (await api.get("/purchase_order_accounting_metadata", {"purchase_order_id": one["purchase_order_id"]})).rows
    assert one in found
    assert {bill["purchase_order_id"] for bill in found} == {one["purchase_order_id"]}
    order = (await api.get(f"/purchase_orders/{one['purchase_order_id']}")).body
    assert order["billing_status"] != "NOT_BILLED"
    assert (await api.post("/purchase_order_accounting_metadata", one)).status == 404


async def test_a_price_is_changed_and_taken_away_one_by_one(api: Caller) -> None:
    made = await listed(api)
    both = [PRICE, {**PRICE, "variant_id": 10000107}]
    first, second = (await api.post("/price_list_rows", {"price_list_id": made, "price_list_rows": both})).ids
    changed = (await api.patch(f"/price_list_rows/{first}", {"adjustment_method": "percentage", "amount": 10})).body
    assert (changed["adjustment_method"], changed["variant_id"]) == ("percentage", 10000106)
    assert (await api.patch(f"/price_list_rows/{first}", {"amount": 0})).status == 422
    assert (await api.delete(f"/price_list_rows/{first}")).status == 204
    assert (await api.get(f"/price_list_rows/{first}")).status == 404
    assert (await api.get("/price_list_rows", {"price_list_ids": made})).ids == [second]
    assert (await api.get(f"/price_lists/{made}")).body["name"] == "Spring"


async def test_a_price_list_is_given_to_another_customer_or_to_none(api: Caller) -> None:
    made = await listed(api)
    body = {"price_list_id": made, "price_list_customers": [{"customer_id": 10000103}]}
    given = (await api.post("/price_list_customers", body)).ids[0]
    assert (await api.patch(f"/price_list_customers/{given}", {"customer_id": 10000104})).body[
        "customer_id"
    ] == 10000104
    assert (await api.patch(f"/price_list_customers/{given}", {"customer_id": 999999})).status == 422
    assert (await api.get(f"/price_list_customers/{given}")).body["price_list_id"] == made
    assert (await api.delete(f"/price_list_customers/{given}")).status == 204
    assert (await api.get("/price_list_customers", {"price_list_ids": made})).rows == []
    assert (await api.get(f"/price_lists/{made}")).status == 200


async def test_an_operation_of_a_product_changes_for_later_orders_only(api: Caller, tenant: Tenant) -> None:
    variant = await gadget(api, tenant)
    before = await ordered(api, variant)
    pack, cut = (await api.get("/product_operation_rows", {"product_variant_id": variant})).rows
    key = cut["product_operation_row_id"]
    assert cut["operation_name"] == "Cut"
    changed = (await api.patch(f"/product_operation_rows/{key}", {"planned_time_parameter": 1200})).body
    assert (changed["planned_time_parameter"], changed["planned_time_per_unit"]) == (1200, 1200)
    assert (await api.delete(f"/product_operation_rows/{pack['product_operation_row_id']}")).status == 204
    after = await ordered(api, variant)
    old, new = await rows_of(api, "operation_rows", before), await rows_of(api, "operation_rows", after)
    assert [row["operation_name"] for row in old] == ["Cut", "Pack"]
    assert [row["operation_name"] for row in new] == ["Cut"]
    assert [float(rows[0]["planned_time_parameter"]) for rows in (old, new)] == [600, 1200]


async def test_rows_and_productions_of_a_manufacturing_order_are_read_by_id(api: Caller, tenant: Tenant) -> None:
    order = await ordered(api, await gadget(api, tenant))
    made = (await produced(api, order, 1)).body
    work = (await api.get("/manufacturing_order_operation_rows", {"manufacturing_order_id": order["id"]})).rows
    shown = (await api.get(f"/manufacturing_order_operation_rows/{work[0]['id']}")).body
    assert (shown["manufacturing_order_id"], shown["operation_name"]) == (order["id"], work[0]["operation_name"])
    parts = (await api.get("/manufacturing_order_recipe_rows", {"manufacturing_order_id": order["id"]})).rows
    steel = next(row["id"] for row in parts if row["variant_id"] == STEEL)
    shown = (await api.get(f"/manufacturing_order_recipe_rows/{steel}")).body
    assert (shown["variant_id"], shown["total_remaining_quantity"]) == (STEEL, 6)
    shown = (await api.get(f"/manufacturing_order_productions/{made['id']}")).body
    assert (shown["quantity"], shown["manufacturing_order_id"]) == (1, order["id"])
    for name in ("operation_rows", "recipe_rows", "productions"):
        assert (await api.get(f"/manufacturing_order_{name}/999999")).status == 404


async def test_an_adjustment_is_renamed_and_deleted_and_its_stock_follows(api: Caller, tenant: Tenant) -> None:
    tenant.set_stock(10000106, 10000101, 10, 8)
    rows = [{"variant_id": 10000106, "quantity": 3, "cost_per_unit": 2}]
    body = {"stock_adjustment_number": "SA-77", "location_id": 10000101, "stock_adjustment_rows": rows}
    made = (await api.post("/stock_adjustments", body)).body
    assert float(tenant.get("inventory", (10000106, 10000101))["quantity_in_stock"]) == 13
    renamed = (await api.patch(f"/stock_adjustments/{made['id']}", {"reason": "Found"})).body
    assert (renamed["reason"], renamed["stock_adjustment_number"]) == ("Found", "SA-77")
    assert (await api.get("/stock_adjustments", {"stock_adjustment_number": "SA-77"})).ids == [made["id"]]
    assert (await api.delete(f"/stock_adjustments/{made['id']}")).status == 204
    assert float(tenant.get("inventory", (10000106, 10000101))["quantity_in_stock"]) == 10


@pytest.mark.parametrize(("name", "amount"), [("stock_transfer", "4"), ("stock_adjustment", 4)])
async def test_rows_of_transfers_and_adjustments_never_change_and_neither_is_read_by_id(
    api: Caller, name: str, amount: object
) -> None:
    places = {"source_location_id": 10000101, "target_location_id": 10000102} if name == "stock_transfer" else {}
    places = places or {"location_id": 10000101}
    rows = [{"variant_id": 10000106, "quantity": amount}]
    made = (await api.post(f"/{name}s", {f"{name}_number": "N-1", f"{name}_rows": rows, **places})).body
    path = f"/{name}s/{made['id']}"
    assert (await api.get(path)).status == 404
    refused = await api.patch(path, {f"{name}_rows": [{"variant_id": 10000106, "quantity": amount}]})
    assert (refused.status, refused.error["details"][0]["code"]) == (422, "additionalProperties")
    row = f"/{name}_rows/{made[f'{name}_rows'][0]['id']}"
    answers = [await api.get(row), await api.patch(row, {"quantity": amount}), await api.delete(row)]
    assert [answer.status for answer in answers] == [404] * 3
    assert (await api.patch(path, {"additional_info": "Checked"})).status == 200
    found = (await api.get(f"/{name}s", {f"{name}_number": "N-1"})).rows
    assert [row[f"{name}_rows"] for row in found] == [made[f"{name}_rows"]]


async def test_the_tax_rate_of_a_purchase_order_row_is_text_when_written_and_a_number_is_refused(api: Caller) -> None:
    header = {"supplier_id": 10000102, "location_id": 10000102}
    refused = await api.post("/purchase_orders", {**header, "purchase_order_rows": [{**BUY, "tax_rate": 22}]})
    assert (refused.status, refused.error["details"][0]["message"]) == (422, "must be string")
    row = (await bought(api, {**BUY, "tax_rate": "22"}))["purchase_order_rows"][0]
    assert row["tax_rate_id"] == 10000101


async def test_quantities_of_a_transfer_are_text_where_those_of_an_adjustment_are_numbers(api: Caller) -> None:
    places = {"source_location_id": 10000101, "target_location_id": 10000102}
    for name, header, wrong, message in (
        ("stock_transfer", places, 4, "must be string"),
        ("stock_adjustment", {"location_id": 10000101}, "4", "must be number"),
    ):
        rows = [{"variant_id": 10000106, "quantity": wrong}]
        refused = await api.post(f"/{name}s", {f"{name}_number": "N-1", f"{name}_rows": rows, **header})
        assert (refused.status, refused.error["details"][0]["message"]) == (422, message)
    assert (await api.get("/stock_transfers", {"stock_transfer_number": "N-1"})).rows == []
