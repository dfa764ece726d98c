"""Purchase orders as Katana answers since October: receipts make groups, reverts merge rows (facts of October 7.1)."""

from typing import Any

import pytest

from katana_sandbox import Answer, Caller, Sandbox, Tenant

type Order = dict[str, Any]
MARCH, APRIL = "2026-03-10T00:00:00.000Z", "2026-04-10T00:00:00.000Z"


@pytest.fixture
def part(tenant: Tenant) -> int:
    """A material of which nothing is ordered, sold or in stock."""
    return tenant.create("materials", {"name": "Clamp", "variants": [{"sku": "CL"}]})["variants"][0]["id"]


@pytest.fixture
def glue(tenant: Tenant) -> int:
    """A material that is tracked by batches."""
    body = {"name": "Glue", "batch_tracked": True, "variants": [{"sku": "GLUE"}]}
    return tenant.create("materials", body)["variants"][0]["id"]


def bought(tenant: Tenant, *rows: dict[str, Any]) -> Order:
    supplier, location = next(tenant.all("suppliers"))["id"], next(tenant.all("locations"))["id"]
    full = [{"quantity": 10, "price_per_unit": 4, **row} for row in rows]
    header = {"supplier_id": supplier, "location_id": location, "currency": "EUR"}
    return tenant.create("purchase_orders", {**header, "purchase_order_rows": full})


async def receive(api: Caller, *entries: tuple[int, float], **more: object) -> Answer:
    rows = [{"purchase_order_row_id": key, "quantity": quantity, **more} for key, quantity in entries]
    return await api.post("/purchase_order_receive", rows)


async def revert(api: Caller, order: Order) -> Answer:
    return await api.patch(f"/purchase_orders/{order['id']}", {"status": "NOT_RECEIVED"})


def rows_of(tenant: Tenant, order: Order) -> list[dict[str, Any]]:
    return tenant.get("purchase_orders", order["id"])["purchase_order_rows"]


def in_stock(tenant: Tenant, order: Order, variant: int) -> float:
    return float(tenant.get("inventory", (variant, order["location_id"]))["quantity_in_stock"])


async def test_a_revert_merges_rows_alike_and_the_lowest_id_survives(api: Caller, tenant: Tenant, part: int) -> None:
    order = bought(tenant, {"variant_id": part}, {"variant_id": part, "quantity": 1})
    first, second = (row["id"] for row in order["purchase_order_rows"])
    await receive(api, (first, 4), (second, 1))
    await receive(api, (first, 6))
    assert (await revert(api, order)).status == 200
    left = rows_of(tenant, order)
    assert [(row["id"], row["quantity"], row["received_date"]) for row in left] == [(first, 11, None)]
    assert {row["group_id"] for row in left} == {order["default_group_id"]}
    assert in_stock(tenant, order, part) == 0
    assert tenant.get("purchase_orders", order["id"])["status"] == "NOT_RECEIVED"


@pytest.mark.parametrize("other", [{"price_per_unit": 5}, {"arrival_date": APRIL}])
async def test_a_revert_keeps_rows_apart_that_differ_in_more_than_quantity(
    api: Caller, tenant: Tenant, part: int, other: dict[str, Any]
) -> None:
    order = bought(tenant, {"variant_id": part}, {"variant_id": part, **other})
    ids = [row["id"] for row in order["purchase_order_rows"]]
    await receive(api, *((key, 10) for key in ids))
    await revert(api, order)
    assert [row["id"] for row in rows_of(tenant, order)] == ids


async def test_an_order_received_in_part_is_not_reverted(api: Caller, tenant: Tenant, part: int) -> None:
    order = bought(tenant, {"variant_id": part})
    await receive(api, (order["purchase_order_rows"][0]["id"], 4))
    refused = await revert(api, order)
    assert (refused.status, "PARTIALLY_RECEIVED" in refused.error["message"]) == (422, True)
    assert in_stock(tenant, order, part) == 4
    assert [row["quantity"] for row in rows_of(tenant, order)] == [6, 4]
    await receive(api, (order["purchase_order_rows"][0]["id"], 6))
    assert (await revert(api, order)).status == 200, "the way out: receive the rest first"


async def test_each_receipt_of_a_part_has_a_group_and_one_of_the_whole_keeps_the_orders(
    api: Caller, tenant: Tenant, part: int
) -> None:
    order = bought(tenant, {"variant_id": part}, {"variant_id": part, "price_per_unit": 5})
    one, two = (row["id"] for row in order["purchase_order_rows"])
    await receive(api, (one, 2), (two, 3), received_date=MARCH)
    groups = {row["received_date"]: row["group_id"] for row in rows_of(tenant, order)}
    assert groups[None] == order["default_group_id"] != groups[MARCH]
    await receive(api, (one, 8), (two, 7), received_date=APRIL)
    by_date = [(row["received_date"], row["group_id"]) for row in rows_of(tenant, order)]
    assert len(set(by_date)) == 2, "one group a call"
    assert order["default_group_id"] not in {group for _, group in by_date}
    whole = bought(tenant, {"variant_id": part}, {"variant_id": part, "price_per_unit": 5})
    await receive(api, *((row["id"], 10) for row in whole["purchase_order_rows"]))
    assert {row["group_id"] for row in rows_of(tenant, whole)} == {whole["default_group_id"]}


async def test_a_cost_lands_on_its_receipt_and_goes_back_to_the_order_with_a_revert(
    api: Caller, tenant: Tenant, part: int
) -> None:
    order = bought(tenant, {"variant_id": part}, {"variant_id": part, "price_per_unit": 5})
    one, two = (row["id"] for row in order["purchase_order_rows"])
    await receive(api, (one, 10))
    group = tenant.get("purchase_order_rows", one)["group_id"]
    kind, tax = next(tenant.all("additional_costs"))["id"], next(tenant.all("tax_rates"))["id"]
    body: dict[str, Any] = {
        "additional_cost_id": kind,
        "group_id": group,
        "tax_rate_id": tax,
        "price": 20,
        "reference": "INV-7",
    }
    cost = (await api.post("/po_additional_cost_rows", body)).body
    assert cost["reference"] == "INV-7"
    assert [tenant.get("purchase_order_rows", key)["landed_cost"] for key in (one, two)] == [60, 50]
    listed = await api.get("/po_additional_cost_rows", {"group_id": f"{group}.0"})
    assert listed.ids == [cost["id"]], "an id with a decimal point is the id"
    assert (await api.get("/po_additional_cost_rows", {"group_id": f"{group}.5"})).status == 400
    await receive(api, (two, 10))
    await revert(api, order)
    assert tenant.get("po_additional_cost_rows", cost["id"])["group_id"] == order["default_group_id"]
    cleared = await api.patch(f"/po_additional_cost_rows/{cost['id']}", {"reference": None})
    assert cleared.body["reference"] is None


async def test_a_received_order_takes_no_new_rows(api: Caller, tenant: Tenant, part: int) -> None:
    order = bought(tenant, {"variant_id": part})
    await receive(api, (order["purchase_order_rows"][0]["id"], 10))
    added = {"purchase_order_id": order["id"], "variant_id": part, "quantity": 1, "price_per_unit": 1}
    refused = await api.post("/purchase_order_rows", added)
    assert (refused.status, "RECEIVED" in refused.error["message"]) == (422, True)
    assert len(rows_of(tenant, order)) == 1


@pytest.mark.parametrize("word", ["allow", "refuse"])
async def test_goods_with_batches_are_received_without_one(
    sandbox: Sandbox, api: Caller, tenant: Tenant, glue: int, word: str
) -> None:
    status = 204 if word == "allow" else 422
    sandbox.switches.set("untraced_receipt", word)
    order = bought(tenant, {"variant_id": glue})
    key = order["purchase_order_rows"][0]["id"]
    assert (await receive(api, (key, 10))).status == status
    shown = [{"batch_id": None, "quantity": 10}] if status == 204 else []
    assert tenant.get("purchase_order_rows", key)["batch_transactions"] == shown
    assert in_stock(tenant, order, glue) == (10 if status == 204 else 0)


async def test_the_group_of_rows_is_no_filter(api: Caller, tenant: Tenant) -> None:
    assert len((await api.get("/purchase_order_rows", {"group_id": "x", "limit": 2})).rows) == 2
