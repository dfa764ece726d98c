"""The wire as in production: what the facts say of it, or leave the sandbox to decide (facts 1, 4.12, 7.1)."""

import pytest

from katana_sandbox import Answer, Caller, ManualClock, Sandbox, SandboxConfig, Tenant

from .manufacturing_floor import gadget, ordered, produced

PART = 10000106
LINE = {"variant_id": PART, "quantity": 1}
NOBODY = "/customers/999999"


async def sales_row(api: Caller, variant: int) -> int:
    """The row of a new sales order."""
    body = {"customer_id": 10000101, "sales_order_rows": [{**LINE, "variant_id": variant}]}
    return (await api.post("/sales_orders", body)).body["sales_order_rows"][0]["id"]


async def test_the_window_is_fixed(clock: ManualClock) -> None:
    """1.4: two requests a minute, asked for at 0, 36, 48, 60 and 72 seconds."""
    api = Sandbox(SandboxConfig(switches={"rate_limit": 2}), clock=clock).caller()
    answers: list[Answer] = []
    for wait in (0, 36, 12, 12, 12):
        clock.advance(wait)
        answers.append(await api.get("/factory"))
    assert [answer.status for answer in answers] == [200, 200, 429, 200, 200]
    assert answers[2].headers["retry-after"] == "12"
    assert answers[3].headers["x-ratelimit-remaining"] == "1"


async def test_a_page_has_a_default_and_a_longest_length(api: Caller) -> None:
    """1.5."""
    lengths: list[int] = []
    lengths += [len((await api.get("/inventory", query)).rows) for query in ({}, {"limit": 1000})]
    lengths.append(len((await api.post("/sales_orders/search", {"filter": {}})).rows))
    assert lengths == [50, 250, 50]


@pytest.mark.parametrize("path", ["/customers", "/inventory", "/sales_orders/search"])
async def test_pagination_is_told_in_strings(api: Caller, path: str) -> None:
    """1.5."""
    answer = await (api.post(path, {"limit": 2}) if "search" in path else api.get(path, {"limit": 2}))
    strings = answer.page
    assert {type(value) for value in strings.values()} == {str}
    assert (strings["first_page"], strings["last_page"], strings["offset"]) == ("true", "false", "0")


async def test_a_create_answers_200(api: Caller, tenant: Tenant) -> None:
    """1.2: whatever is created; no other request is touched."""
    variant = await gadget(api, tenant)
    order = await ordered(api, variant)
    row_id = await sales_row(api, variant)
    prices = {"price_list_id": next(tenant.all("price_lists"))["id"]}
    price = {"variant_id": PART, "adjustment_method": "fixed", "amount": 1}
    created = [
        await api.post("/customers", {"name": "N"}),
        await produced(api, order, 1),
        await api.post("/price_list_rows", {**prices, "price_list_rows": [price]}),
        await api.post("/manufacturing_order_make_to_order", {"sales_order_row_id": row_id}),
    ]
    assert [answer.status for answer in created] == [200] * 4
    others = [
        await api.patch("/customers/10000101", {"name": "M"}),
        await api.post("/sales_orders/search", {"filter": {}}),
    ]
    assert [answer.status for answer in others] == [200, 200]


async def test_a_path_id_that_is_no_number_has_a_status(api: Caller) -> None:
    """1.3 [I]."""
    answers = [
        await api.get("/products/abc"),
        await api.patch("/customers/abc", {"name": "N"}),
        await api.delete("/customers/abc"),
        await api.patch("/stock_transfers/abc/status", {"status": "draft"}),
    ]
    assert [answer.status for answer in answers] == [400] * 4


async def test_unknown_keys_are_refused(api: Caller) -> None:
    """1.3: at any depth; an ignored key leaves no trace, and a body of such keys alone changes nothing."""
    body = {"name": "N", "colour": "red", "addresses": [{"entity_type": "billing", "line_1": "Road 1", "moon": 1}]}
    made = await api.post("/customers", body)
    changed = await api.patch("/customers/10000101", {"comment": "C", "colour": "red"})
    assert [made.status, changed.status] == [422, 422]
    custom = {"customer_id": 10000101, "sales_order_rows": [LINE], "custom_fields": {"unknown": 1}}
    assert (await api.post("/sales_orders", custom)).status == 422, "custom fields are the caller's own keys"


async def test_naive_dates_in_a_body_are_refused(api: Caller) -> None:
    """1.9: nested ones too; text that is no date is refused on both sides."""
    row = {**LINE, "price_per_unit": 1, "arrival_date": "2026-05-02T10:00:00"}
    body = {"supplier_id": 10000102, "location_id": 10000102, "order_created_date": "2026-04-01T08:30:00"}
    made = await api.post("/purchase_orders", {**body, "purchase_order_rows": [row]})
    assert made.status == 422
    zoned = {
        **body,
        "order_created_date": "2026-04-01T08:30:00+02:00",
        "purchase_order_rows": [{**LINE, "price_per_unit": 1}],
    }
    assert (await api.post("/purchase_orders", zoned)).body["order_created_date"] == "2026-04-01T06:30:00.000Z"
    assert (await api.post("/purchase_orders", {**zoned, "order_created_date": "soon"})).status == 422


async def test_deleted_rows_are_hidden_inside_their_parent(api: Caller) -> None:
    """1.7."""
    order = (await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": [LINE, LINE]})).body
    gone, kept = (row["id"] for row in order["sales_order_rows"])
    assert (await api.delete(f"/sales_order_rows/{gone}")).status == 204
    rows = (await api.get(f"/sales_orders/{order['id']}")).body["sales_order_rows"]
    assert {row["id"]: row["deleted_at"] is not None for row in rows} == {kept: False}


async def test_get_by_id_does_not_find_what_is_deleted(api: Caller) -> None:
    """4.12 [I]."""
    assert (await api.delete("/products/10000101")).status == 204
    answer = await api.get("/products/10000101", {"extend": "supplier"})
    assert answer.status == 404
    assert (await api.delete("/products/10000101")).status == 404
    assert (await api.get("/products/999999")).status == 404


async def test_a_patch_checks_its_body_before_its_record(api: Caller) -> None:
    """7.1."""
    tries = ((NOBODY, {"name": 1}), (NOBODY, {"name": "N"}), ("/customers/10000101", {"name": 1}))
    assert [(await api.patch(path, body)).status for path, body in tries] == [422, 404, 422]


async def test_a_reference_that_leads_nowhere_has_a_status(api: Caller) -> None:
    """7.1 [I]."""
    answer = await api.post("/sales_orders", {"customer_id": 999999, "sales_order_rows": [LINE]})
    assert (answer.status, answer.error["message"]) == (422, "customer not found")


async def test_a_delete_that_other_records_forbid_has_a_status(api: Caller, tenant: Tenant) -> None:
    """1.3: orders with a return, linked manufacturing orders, purchase orders received but not billed."""
    variant = await gadget(api, tenant)
    row_id = await sales_row(api, variant)
    made = (await api.post("/manufacturing_order_make_to_order", {"sales_order_row_id": row_id})).body
    billed = {bill["purchase_order_id"] for bill in tenant.all("purchase_order_accounting_metadata")}
    orders = [row for row in tenant.all("purchase_orders") if row["status"] == "RECEIVED" and row["id"] not in billed]
    returned = next(tenant.all("sales_returns"))["sales_order_id"]
    paths = (f"/sales_orders/{returned}", f"/manufacturing_orders/{made['id']}", f"/purchase_orders/{orders[0]['id']}")
    assert [(await api.delete(path)).status for path in paths] == [412] * 3


async def test_the_cost_of_what_never_was_in_stock_is_zero(api: Caller, tenant: Tenant) -> None:
    """4.12 [I]: what was in stock and is gone keeps a number."""
    new = (await api.post("/materials", {"name": "New", "variants": [{"sku": "N"}]})).body["variants"][0]["id"]
    assert {row["average_cost"] for row in (await api.get("/inventory", {"variant_id": new})).rows} == {"0.0000000000"}
    for quantity in (3, 0):
        tenant.set_stock(PART, 10000101, quantity, 5)
        assert tenant.get("inventory", (PART, 10000101))["average_cost"] is not None


async def test_inventory_shows_pairs_that_never_moved(api: Caller, tenant: Tenant) -> None:
    """4.12 [I]."""
    new = (await api.post("/materials", {"name": "New", "variants": [{"sku": "N"}]})).body["variants"][0]["id"]
    tenant.set_stock(new, 10000102, 3, 5)
    answer = await api.get("/inventory", {"variant_id": new})
    assert (len(answer.rows), answer.page["total_records"]) == (3, str(3))
    assert "3.00000" in {row["quantity_in_stock"] for row in answer.rows}
