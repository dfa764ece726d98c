"""Sales orders, rows, fulfillments, fees: states, totals, availability, stock (facts 4.4, 4.5, 4.12, 4.13)."""

from decimal import Decimal
from typing import Any

import pytest

from katana_sandbox import Caller, Sandbox, Tenant

PART = 10000106
PRICE = 21.0


async def ordered(api: Caller, quantity: float = 4, **extra: object) -> dict[str, Any]:
    row = {"variant_id": PART, "quantity": quantity, "price_per_unit": PRICE, "tax_rate_id": 10000101}
    answer = await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": [row], **extra})
    assert answer.status == 200, answer.raw
    return answer.body


def row_id(order: dict[str, Any]) -> object:
    return order["sales_order_rows"][0]["id"]


async def shipped(api: Caller, order: dict[str, Any], quantity: float, status: str = "PACKED") -> dict[str, Any]:
    rows = [{"sales_order_row_id": row_id(order), "quantity": quantity}]
    body = {"sales_order_id": order["id"], "status": status, "sales_order_fulfillment_rows": rows}
    answer = await api.post("/sales_order_fulfillments", body)
    assert answer.status == 200, answer.raw
    return answer.body


def stock(tenant: Tenant) -> tuple[str, str]:
    level = tenant.get("inventory", (PART, 10000101))
    return level["quantity_in_stock"], level["quantity_committed"]


@pytest.fixture(autouse=True)
def full_shelf(tenant: Tenant) -> None:
    for row in list(tenant.all("sales_order_rows")):
        if row["variant_id"] == PART and not row["deleted_at"]:
            tenant.delete("sales_order_rows", row["id"])
    tenant.set_stock(PART, 10000101, 10, 8.4)


async def test_a_new_order_has_number_defaults_totals_and_copied_addresses(api: Caller, tenant: Tenant) -> None:
    """4.4."""
    order = await ordered(api, 4)
    assert str(order["order_no"]).startswith("SO-")
    assert (order["status"], order["currency"], order["location_id"]) == ("NOT_SHIPPED", "EUR", 10000101)
    assert (order["total"], order["invoicing_status"], order["shipping_fee"]) == (4 * PRICE * 1.22, None, {})
    assert order["product_availability"] == "IN_STOCK"
    addresses = (await api.get("/sales_order_addresses", {"sales_order_ids": [order["id"]]})).rows
    assert [row["entity_type"] for row in addresses] == ["shipping", "billing"]
    assert order["billing_address_id"] == addresses[1]["id"]
    customer = tenant.get("customers", 10000101)
    assert addresses[0]["line_1"] == customer["addresses"][0]["line_1"]
    assert "addresses" not in (await api.get(f"/sales_orders/{order['id']}")).body


async def test_a_foreign_currency_order_is_also_given_in_base_currency(api: Caller) -> None:
    """4.4, 7.1."""
    order = await ordered(api, 2, currency="USD")
    row = order["sales_order_rows"][0]
    assert (order["conversion_rate"], row["total"], row["total_in_base_currency"]) == (0.92, 42, 38.64)


async def test_an_order_takes_its_customers_currency_else_the_accounts(api: Caller) -> None:
    """4.4."""
    buyers = [(await api.post("/customers", {"name": "N", **own})).body for own in ({"currency": "USD"}, {}, {})]
    assert [buyer["currency"] for buyer in buyers] == ["USD", "EUR", "EUR"]
    customers = [buyer["id"] for buyer in buyers]
    await api.patch(f"/customers/{customers[2]}", {"currency": None})
    made = [await ordered(api, customer_id=customer) for customer in customers]
    assert [(order["currency"], order["conversion_rate"]) for order in made] == [("USD", 0.92), ("EUR", 1), ("EUR", 1)]
    named = await ordered(api, customer_id=customers[0], currency="SEK")
    moved = await api.patch(f"/sales_orders/{made[0]['id']}", {"customer_id": customers[1]})
    assert (named["currency"], moved.body["currency"]) == ("SEK", "USD"), "a stated or given currency stays"


async def test_open_orders_commit_stock_and_quotes_do_not(api: Caller, tenant: Tenant) -> None:
    """4.12."""
    assert stock(tenant) == ("10.00000", "0.00000")
    order = await ordered(api, 4)
    quote = await ordered(api, 3, status="PENDING")
    assert stock(tenant) == ("10.00000", "4.00000")
    assert (await api.patch(f"/sales_orders/{quote['id']}", {"status": "NOT_SHIPPED"})).status == 200
    assert stock(tenant) == ("10.00000", "7.00000")
    assert (await api.delete(f"/sales_orders/{order['id']}")).status == 204
    assert stock(tenant) == ("10.00000", "3.00000")
    level = tenant.get("inventory", (PART, 10000101))
    safety = Decimal(level["safety_stock_level"])
    assert Decimal(level["quantity_missing_or_excess"]) == Decimal(7) - safety


async def test_stock_is_promised_to_the_oldest_row_first(api: Caller, tenant: Tenant) -> None:
    """4.4."""
    first, second, third = [await ordered(api, quantity) for quantity in (6, 6, 4)]
    states = [tenant.get("sales_orders", o["id"])["product_availability"] for o in (first, second, third)]
    assert states == ["IN_STOCK", "NOT_AVAILABLE", "IN_STOCK"]
    tenant.set_stock(PART, 10000101, 16, 8.4)
    assert tenant.get("sales_orders", second["id"])["product_availability"] == "IN_STOCK"
    found = await api.get("/sales_order_rows", {"variant_id": PART, "product_availability": "IN_STOCK"})
    assert [row["sales_order_id"] for row in found.rows] == [third["id"], second["id"], first["id"]]


async def test_packing_and_delivering_move_status_stock_and_cost(api: Caller, tenant: Tenant) -> None:
    """4.5."""
    order = await ordered(api, 4)
    path = f"/sales_orders/{order['id']}"
    first = await shipped(api, order, 1)
    state = (await api.get(path)).body
    assert (state["status"], state["invoicing_status"]) == ("PARTIALLY_PACKED", "notInvoiced")
    assert stock(tenant) == ("9.00000", "3.00000")
    assert (await api.patch(f"/sales_order_fulfillments/{first['id']}", {"status": "DELIVERED"})).status == 200
    assert (await api.get(path)).body["status"] == "PARTIALLY_DELIVERED"
    await shipped(api, order, 3)
    packed = (await api.get(path)).body
    row = packed["sales_order_rows"][0]
    assert (packed["status"], packed["product_availability"]) == ("PACKED", "PICKED")
    assert (row["product_availability"], row["cogs_value"]) == ("PICKED", "33.6000000000")
    assert stock(tenant) == ("6.00000", "0.00000")
    level = tenant.get("inventory", (PART, 10000101))
    assert (level["value_in_stock"], level["average_cost"]) == ("50.4000000000", "8.4000000000")


async def test_deleting_fulfillments_returns_stock_and_reopens_the_order(api: Caller, tenant: Tenant) -> None:
    """4.4, 4.5."""
    order = await ordered(api, 4)
    done = await shipped(api, order, 4, "DELIVERED")
    path = f"/sales_orders/{order['id']}"
    assert (await api.get(path)).body["status"] == "DELIVERED"
    refused = await api.patch(path, {"status": "NOT_SHIPPED"})
    assert refused.status == 422
    assert (await api.delete(f"/sales_order_fulfillments/{done['id']}")).status == 204
    reopened = (await api.get(path)).body
    assert (reopened["status"], reopened["product_availability"]) == ("NOT_SHIPPED", "IN_STOCK")
    tenant.edit("sales_orders", reopened["id"], status="DELIVERED")  # as Katana may leave it
    assert (await api.patch(path, {"status": "NOT_SHIPPED"})).body["status"] == "NOT_SHIPPED"
    assert reopened["sales_order_rows"][0]["cogs_value"] is None
    assert stock(tenant) == ("10.00000", "4.00000")
    assert tenant.get("inventory", (PART, 10000101))["value_in_stock"] == "84.0000000000"
    assert (await api.get(f"/sales_order_fulfillments/{done['id']}")).status == 404
    shown = await api.get(f"/sales_order_fulfillments/{done['id']}", {"include_deleted": True})
    assert shown.body["deleted_at"] is not None


async def test_a_patch_to_delivered_answers_200_and_changes_nothing(api: Caller) -> None:
    """4.4."""
    order = await ordered(api)
    answer = await api.patch(f"/sales_orders/{order['id']}", {"status": "DELIVERED", "customer_ref": "R"})
    assert (answer.status, answer.body["status"], answer.body["customer_ref"]) == (200, "NOT_SHIPPED", "R")
    assert (await api.patch(f"/sales_orders/{order['id']}", {"status": "PARTIALLY_PACKED"})).status == 422


@pytest.mark.parametrize("quantity", [5, 4.00001])
async def test_more_than_the_open_quantity_can_not_be_fulfilled(api: Caller, quantity: float) -> None:
    """4.5."""
    order = await ordered(api, 4)
    rows = [{"sales_order_row_id": row_id(order), "quantity": quantity}]
    body = {"sales_order_id": order["id"], "status": "PACKED", "sales_order_fulfillment_rows": rows}
    answer = await api.post("/sales_order_fulfillments", body)
    assert (answer.status, "open quantity" in answer.error["message"]) == (422, True)


async def test_a_quote_is_fulfilled_but_not_with_rows_of_other_orders(sandbox: Sandbox, api: Caller) -> None:
    """4.4; October 8."""
    quote, other = await ordered(api, 1, status="PENDING"), await ordered(api, 1)
    rows = [{"sales_order_row_id": row_id(quote), "quantity": 1}]
    body = {"sales_order_id": other["id"], "status": "PACKED", "sales_order_fulfillment_rows": rows}
    refused = await api.post("/sales_order_fulfillments", body)
    assert (refused.status, refused.error["message"]) == (422, "sales order row not found")
    assert (await api.post("/sales_order_fulfillments", {**body, "sales_order_id": quote["id"]})).status == 200
    assert (await api.get(f"/sales_orders/{quote['id']}")).body["status"] == "PACKED"


async def test_what_shipping_has_begun_locks(api: Caller) -> None:
    """4.4."""
    order = await ordered(api, 4)
    await shipped(api, order, 1)
    for body in ({"order_no": "X"}, {"customer_id": 10000102}, {"location_id": 10000102}, {"conversion_rate": 2}):
        assert (await api.patch(f"/sales_orders/{order['id']}", body)).status == 422
    assert (await api.patch(f"/sales_orders/{order['id']}", {"additional_info": "free"})).status == 200
    assert (await api.patch(f"/sales_order_rows/{row_id(order)}", {"quantity": 9})).status == 422
    kept = await api.patch(f"/sales_order_rows/{row_id(order)}", {"attributes": [{"key": "k", "value": "v"}]})
    assert kept.body["attributes"] == [{"key": "k", "value": "v"}]
    assert (await api.delete(f"/sales_order_rows/{row_id(order)}")).status == 422
    new = {"sales_order_id": order["id"], "variant_id": PART, "quantity": 1}
    assert (await api.post("/sales_order_rows", new)).status == 422


async def test_conversion_can_be_edited_once_packed(api: Caller) -> None:
    """4.4."""
    order = await ordered(api, 1, currency="USD")
    await shipped(api, order, 1)
    answer = await api.patch(f"/sales_orders/{order['id']}", {"conversion_rate": 2})
    assert (answer.body["conversion_rate"], answer.body["total_in_base_currency"]) == (2, round(2 * PRICE * 1.22, 10))


async def test_the_order_takes_the_latest_picked_date_and_hands_its_own_down(api: Caller, tenant: Tenant) -> None:
    """4.5, 5.31."""
    order = await ordered(api, 4)
    first, second = await shipped(api, order, 1), await shipped(api, order, 1)
    late = "2026-03-09T00:00:00.000Z"
    await api.patch(f"/sales_order_fulfillments/{first['id']}", {"picked_date": late})
    assert (await api.get(f"/sales_orders/{order['id']}")).body["picked_date"] == late
    early = "2026-03-01T00:00:00.000Z"
    await api.patch(f"/sales_orders/{order['id']}", {"picked_date": early})
    dates = [tenant.get("sales_order_fulfillments", f["id"])["picked_date"] for f in (first, second)]
    assert dates == [early, early]


async def test_a_shipping_fee_is_part_of_the_total_and_only_one_fits(api: Caller) -> None:
    """4.4."""
    order = await ordered(api, 1)
    body = {"sales_order_id": order["id"], "amount": "10", "tax_rate_id": 10000101}
    fee = (await api.post("/sales_order_shipping_fee", body)).body
    assert set(fee) == {"id", "sales_order_id", "amount", "tax_rate_id", "description"}
    shown = (await api.get(f"/sales_orders/{order['id']}")).body
    assert fee["amount"] == 10, "a number in this reply alone"
    assert (shown["shipping_fee"], shown["total"]) == ({**fee, "amount": "10.0000000000"}, 37.82)
    assert (await api.post("/sales_order_shipping_fee", body)).status == 422
    missing = await api.patch(f"/sales_order_shipping_fee/{fee['id']}", {"description": "x"})
    assert missing.error["details"][0]["info"] == {"missingProperty": "amount"}
    assert (await api.post("/sales_order_shipping_fee", {**body, "amount": "ten"})).status == 422
    assert (await api.delete(f"/sales_order_shipping_fee/{fee['id']}")).status == 204
    assert (await api.get(f"/sales_orders/{order['id']}")).body["total"] == 25.62


async def test_services_are_never_stock_and_do_not_hold_an_order_back(api: Caller, tenant: Tenant) -> None:
    """4.1, 4.4."""
    service = next(tenant.all("service_variants"))
    rows = [{"variant_id": PART, "quantity": 1}, {"variant_id": service["id"], "quantity": 1}]
    order = (await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": rows})).body
    states = [row["product_availability"] for row in order["sales_order_rows"]]
    assert (states, order["product_availability"]) == (["IN_STOCK", "NOT_APPLICABLE"], "IN_STOCK")
    await shipped(api, order, 1, "DELIVERED")
    assert (await api.get(f"/sales_orders/{order['id']}")).body["status"] == "DELIVERED"


async def units(api: Caller, tenant: Tenant, variant: int) -> list[int]:
    """Two serial numbers of a variant, bought."""
    line = {"variant_id": variant, "quantity": 2, "price_per_unit": 1}
    made = tenant.create(
        "purchase_orders", {"supplier_id": 10000101, "location_id": 10000101, "purchase_order_rows": [line]}
    )
    resource = {"resource_type": "PurchaseOrderRow", "resource_id": made["purchase_order_rows"][0]["id"]}
    answer = await api.post("/serial_numbers", {**resource, "serial_numbers": ["S-1", "S-2"]})
    return [entry["id"] for entry in answer.body["successful"]]


async def test_serial_numbers_must_fit_quantity_and_be_free_in_the_recorded_words(api: Caller, tenant: Tenant) -> None:
    """4.5, 4.13."""
    item = next(row for row in tenant.all("products") if row["serial_tracked"] and not row["deleted_at"])
    lines = [{"variant_id": item["variants"][0]["id"], "quantity": 1}] * 2
    order = (await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": lines})).body
    first, second = await units(api, tenant, item["variants"][0]["id"])
    one, two = [row["id"] for row in order["sales_order_rows"]]

    async def pack(row: object, **extra: object) -> tuple[int, str]:
        rows = [{"sales_order_row_id": row, "quantity": 1, **extra}]
        body = {"sales_order_id": order["id"], "status": "PACKED", "sales_order_fulfillment_rows": rows}
        answer = await api.post("/sales_order_fulfillments", body)
        return answer.status, "" if answer.status == 200 else answer.error["message"]

    words = "sum of serial number quantity (current: 0) must match fulfillment row quantity (expected: 1)"
    assert await pack(one, serial_numbers=[]) == (422, words)
    assert await pack(one, serial_numbers=[first, 999]) == (200, "")
    assert await pack(two, serial_numbers=[first]) == (422, "given serial numbers have already been assigned")
    assert await pack(two, traceability=[{"serial_number_id": second, "quantity": "5"}]) == (200, "")
    shown = (await api.get("/sales_order_fulfillments", {"sales_order_id": order["id"]})).rows[0]
    row = shown["sales_order_fulfillment_rows"][0]
    assert row["serial_numbers"] == [second]
    traced = {"batch_id": None, "bin_location_id": None, "serial_number_id": second, "quantity": "1"}
    assert row["traceability"] == [traced]


async def test_a_serial_number_already_on_a_row_is_refused_in_the_recorded_words(api: Caller, tenant: Tenant) -> None:
    """4.13."""
    order = await ordered(api, 2)
    unit = (await units(api, tenant, order["sales_order_rows"][0]["variant_id"]))[0]
    path = f"/sales_order_rows/{row_id(order)}"
    add = {"serial_number_transactions": [{"serial_number_id": unit, "quantity": 1}]}
    assert (await api.patch(path, add)).body["serial_numbers"] == [unit]
    assert (await api.patch(path, add)).error["message"] == f"row already has serial number with id ({unit})"
    gone = {"serial_number_transactions": [{"serial_number_id": unit, "quantity": 0}]}
    assert (await api.patch(path, gone)).body["serial_numbers"] == []


async def test_batch_tracked_rows_need_batches_that_add_up(api: Caller, tenant: Tenant) -> None:
    """4.5."""
    item = next(row for row in tenant.all("materials") if row["batch_tracked"] and not row["deleted_at"])
    lines = [{"variant_id": item["variants"][0]["id"], "quantity": 2}]
    order = (await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": lines})).body
    rows = [
        {"sales_order_row_id": row_id(order), "quantity": 2, "batch_transactions": [{"batch_id": 9, "quantity": 1}]}
    ]
    body = {"sales_order_id": order["id"], "status": "PACKED", "sales_order_fulfillment_rows": rows}
    assert (await api.post("/sales_order_fulfillments", body)).status == 422
    rows[0]["batch_transactions"] = [{"batch_id": 9, "quantity": 1}, {"batch_id": None, "quantity": 1}]
    assert (await api.post("/sales_order_fulfillments", body)).status == 200


async def test_custom_fields_of_an_order_merge_and_null_clears(api: Caller, tenant: Tenant) -> None:
    """4.4."""
    text = {"field_type": "shortText", "entity_type": "SalesOrder", "source": "api"}
    made = [tenant.create("custom_field_definitions", {"label": label, **text}) for label in ("One", "Two")]
    one, two = (definition["id"] for definition in made)
    order = await ordered(api, 1, custom_fields={one: "a"})
    path = f"/sales_orders/{order['id']}"
    assert (await api.patch(path, {"custom_fields": {two: 5}})).body["custom_fields"] == {one: "a", two: 5}
    assert (await api.patch(path, {"custom_fields": {one: None}})).body["custom_fields"] == {two: 5}
    assert (await api.patch(path, {"custom_fields": None})).body["custom_fields"] is None


async def test_books_that_are_closed_refuse_earlier_stock_dates(api: Caller, tenant: Tenant) -> None:
    """4.12."""
    tenant.edit("factory", 1, inventory_closing_date="2026-02-01T00:00:00.000Z")
    order = await ordered(api, 1)
    body = {
        "sales_order_id": order["id"],
        "status": "PACKED",
        "picked_date": "2026-01-31T23:00:00.000Z",
        "sales_order_fulfillment_rows": [{"sales_order_row_id": row_id(order), "quantity": 1}],
    }
    assert (await api.post("/sales_order_fulfillments", body)).status == 422
    assert (await api.post("/sales_order_fulfillments", {**body, "picked_date": "2026-02-01T00:00:00Z"})).status == 200


async def test_safety_stock_and_reorder_point_are_one_upserted_level(api: Caller) -> None:
    """4.12."""
    body = {"variant_id": PART, "location_id": 10000102, "value": 2}
    first = (await api.post("/inventory_reorder_points", body)).body
    assert (first["value"], set(first)) == ("2", {"variant_id", "location_id", "value", "created_at", "updated_at"})
    second = (await api.post("/inventory_safety_stock_levels", {**body, "value": 2.5})).body
    assert (second["value"], second["created_at"]) == ("2.5", first["created_at"])
    row = (await api.get("/inventory", {"variant_id": PART, "location_id": 10000102})).rows[0]
    assert (row["safety_stock_level"], row["reorder_point"]) == ("2.50000", "2.50000")
