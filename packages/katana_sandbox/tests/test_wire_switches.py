"""Quirks of the wire that are as in production and can be turned off: each shown on both sides (facts 1, 4.12, 7.1)."""

from typing import Any

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


@pytest.mark.parametrize(
    ("form", "statuses"), [("fixed", [200, 200, 429, 200, 200]), ("sliding", [200, 200, 429, 200, 429])]
)
async def test_the_window_is_fixed_or_slides(clock: ManualClock, form: str, statuses: list[int]) -> None:
    """1.4: two requests in ten seconds, asked for at 0, 6, 8, 10 and 12."""
    api = Sandbox(
        SandboxConfig(switches={"rate_limit": 2, "rate_window": 10, "rate_window_form": form}), clock=clock
    ).caller()
    answers: list[Answer] = []
    for wait in (0, 6, 2, 2, 2):
        clock.advance(wait)
        answers.append(await api.get("/factory"))
    assert [answer.status for answer in answers] == statuses
    assert answers[2].headers["retry-after"] == "2"
    assert answers[3].headers["x-ratelimit-remaining"] == ("1" if form == "fixed" else "0")


async def test_a_page_has_a_default_and_a_longest_length(sandbox: Sandbox, api: Caller) -> None:
    """1.5."""
    lengths: list[int] = []
    for default, most in ((50, 250), (20, 60)):
        sandbox.switches.set("default_limit", default)
        sandbox.switches.set("maximum_limit", most)
        lengths += [len((await api.get("/variants", query)).rows) for query in ({}, {"limit": 1000})]
        lengths.append(len((await api.post("/sales_orders/search", {"filter": {}})).rows))
    assert lengths == [50, sandbox.tenant().count("variants") - hidden(sandbox.tenant()), 50, 20, 60, 20]


def hidden(tenant: Tenant) -> int:
    """Variants that a plain list leaves out."""
    store = tenant.db.stores["variants"]
    return len(store) - len(store.visible)


@pytest.mark.parametrize("path", ["/customers", "/inventory", "/sales_orders/search"])
async def test_pagination_is_told_in_strings_or_in_numbers(sandbox: Sandbox, api: Caller, path: str) -> None:
    """1.5."""

    async def page() -> dict[str, Any]:
        answer = await (api.post(path, {"limit": 2}) if "search" in path else api.get(path, {"limit": 2}))
        return answer.page

    strings = await page()
    assert {type(value) for value in strings.values()} == {str}
    assert (strings["first_page"], strings["last_page"], strings["offset"]) == ("true", "false", "0")
    sandbox.switches.set("pagination_strings", False)
    numbers = await page()
    assert (numbers["first_page"], numbers["last_page"], numbers["page"], numbers["offset"]) == (True, False, 1, 0)
    assert {name: str(value).lower() for name, value in numbers.items()} == strings


@pytest.mark.parametrize("status", [200, 201])
async def test_a_create_answers_200_or_201(sandbox: Sandbox, api: Caller, tenant: Tenant, status: int) -> None:
    """1.2: whatever is created; no other request is touched."""
    variant = await gadget(api, tenant)
    order = await ordered(api, variant)
    wanted = await sales_row(api, variant)
    prices = {"price_list_id": next(tenant.all("price_lists"))["id"]}
    price = {"variant_id": PART, "adjustment_method": "fixed", "amount": 1}
    sandbox.switches.set("create_status", status)
    created = [
        await api.post("/customers", {"name": "N"}),
        await produced(api, order, 1),
        await api.post("/price_list_rows", {**prices, "price_list_rows": [price]}),
        await api.post("/manufacturing_order_make_to_order", {"sales_order_row_id": wanted}),
    ]
    assert [answer.status for answer in created] == [status] * 4
    others = [
        await api.patch("/customers/10000101", {"name": "M"}),
        await api.post("/sales_orders/search", {"filter": {}}),
    ]
    assert [answer.status for answer in others] == [200, 200]


@pytest.mark.parametrize("status", [400, 404])
async def test_a_path_id_that_is_no_number_has_a_status(sandbox: Sandbox, api: Caller, status: int) -> None:
    """1.3 [I]."""
    sandbox.switches.set("bad_path_id_status", status)
    answers = [
        await api.get("/products/abc"),
        await api.patch("/customers/abc", {"name": "N"}),
        await api.delete("/customers/abc"),
        await api.patch("/stock_transfers/abc/status", {"status": "draft"}),
    ]
    assert [answer.status for answer in answers] == [status] * 4


@pytest.mark.parametrize(("word", "status"), [("refuse", 422), ("ignore", 200)])
async def test_unknown_keys_are_refused_or_ignored(sandbox: Sandbox, api: Caller, word: str, status: int) -> None:
    """1.3: at any depth; an ignored key leaves no trace, and a body of such keys alone changes nothing."""
    sandbox.switches.set("unknown_keys", word)
    body = {"name": "N", "colour": "red", "addresses": [{"entity_type": "billing", "line_1": "Road 1", "moon": 1}]}
    made = await api.post("/customers", body)
    changed = await api.patch("/customers/10000101", {"comment": "C", "colour": "red"})
    assert [made.status, changed.status] == [status, status]
    assert "colour" not in str(changed.body) or status == 422
    if status == 200:
        assert "moon" not in str(made.body)
        assert (await api.patch("/customers/10000101", {"colour": "red"})).error[
            "message"
        ] == "At least 1 field is required"
    custom = {"customer_id": 10000101, "sales_order_rows": [LINE], "custom_fields": {"unknown": 1}}
    assert (await api.post("/sales_orders", custom)).status == 422, "custom fields are the caller's own keys"


@pytest.mark.parametrize(("word", "status"), [("reject", 422), ("utc", 200)])
async def test_naive_dates_in_a_body_are_refused_or_read_as_utc(
    sandbox: Sandbox, api: Caller, word: str, status: int
) -> None:
    """1.9: nested ones too; text that is no date is refused on both sides."""
    sandbox.switches.set("naive_body_dates", word)
    row = {**LINE, "price_per_unit": 1, "arrival_date": "2026-05-02T10:00:00"}
    body = {"supplier_id": 10000102, "location_id": 10000102, "order_created_date": "2026-04-01T08:30:00"}
    made = await api.post("/purchase_orders", {**body, "purchase_order_rows": [row]})
    assert made.status == status
    if status == 200:
        dates = made.body["order_created_date"], made.body["purchase_order_rows"][0]["arrival_date"]
        assert dates == ("2026-04-01T08:30:00.000Z", "2026-05-02T10:00:00.000Z")
    zoned = {
        **body,
        "order_created_date": "2026-04-01T08:30:00+02:00",
        "purchase_order_rows": [{**LINE, "price_per_unit": 1}],
    }
    assert (await api.post("/purchase_orders", zoned)).body["order_created_date"] == "2026-04-01T06:30:00.000Z"
    assert (await api.post("/purchase_orders", {**zoned, "order_created_date": "soon"})).status == 422


@pytest.mark.parametrize("shown", [False, True])
async def test_deleted_rows_are_hidden_or_shown_inside_their_parent(sandbox: Sandbox, api: Caller, shown: bool) -> None:
    """1.7."""
    sandbox.switches.set("nested_deleted_rows", shown)
    order = (await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": [LINE, LINE]})).body
    gone, kept = (row["id"] for row in order["sales_order_rows"])
    assert (await api.delete(f"/sales_order_rows/{gone}")).status == 204
    rows = (await api.get(f"/sales_orders/{order['id']}")).body["sales_order_rows"]
    assert {row["id"]: row["deleted_at"] is not None for row in rows} == (
        {gone: True, kept: False} if shown else {kept: False}
    )


@pytest.mark.parametrize(("found", "status"), [(False, 404), (True, 200)])
async def test_get_by_id_may_find_what_is_deleted(sandbox: Sandbox, api: Caller, found: bool, status: int) -> None:
    """4.12 [I]."""
    sandbox.switches.set("deleted_by_id", found)
    assert (await api.delete("/products/10000101")).status == 204
    answer = await api.get("/products/10000101", {"extend": "supplier"})
    assert answer.status == status
    if found:
        assert answer.body["deleted_at"] is not None
        assert "supplier" in answer.body
    assert (await api.delete("/products/10000101")).status == 404
    assert (await api.get("/products/999999")).status == 404


@pytest.mark.parametrize(("word", "statuses"), [("body", [422, 404, 422]), ("record", [404, 404, 422])])
async def test_a_patch_checks_its_body_or_its_record_first(
    sandbox: Sandbox, api: Caller, word: str, statuses: list[int]
) -> None:
    """7.1."""
    sandbox.switches.set("patch_checks", word)
    tries = ((NOBODY, {"name": 1}), (NOBODY, {"name": "N"}), ("/customers/10000101", {"name": 1}))
    assert [(await api.patch(path, body)).status for path, body in tries] == statuses


@pytest.mark.parametrize("status", [422, 404])
async def test_a_reference_that_leads_nowhere_has_a_status(sandbox: Sandbox, api: Caller, status: int) -> None:
    """7.1 [I]."""
    sandbox.switches.set("missing_reference_status", status)
    answer = await api.post("/sales_orders", {"customer_id": 999999, "sales_order_rows": [LINE]})
    assert (answer.status, answer.error["message"]) == (status, "customer not found")


@pytest.mark.parametrize("status", [412, 422])
async def test_a_delete_that_other_records_forbid_has_a_status(
    sandbox: Sandbox, api: Caller, tenant: Tenant, status: int
) -> None:
    """1.3: orders with a return, linked manufacturing orders, purchase orders received but not billed."""
    sandbox.switches.set("guarded_delete_status", status)
    variant = await gadget(api, tenant)
    wanted = await sales_row(api, variant)
    made = (await api.post("/manufacturing_order_make_to_order", {"sales_order_row_id": wanted})).body
    billed = {bill["purchase_order_id"] for bill in tenant.all("purchase_order_accounting_metadata")}
    orders = [row for row in tenant.all("purchase_orders") if row["status"] == "RECEIVED" and row["id"] not in billed]
    returned = next(tenant.all("sales_returns"))["sales_order_id"]
    paths = (f"/sales_orders/{returned}", f"/manufacturing_orders/{made['id']}", f"/purchase_orders/{orders[0]['id']}")
    assert [(await api.delete(path)).status for path in paths] == [status] * 3


@pytest.mark.parametrize(("word", "cost"), [("zero", "0.0000000000"), ("null", None)])
async def test_the_cost_of_what_never_was_in_stock_is_zero_or_null(
    sandbox: Sandbox, api: Caller, tenant: Tenant, word: str, cost: object
) -> None:
    """4.12 [I]: what was in stock and is gone keeps a number."""
    sandbox.switches.set("unknown_cost", word)
    new = (await api.post("/materials", {"name": "New", "variants": [{"sku": "N"}]})).body["variants"][0]["id"]
    assert {row["average_cost"] for row in (await api.get("/inventory", {"variant_id": new})).rows} == {cost}
    for quantity in (3, 0):
        tenant.set_stock(PART, 10000101, quantity, 5)
        assert tenant.get("inventory", (PART, 10000101))["average_cost"] is not None


@pytest.mark.parametrize(("on", "count"), [(True, 3), (False, 1)])
async def test_inventory_may_leave_out_pairs_that_never_moved(
    sandbox: Sandbox, api: Caller, tenant: Tenant, on: bool, count: int
) -> None:
    """4.12 [I]."""
    sandbox.switches.set("inventory_zeros", on)
    new = (await api.post("/materials", {"name": "New", "variants": [{"sku": "N"}]})).body["variants"][0]["id"]
    tenant.set_stock(new, 10000102, 3, 5)
    answer = await api.get("/inventory", {"variant_id": new})
    assert (len(answer.rows), answer.page["total_records"]) == (count, str(count))
    assert "3.00000" in {row["quantity_in_stock"] for row in answer.rows}
