"""`list_purchase_orders` and `get_purchase_order` against plain Python over what the sandbox holds."""

import pytest
from server_wire import Filtered, Wire, amount, assert_filtered, live

from katana_mcp.testing import Stage
from katana_sandbox import Tenant

TODAY = "2026-03-01T22:00:00.000Z"
MIDDLE = "2026-02-01T12:00:00.000Z"


def _received(order: Wire) -> list[str]:
    return [row["received_date"] for row in order["purchase_order_rows"] if row["received_date"]]


PLAIN: list[Filtered] = [
    ({}, lambda _: True),
    ({"status": ["partially received", "DRAFT"]}, lambda order: order["status"] in {"PARTIALLY_RECEIVED", "DRAFT"}),
    ({"open": True}, lambda order: order["status"] != "RECEIVED"),
    ({"open": False}, lambda order: order["status"] == "RECEIVED"),
    (
        {"overdue": True},
        lambda order: order["status"] not in {"RECEIVED", "DRAFT"} and order["expected_arrival_date"] < TODAY,
    ),
    ({"billing_status": "billed"}, lambda order: order["billing_status"] == "BILLED"),
    ({"entity_type": "Regular"}, lambda order: order["entity_type"] == "regular"),
    ({"currency": "sek"}, lambda order: order["currency"] == "SEK"),
    ({"created_from": MIDDLE}, lambda order: order["created_at"] >= MIDDLE),
    ({"updated_to": MIDDLE}, lambda order: order["updated_at"] <= MIDDLE),
    ({"arrival_from": MIDDLE}, lambda order: (order["expected_arrival_date"] or "") >= MIDDLE),
    ({"arrival_to": MIDDLE}, lambda order: (order["expected_arrival_date"] or "9") <= MIDDLE),
    ({"total_min": 2855.593}, lambda order: amount(order["total"]) >= amount("2855.593")),
    ({"total_max": 2855.593}, lambda order: amount(order["total"]) <= amount("2855.593")),
    ({"received_from": MIDDLE}, lambda order: max(_received(order), default="") >= MIDDLE),
    ({"received_to": MIDDLE}, lambda order: min(_received(order), default="9") <= MIDDLE),
]


async def test_each_filter_keeps_exactly_the_orders_that_it_names(stage: Stage, tenant: Tenant) -> None:
    for status in ("NOT_RECEIVED", "DRAFT"):
        order = next(
            purchase_order for purchase_order in live(tenant, "purchase_orders") if purchase_order["status"] == status
        )
        tenant.edit("purchase_orders", order["id"], expected_arrival_date="2026-01-05T00:00:00.000Z")
    tenant.edit("purchase_orders", live(tenant, "purchase_orders")[-1]["id"], entity_type="outsourced")
    orders = live(tenant, "purchase_orders")
    await assert_filtered(stage, "purchase_orders", orders, PLAIN)
    overdue = await stage.call("list_purchase_orders", overdue=True)
    assert all(row["overdue"] for row in overdue["rows"])


async def test_suppliers_locations_and_items_can_be_named_or_given_by_id(stage: Stage, tenant: Tenant) -> None:
    orders = live(tenant, "purchase_orders")
    order = orders[-1]
    supplier = tenant.get("suppliers", order["supplier_id"])["name"]
    place = tenant.get("locations", order["location_id"])["name"]
    variant = order["purchase_order_rows"][0]["variant_id"]
    asked: list[Filtered] = [
        ({"supplier_id": order["supplier_id"]}, lambda record: record["supplier_id"] == order["supplier_id"]),
        ({"supplier_id": supplier}, lambda record: record["supplier_id"] == order["supplier_id"]),
        ({"location_id": place}, lambda record: record["location_id"] == order["location_id"]),
        (
            {"skus_or_variant_ids": [variant]},
            lambda record: variant in [row["variant_id"] for row in record["purchase_order_rows"]],
        ),
    ]
    await assert_filtered(stage, "purchase_orders", orders, asked)
    refusal = await stage.refusal("list_purchase_orders", supplier_id=f"{supplier}x")
    assert refusal["error"] == "not_found"


async def test_an_order_is_shown_with_its_rows_costs_and_names(stage: Stage, tenant: Tenant) -> None:
    costs = live(tenant, "po_additional_cost_rows")
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["default_group_id"] in [cost["group_id"] for cost in costs]
    )
    mine = [cost for cost in costs if cost["group_id"] == order["default_group_id"]]
    elsewhere, rate = live(tenant, "locations")[-1], live(tenant, "tax_rates")[-1]
    assert elsewhere["id"] != order["location_id"]
    for row in order["purchase_order_rows"]:
        tenant.edit("purchase_order_rows", row["id"], location_id=elsewhere["id"], tax_rate_id=rate["id"])
    order = tenant.get("purchase_orders", order["id"])
    for asked in (order["id"], order["order_no"].lower()):
        shown = (await stage.call("get_purchase_order", purchase_order_id=asked))["order"]
        assert shown["purchase_order_id"] == order["id"]
    assert shown["supplier"] == tenant.get("suppliers", order["supplier_id"])["name"]
    assert shown["location"] == tenant.get("locations", order["location_id"])["name"]
    assert (amount(shown["total"]), shown["currency"]) == (amount(order["total"]), order["currency"])
    assert shown["base_currency"] == "EUR"
    assert [
        (additional_cost["additional_cost_row_id"], amount(additional_cost["price"]), additional_cost["currency"])
        for additional_cost in shown["additional_costs"]
    ] == [(record["id"], amount(record["price"]), record["currency"]) for record in mine]
    for row, sent in zip(shown["rows"], order["purchase_order_rows"], strict=True):
        assert row["purchase_order_row_id"] == sent["id"]
        assert row["sku"] == tenant.get("variants", sent["variant_id"])["sku"]
        assert row["name"]
        assert (row["location"], amount(row["tax_rate"])) == (elsewhere["name"], amount(rate["rate"]))
        assert amount(row["quantity"]) == amount(sent["quantity"])
        assert amount(row["price_per_unit"]) == amount(sent["price_per_unit"])
        assert row.get("received_date") == sent["received_date"]
        assert (row["purchase_uom"], row["currency"]) == (sent["purchase_uom"], sent["currency"])
    (listed,) = (await stage.call("list_purchase_orders", ids=[order["id"]], include_rows=True))["rows"]
    assert [[row[name] for name in row] for row in listed["rows"]] == [
        [whole[name] for name in brief] for brief, whole in zip(listed["rows"], shown["rows"], strict=True)
    ]


async def test_costs_of_the_group_of_a_row_are_shown_with_those_of_the_order(stage: Stage, tenant: Tenant) -> None:
    mine, of_row, other = live(tenant, "po_additional_cost_rows")[:3]
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["default_group_id"] == mine["group_id"]
    )
    tenant.edit("purchase_order_rows", order["purchase_order_rows"][-1]["id"], group_id=990_001)
    tenant.edit("po_additional_cost_rows", of_row["id"], group_id=990_001)
    tenant.edit("po_additional_cost_rows", other["id"], group_id=990_002)
    shown = (await stage.call("get_purchase_order", purchase_order_id=order["id"]))["order"]
    ids = {cost["additional_cost_row_id"] for cost in shown["additional_costs"]}
    assert {mine["id"], of_row["id"]} <= ids
    assert other["id"] not in ids


async def test_an_outsourced_order_is_shown_with_its_ingredients_and_any_order_with_its_bills(
    stage: Stage, tenant: Tenant, outsourced: Wire
) -> None:
    (row,) = outsourced["purchase_order_rows"]
    for outsourced_purchase_order_recipe_row in live(tenant, "outsourced_purchase_order_recipe_rows"):
        tenant.edit(
            "outsourced_purchase_order_recipe_rows",
            outsourced_purchase_order_recipe_row["id"],
            notes="cut first",
            cost=3.5,
        )
    first, second = live(tenant, "purchase_order_accounting_metadata")[:2]
    tenant.edit("purchase_order_accounting_metadata", first["id"], purchase_order_id=outsourced["id"])
    shown = (await stage.call("get_purchase_order", purchase_order_id=outsourced["id"]))["order"]
    sent = live(tenant, "outsourced_purchase_order_recipe_rows")
    assert shown["entity_type"] == "outsourced"
    assert (
        [ingredient["recipe_row_id"] for ingredient in shown["ingredients"]] == [record["id"] for record in sent] != []
    )
    for line, ingredient in zip(shown["ingredients"], sent, strict=True):
        variant = ingredient["ingredient_variant_id"]
        assert (line["purchase_order_row_id"], line["variant_id"]) == (row["id"], variant)
        assert line.get("sku") == tenant.get("variants", variant)["sku"]
        assert line["name"]
        assert amount(line["planned_quantity_per_unit"]) == amount(ingredient["planned_quantity_per_unit"])
        assert line["ingredient_availability"] == ingredient["ingredient_availability"]
        assert (line["notes"], amount(line["cost"])) == ("cut first", amount("3.5"))
    assert [(bill["bill_id"], bill["integration_type"]) for bill in shown["bills"]] == [(first["bill_id"], "custom")]
    bought = (await stage.call("get_purchase_order", purchase_order_id=second["purchase_order_id"]))["order"]
    assert [(bill["bill_id"], bill["created_at"]) for bill in bought["bills"]] == [
        (second["bill_id"], second["created_at"])
    ]
    assert bought["ingredients"] == []


async def test_an_order_without_costs_and_an_unknown_one_are_told_as_such(stage: Stage, tenant: Tenant) -> None:
    costly = {row["group_id"] for row in live(tenant, "po_additional_cost_rows")}
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["default_group_id"] not in costly
    )
    shown = (await stage.call("get_purchase_order", purchase_order_id=order["id"]))["order"]
    assert shown["additional_costs"] == []
    (gone,) = [purchase_order for purchase_order in tenant.all("purchase_orders") if purchase_order["deleted_at"]]
    answer = await stage.call("get_purchase_order", purchase_order_id=gone["id"])
    assert [warning["code"] for warning in answer["warnings"]] == ["deleted_item"]
    refusal = await stage.refusal("get_purchase_order", purchase_order_id="PO-99999")
    assert refusal["warnings"][0]["message"].startswith("no purchase order has the order number 'PO-99999'")


@pytest.mark.cold
async def test_a_list_asks_for_no_costs_and_nothing_that_belongs_to_sales(stage: Stage) -> None:
    await stage.call("list_purchase_orders", include_rows=True)
    asked = {entry.path.rpartition("/")[2] for entry in stage.own.sandbox.journal}
    named = {"suppliers", "locations", "variants", "products", "materials", "services"}
    assert asked == {"purchase_orders", "factory", *named}


@pytest.mark.cold
async def test_a_long_list_is_named_by_as_many_requests_as_a_short_one(stage: Stage, tenant: Tenant) -> None:
    await stage.call("list_purchase_orders", limit=1, include_rows=True)
    start = stage.requests()
    answer = await stage.call("list_purchase_orders", limit=100)
    assert len(answer["rows"]) == len(live(tenant, "purchase_orders"))
    assert all(row["supplier"] and row["location"] for row in answer["rows"])
    assert stage.requests() == start
