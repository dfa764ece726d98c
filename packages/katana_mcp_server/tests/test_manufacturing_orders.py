"""`list_manufacturing_orders` and `get_manufacturing_order` against plain Python over what the sandbox holds."""

import pytest
from server_wire import Filtered, Wire, amount, assert_filtered, live

from katana_mcp.surface.operations import filters
from katana_mcp.testing import Stage
from katana_sandbox import Tenant
from katana_sandbox.store.keys import FIRST_ID

TODAY = "2026-03-01T22:00:00.000Z"
MIDDLE = "2026-02-10T12:00:00.000Z"


PLAIN: list[Filtered] = [
    ({}, lambda _: True),
    ({"status": ["in progress", "BLOCKED"]}, lambda order: order["status"] in {"IN_PROGRESS", "BLOCKED"}),
    ({"open": True}, lambda order: order["status"] != "DONE"),
    ({"open": False}, lambda order: order["status"] == "DONE"),
    (
        {"overdue": True},
        lambda order: order["status"] != "DONE" and (order["production_deadline_date"] or TODAY) < TODAY,
    ),
    ({"ingredient_availability": "not available"}, lambda order: order["ingredient_availability"] == "NOT_AVAILABLE"),
    ({"make_to_order": True}, lambda order: order["is_linked_to_sales_order"]),
    ({"make_to_order": False}, lambda order: not order["is_linked_to_sales_order"]),
    ({"created_from": MIDDLE}, lambda order: order["created_at"] >= MIDDLE),
    ({"updated_to": MIDDLE}, lambda order: order["updated_at"] <= MIDDLE),
    ({"deadline_from": MIDDLE}, lambda order: (order["production_deadline_date"] or "") >= MIDDLE),
    ({"deadline_to": MIDDLE}, lambda order: (order["production_deadline_date"] or "9") <= MIDDLE),
    ({"done_from": MIDDLE}, lambda order: (order["done_date"] or "") >= MIDDLE),
    ({"done_to": MIDDLE}, lambda order: (order["done_date"] or "9") <= MIDDLE),
]


async def test_each_filter_keeps_exactly_the_orders_that_it_names(stage: Stage, tenant: Tenant) -> None:
    elsewhere = next(order for order in live(tenant, "manufacturing_orders") if not order.get("sales_order_id"))
    tenant.edit("manufacturing_orders", elsewhere["id"], location_id=FIRST_ID + 2)
    orders = live(tenant, "manufacturing_orders")
    made = next(order for order in orders if order.get("sales_order_id"))
    sold = tenant.get("sales_orders", made["sales_order_id"])["order_no"]
    sku = tenant.get("variants", made["variant_id"])["sku"]
    named: list[Filtered] = [
        ({"sales_order_id": sold}, lambda order: order.get("sales_order_id") == made["sales_order_id"]),
        ({"skus_or_variant_ids": [sku]}, lambda order: order["variant_id"] == made["variant_id"]),
        ({"location_id": "Main workshop"}, lambda order: order["location_id"] == made["location_id"]),
    ]
    await assert_filtered(stage, "manufacturing_orders", orders, PLAIN + named)


async def test_an_ingredient_of_too_many_orders_is_refused(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = live(tenant, "manufacturing_order_recipe_rows")
    part = max((record["variant_id"] for record in recipe), key=[record["variant_id"] for record in recipe].count)
    held = [record["manufacturing_order_id"] for record in recipe if record["variant_id"] == part]
    monkeypatch.setattr(filters, "MOST_INSIDE", len(held))
    answer = await stage.call("list_manufacturing_orders", limit=100, ingredient_skus_or_variant_ids=[part])
    assert answer["total"] == len(set(held)) > 1
    monkeypatch.setattr(filters, "MOST_INSIDE", len(held) - 1)
    refusal = await stage.refusal("list_manufacturing_orders", ingredient_skus_or_variant_ids=[part])
    assert refusal["error"] == "invalid_argument"
    assert refusal["warnings"][0]["field_path"] == "ingredient_skus_or_variant_ids"
    assert f"more than {len(held) - 1} manufacturing order recipe rows" in refusal["warnings"][0]["message"]


async def test_a_list_shows_each_orders_ingredients_where_asked(stage: Stage, tenant: Tenant) -> None:
    gone = live(tenant, "manufacturing_order_recipe_rows")[0]
    tenant.delete("manufacturing_order_recipe_rows", gone["id"])
    recipe = live(tenant, "manufacturing_order_recipe_rows")
    pages = [await stage.call("list_manufacturing_orders", limit=10, page=n, include_rows=True) for n in range(1, 6)]
    orders = [row for page in pages for row in page["rows"]]
    held: dict[int, list[tuple[int, str | None]]] = {
        manufacturing_order["id"]: [] for manufacturing_order in live(tenant, "manufacturing_orders")
    }
    for ingredient in recipe:
        held[ingredient["manufacturing_order_id"]].append(
            (ingredient["id"], tenant.get("variants", ingredient["variant_id"])["sku"])
        )
    shown = {
        order["manufacturing_order_id"]: [(row["recipe_row_id"], row.get("sku")) for row in order["recipe_rows"]]
        for order in orders
    }
    assert shown == held
    assert all(row["name"] for order in orders for row in order["recipe_rows"])
    assert "recipe_rows" not in (await stage.call("list_manufacturing_orders", limit=1))["rows"][0]


async def test_an_order_is_shown_with_all_that_belongs_to_it_and_nothing_else(stage: Stage, tenant: Tenant) -> None:
    produced = next(tenant.all("manufacturing_order_productions"))["manufacturing_order_id"]
    linked = next(
        manufacturing_order["id"]
        for manufacturing_order in live(tenant, "manufacturing_orders")
        if manufacturing_order.get("sales_order_id")
    )
    for order_id in (produced, linked):
        order = tenant.get("manufacturing_orders", order_id)
        shown = (await stage.call("get_manufacturing_order", manufacturing_order_id=order_id))["order"]

        def mine(collection: str, of: int = order_id) -> list[Wire]:
            return [record for record in live(tenant, collection) if record["manufacturing_order_id"] == of]

        recipe = mine("manufacturing_order_recipe_rows")
        assert recipe
        for row, sent in zip(shown["recipe_rows"], recipe, strict=True):
            assert row["recipe_row_id"] == sent["id"]
            assert row["sku"] == tenant.get("variants", sent["variant_id"])["sku"]
            assert row["name"]
            assert amount(row["planned_quantity_per_unit"]) == amount(sent["planned_quantity_per_unit"])
        steps = sorted(mine("manufacturing_order_operation_rows"), key=lambda step: -amount(step["rank"]))
        assert [operation["operation"] for operation in shown["operations"]] == [
            step["operation_name"] for step in steps
        ]
        assert [
            (production["production_id"], amount(production["quantity"])) for production in shown["productions"]
        ] == [
            (production["id"], amount(production["quantity"])) for production in mine("manufacturing_order_productions")
        ]
        assert shown.get("sales_order_row_id") == order.get("sales_order_row_id")
        sold = tenant.get("sales_orders", order["sales_order_id"]) if order.get("sales_order_id") else None
        buyer = tenant.get("customers", sold["customer_id"])["name"] if sold else None
        assert (shown.get("sales_order_no"), shown.get("customer")) == (sold and sold["order_no"], buyer)
        assert amount(shown["total_cost"]) == amount(order["total_cost"])
        assert shown["base_currency"] == "EUR"
        assert shown["sku"] == tenant.get("variants", order["variant_id"])["sku"]


@pytest.mark.cold
async def test_only_a_whole_order_asks_for_its_rows(stage: Stage) -> None:
    await stage.call("list_manufacturing_orders")
    asked = {entry.path.rpartition("/")[2] for entry in stage.own.sandbox.journal}
    reference = {"suppliers", "locations", "variants", "products", "materials", "services", "custom_field_definitions"}
    assert asked - reference == {"manufacturing_orders", "factory"}
    await stage.call("get_manufacturing_order", manufacturing_order_id="MO-1")
    asked = {entry.path.rpartition("/")[2] for entry in stage.own.sandbox.journal}
    rows = {f"manufacturing_order_{name}" for name in ("recipe_rows", "operation_rows", "productions")}
    assert asked - reference == {"manufacturing_orders", "factory", "sales_orders", "customers", *rows}


async def test_the_recipe_of_a_long_order_comes_in_pages(stage: Stage, tenant: Tenant) -> None:
    order = next(
        manufacturing_order
        for manufacturing_order in live(tenant, "manufacturing_orders")
        if manufacturing_order["status"] == "NOT_STARTED"
    )
    recipe = [
        row for row in live(tenant, "manufacturing_order_recipe_rows") if row["manufacturing_order_id"] == order["id"]
    ]
    for _ in range(60 - len(recipe)):
        body = {"manufacturing_order_id": order["id"], "variant_id": recipe[0]["variant_id"]}
        tenant.create("manufacturing_order_recipe_rows", body | {"planned_quantity_per_unit": 1})
    seen: list[int] = []
    for page, more in ((1, True), (2, False)):
        answer = await stage.call("get_manufacturing_order", manufacturing_order_id=order["id"], rows_page=page)
        assert answer["rows_have_more"] is more
        seen += [row["recipe_row_id"] for row in answer["order"]["recipe_rows"]]
    assert len(seen) == len(set(seen)) == 60


async def test_only_the_parts_asked_for_are_shown(stage: Stage, tenant: Tenant) -> None:
    order_id = next(tenant.all("manufacturing_order_productions"))["manufacturing_order_id"]
    whole = (await stage.call("get_manufacturing_order", manufacturing_order_id=order_id))["order"]
    parts = {"recipe": "recipe_rows", "operations": "operations", "productions": "productions"}
    for part, key in parts.items():
        answer = await stage.call("get_manufacturing_order", manufacturing_order_id=order_id, include=[part])
        assert answer["order"][key] == whole[key] != []
        assert {part for part in parts.values() if answer["order"].get(part)} == {key}


async def test_costs_batches_and_what_was_used_come_with_verbose(stage: Stage, tenant: Tenant) -> None:
    produced = next(
        production for production in tenant.all("manufacturing_order_productions") if production["ingredients"]
    )
    order_id = produced["manufacturing_order_id"]
    part = next(
        row for row in live(tenant, "manufacturing_order_recipe_rows") if row["manufacturing_order_id"] == order_id
    )
    tenant.edit("manufacturing_order_recipe_rows", part["id"], batch_transactions=[{"batch_id": 7, "quantity": 2}])
    plain = (await stage.call("get_manufacturing_order", manufacturing_order_id=order_id))["order"]
    order = (await stage.call("get_manufacturing_order", manufacturing_order_id=order_id, verbose=True))["order"]
    (made,) = [production for production in order["productions"] if production["production_id"] == produced["id"]]
    for used, sent in zip(made["ingredients"], produced["ingredients"], strict=True):
        assert used["recipe_row_id"] == sent["manufacturing_order_recipe_row_id"]
        assert used["sku"] == tenant.get("variants", sent["variant_id"])["sku"]
        assert used["name"] == next(row["name"] for row in order["recipe_rows"] if row["sku"] == used["sku"])
        assert (amount(used["quantity"]), amount(used["cost"])) == (amount(sent["quantity"]), amount(sent["cost"]))
    steps = live(tenant, "manufacturing_order_operation_rows")
    costs = {step["id"]: amount(step["cost_per_hour"]) for step in steps}
    assert [amount(operation["cost_per_hour"]) for operation in order["operations"]] == [
        costs[operation["operation_row_id"]] for operation in order["operations"]
    ]
    used = {row["recipe_row_id"]: row.get("batch_transactions") for row in order["recipe_rows"]}
    assert {row_id: batches for row_id, batches in used.items() if batches} == {
        part["id"]: [{"batch_id": 7, "quantity": 2}]
    }
    assert not any("batch_transactions" in row for row in plain["recipe_rows"])
    assert not any("ingredients" in production for production in plain["productions"])
    assert not any("cost_per_hour" in operation for operation in plain["operations"])


@pytest.mark.cold
async def test_the_recipe_alone_is_the_one_of_the_whole_order_and_reads_less(stage: Stage, tenant: Tenant) -> None:
    order = live(tenant, "manufacturing_orders")[3]
    answer = await stage.call("get_manufacturing_order_recipe", manufacturing_order_id=order["order_no"])
    asked = {entry.path.rpartition("/")[2] for entry in stage.own.sandbox.journal}
    assert "manufacturing_order_recipe_rows" in asked
    assert not asked & {"manufacturing_order_operation_rows", "manufacturing_order_productions"}
    whole = (await stage.call("get_manufacturing_order", manufacturing_order_id=order["id"]))["order"]
    assert answer["order"]["recipe_rows"] == whole["recipe_rows"] != []
    assert answer["order"]["manufacturing_order_id"] == order["id"]
    assert "operations" not in answer["order"]
