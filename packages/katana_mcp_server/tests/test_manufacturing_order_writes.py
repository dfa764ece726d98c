"""Manufacturing orders written through a server: what their status locks, what comes back, what is read at once."""

from typing import Any

import pytest

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_sandbox import Drop, Fault, ManualClock, Tenant

ORDER, RECIPE, OPERATION = (
    "manufacturing_orders",
    "manufacturing_order_recipe_rows",
    "manufacturing_order_operation_rows",
)
PRODUCTION = "manufacturing_order_productions"


def live(tenant: Tenant, collection: str) -> list[dict[str, Any]]:
    """Return the live records, oldest first."""
    return [record for record in tenant.all(collection) if not record.get("deleted_at")]


def rows_of(tenant: Tenant, collection: str, order: int) -> list[dict[str, Any]]:
    """Return the live rows of an order."""
    return [row for row in live(tenant, collection) if row["manufacturing_order_id"] == order]


def new_order(tenant: Tenant, number: str = "MO-9001", quantity: float = 4) -> dict[str, Any]:
    """Return a new order of a product with a recipe and operations."""
    worked = {row["product_variant_id"] for row in live(tenant, "product_operation_rows")}
    made = next(row["product_variant_id"] for row in live(tenant, "bom_rows") if row["product_variant_id"] in worked)
    home = next(place["id"] for place in live(tenant, "locations") if place["manufacturing_allowed"])
    body = {"variant_id": made, "planned_quantity": quantity, "location_id": home, "order_no": number}
    return tenant.create(ORDER, body)


async def applied(stage: Stage, clock: ManualClock, preview: Payload) -> Payload:
    """Return the outcome of a plan."""
    assert "plan_token" in preview, preview["warnings"]
    asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
    (outcome,) = payload_of(await within(clock, 300, asked))["outcomes"]
    return outcome


async def planned(stage: Stage, tool: str, order: dict[str, Any], **arguments: object) -> Payload:
    """Return the preview of a call about an order."""
    return payload_of(await stage.result(tool, {"manufacturing_order_id": order["id"], **arguments}))


def codes(preview: Payload, severity: str = "blocking") -> set[str]:
    """Return the codes of warnings of a severity."""
    return {warning["code"] for warning in preview["warnings"] if warning["severity"] == severity}


async def test_a_new_order_is_read_at_once_with_the_rows_that_katana_copied_into_it(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    like = new_order(tenant)
    await stage.call("get_manufacturing_order", manufacturing_order_id=like["id"])
    asked = {"sku_or_variant_id": like["variant_id"], "planned_quantity": 3, "location_id": like["location_id"]}
    outcome = await applied(stage, clock, await stage.call("create_manufacturing_order", **asked))
    shown = (await stage.call("get_manufacturing_order", manufacturing_order_id=outcome["id"]))["order"]
    assert [row["recipe_row_id"] for row in shown["recipe_rows"]] == [
        row["id"] for row in rows_of(tenant, RECIPE, outcome["id"])
    ]
    assert shown["recipe_rows"]
    assert len(shown["operations"]) == len(rows_of(tenant, OPERATION, outcome["id"]))


async def test_more_of_an_order_shows_at_once_what_its_ingredients_then_need(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    await stage.call("get_manufacturing_order", manufacturing_order_id=order["id"])
    await applied(stage, clock, await planned(stage, "modify_manufacturing_order", order, planned_quantity=8))
    shown = (await stage.call("get_manufacturing_order", manufacturing_order_id=order["id"]))["order"]
    left = [row["total_remaining_quantity"] for row in shown["recipe_rows"]]
    assert left == [row["total_remaining_quantity"] for row in rows_of(tenant, RECIPE, order["id"])]


async def test_what_is_done_changes_only_its_notes_and_dates_until_it_is_reopened(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    tenant.create(PRODUCTION, {"manufacturing_order_id": order["id"], "completed_quantity": 4, "is_final": True})
    row = rows_of(tenant, RECIPE, order["id"])[0]["id"]
    changed = [{"recipe_row_id": row, "planned_quantity_per_unit": 2}]
    tool = "modify_manufacturing_order"
    for asked in ({"planned_quantity": 5}, {"update_recipe_rows": changed}, {"order_no": "MO-9"}):
        assert codes(await planned(stage, tool, order, **asked)) == {"locked"}, asked
    assert codes(await planned(stage, "delete_manufacturing_order", order)) == {"locked"}
    dated = await planned(stage, tool, order, done_date="2026-02-03T08:00:00Z", additional_info="late")
    outcome = await applied(stage, clock, dated)
    assert [action["state"] for action in outcome["actions"]] == ["applied"]
    assert tenant.get(ORDER, order["id"])["done_date"] == "2026-02-03T08:00:00.000Z"
    clock.advance(61)
    assert codes(await planned(stage, tool, order, status="IN_PROGRESS")) == {"reopen_required"}
    both = await planned(stage, tool, order, status="IN_PROGRESS", reopen=True, update_recipe_rows=changed)
    assert "status_moves_back" in codes(both, "advisory")
    assert [request["path"].split("/")[1] for request in both["requests"]] == [ORDER, RECIPE]
    await applied(stage, clock, both)
    assert rows_of(tenant, PRODUCTION, order["id"]) == []
    shown = (await stage.call("get_manufacturing_order", manufacturing_order_id=order["id"]))["order"]
    assert (shown["status"], shown.get("productions", [])) == ("IN_PROGRESS", [])


async def test_reopening_says_what_becomes_of_the_stock_and_that_nothing_takes_it_back(
    stage: Stage, tenant: Tenant
) -> None:
    order = new_order(tenant)
    made = {"manufacturing_order_id": order["id"], "completed_quantity": 4, "is_final": True}
    used = tenant.create(PRODUCTION, made)["ingredients"]
    asked = {"status": "IN_PROGRESS", "reopen": True}
    preview = await planned(stage, "modify_manufacturing_order", order, **asked)
    sku = tenant.get("variants", order["variant_id"])["sku"]
    assert len(preview["stock"]) == 1 + len(used)
    before, after = preview["stock"][0].removeprefix(sku).split(": ")[1].split(" → ")
    assert float(before) - float(after) == 4
    assert "no_way_back" in codes(preview, "advisory")


async def test_nothing_is_ordered_that_is_not_made_and_nothing_where_nothing_is_made(
    stage: Stage, tenant: Tenant
) -> None:
    order = new_order(tenant)
    bought = next(variant["id"] for variant in live(tenant, "variants") if variant.get("material_id"))
    idle = next(place for place in live(tenant, "locations") if place["id"] != order["location_id"])
    tenant.edit("locations", idle["id"], True, manufacturing_allowed=False)
    new = {"sku_or_variant_id": order["variant_id"], "planned_quantity": 1, "location_id": order["location_id"]}
    for other in ({"sku_or_variant_id": bought}, {"location_id": idle["id"]}):
        preview = payload_of(await stage.result("create_manufacturing_order", {**new, **other}))
        assert codes(preview) == {"not_producible"}, other
    assert codes(await planned(stage, "modify_manufacturing_order", order, location_id=idle["id"])) == {
        "not_producible"
    }


async def test_less_than_was_made_is_not_planned_and_what_was_made_goes_with_its_order(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    tenant.create(PRODUCTION, {"manufacturing_order_id": order["id"], "completed_quantity": 3})
    assert codes(await planned(stage, "modify_manufacturing_order", order, planned_quantity=2)) == {"invalid_quantity"}
    assert codes(await planned(stage, "modify_manufacturing_order", order, status="BLOCKED")) == {
        "invalid_status_transition"
    }
    preview = await planned(stage, "delete_manufacturing_order", order)
    assert codes(preview, "advisory") >= {"stock_was_moved", "no_way_back"}
    assert " → " in preview["stock"][0]
    await applied(stage, clock, preview)
    assert order["id"] not in {record["id"] for record in live(tenant, ORDER)}


async def test_an_order_for_a_sales_order_names_it_and_says_that_katana_may_keep_it(
    stage: Stage, tenant: Tenant
) -> None:
    order = next(
        record for record in live(tenant, ORDER) if record.get("sales_order_id") and record["status"] != "DONE"
    )
    sold = tenant.get("sales_orders", order["sales_order_id"])["order_no"]
    preview = await planned(stage, "delete_manufacturing_order", order)
    assert preview["linked"] == [f"sales order {sold}"]
    assert "locked" in codes(preview, "advisory")


@pytest.mark.parametrize("argument", ["add_recipe_rows", "add_operation_rows"])
async def test_a_row_whose_answer_is_lost_is_found_among_those_that_were_not_there(
    stage: Stage, clock: ManualClock, tenant: Tenant, argument: str
) -> None:
    order = new_order(tenant)
    there = rows_of(tenant, RECIPE, order["id"])[0]
    again = {"sku_or_variant_id": there["variant_id"], "planned_quantity_per_unit": 2.5}
    entry = again if argument == "add_recipe_rows" else {"operation_name": "Polish", "planned_time_parameter": 30}
    preview = await planned(stage, "modify_manufacturing_order", order, **{argument: [entry]})
    collection = RECIPE if argument == "add_recipe_rows" else OPERATION
    count = len(rows_of(tenant, collection, order["id"]))
    stage.own.sandbox.faults.add(Fault(f"POST /{collection}", action=Drop("after")))
    outcome = await applied(stage, clock, preview)
    assert [action["state"] for action in outcome["actions"]] == ["applied"]
    assert len(rows_of(tenant, collection, order["id"])) == count + 1
    back = payload_of(await stage.result(outcome["revert"]["tool"], outcome["revert"]["arguments"]))
    await applied(stage, clock, back)
    assert len(rows_of(tenant, collection, order["id"])) == count
