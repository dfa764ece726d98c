"""Manufacturing orders completed through a server: what is used and lacks is shown, sent once, found, taken back."""

import asyncio
import re
from typing import Any

import pytest
from journal_plans import hasty
from test_manufacturing_order_writes import ORDER, PRODUCTION, RECIPE, applied, codes, new_order, planned, rows_of

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_sandbox import Drop, Fault, ManualClock, Tenant

TOOL = "complete_manufacturing_order"
DATE = "2026-02-20T08:00:00.000Z"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _made(tenant: Tenant, order: dict[str, Any]) -> list[tuple[float, str]]:
    return [(row["quantity"], row["production_date"]) for row in rows_of(tenant, PRODUCTION, order["id"])]


def _in_stock(tenant: Tenant, variant: int, place: int) -> float:
    return float(tenant.db.levels.get(variant, place).in_stock)


async def _back(stage: Stage, clock: ManualClock, outcome: Payload) -> Payload:
    return await applied(
        stage, clock, payload_of(await stage.result(outcome["revert"]["tool"], outcome["revert"]["arguments"]))
    )


async def test_all_that_remains_is_made_by_the_recipe_and_the_preview_says_what_moves_and_what_lacks(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    recipe = rows_of(tenant, RECIPE, order["id"])
    place, scarce = order["location_id"], recipe[0]["variant_id"]
    lack = _in_stock(tenant, scarce, place) + 1
    tenant.edit(RECIPE, recipe[0]["id"], planned_quantity_per_unit=lack)
    before = {
        key: _in_stock(tenant, key, place) for key in (order["variant_id"], *(row["variant_id"] for row in recipe))
    }
    preview = await planned(stage, TOOL, order, completed_date=DATE)
    assert "4 " in preview["message"]
    assert (preview["status"], preview["remaining_quantity"]) == ("DONE", 0)
    uses = {line["row_id"]: line["quantity"] for line in preview["lines"]}
    rows = rows_of(tenant, RECIPE, order["id"])
    assert uses == {row["id"]: float(row["planned_quantity_per_unit"]) * 4 for row in rows}
    assert "insufficient_stock" in codes(preview, "advisory")
    await applied(stage, clock, preview)
    moved = {key: _in_stock(tenant, key, place) - value for key, value in before.items()}
    amounts = {text.split(" at ")[0]: text.rsplit(": ", 1)[1].split(" → ") for text in preview["stock"]}
    for key, change in moved.items():
        old, new = amounts[tenant.get("variants", key)["sku"]]
        assert float(new) - float(old) == pytest.approx(change)
    done = tenant.get(ORDER, order["id"])
    assert (done["status"], done["done_date"], _made(tenant, order)) == ("DONE", DATE, [(4, DATE)])
    shown = (await stage.call("get_manufacturing_order", manufacturing_order_id=order["id"]))["order"]
    assert (shown["status"], len(shown["productions"])) == ("DONE", 1)
    assert {row["total_remaining_quantity"] for row in shown["recipe_rows"]} == {0}


async def test_a_part_is_made_with_what_it_really_took_and_deleted_again(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    first, *others = rows_of(tenant, RECIPE, order["id"])
    step = rows_of(tenant, "manufacturing_order_operation_rows", order["id"])[0]["id"]
    preview = await planned(
        stage,
        TOOL,
        order,
        quantity=1.5,
        ingredients=[{"recipe_row_id": first["id"], "quantity": 7}, {"recipe_row_id": others[0]["id"], "quantity": 0}],
        operations=[{"operation_row_id": step, "seconds": 90}],
    )
    assert (preview["status"], preview["remaining_quantity"]) == ("PARTIALLY_COMPLETED", 2.5)
    outcome = await applied(stage, clock, preview)
    (production,) = rows_of(tenant, PRODUCTION, order["id"])
    taken = {
        ingredient["manufacturing_order_recipe_row_id"]: ingredient["quantity"]
        for ingredient in production["ingredients"]
    }
    plan = {row["id"]: pytest.approx(float(row["planned_quantity_per_unit"]) * 1.5) for row in others[1:]}
    assert taken == {first["id"]: 7, **plan}
    times = {operation["manufacturing_order_operation_id"]: operation["time"] for operation in production["operations"]}
    assert times[step] == 90
    clock.advance(61)
    gone = await _back(stage, clock, outcome)
    assert _made(tenant, order) == []
    clock.advance(61)
    await _back(stage, clock, gone)
    (again,) = rows_of(tenant, PRODUCTION, order["id"])
    for name in ("manufacturing_order_recipe_row_id", "quantity"):
        assert [ingredient[name] for ingredient in again["ingredients"]] == [
            ingredient[name] for ingredient in production["ingredients"]
        ]
    assert (again["quantity"], again["production_date"]) == (production["quantity"], production["production_date"])


async def test_the_last_production_ends_the_order_and_reopening_undoes_it_where_it_is_the_only_one(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    outcome = await applied(stage, clock, await planned(stage, TOOL, order, quantity=3, is_final=True))
    assert tenant.get(ORDER, order["id"])["status"] == "DONE"
    assert codes(await planned(stage, TOOL, order)) == {"already_completed"}
    clock.advance(61)
    await _back(stage, clock, outcome)
    assert (tenant.get(ORDER, order["id"])["status"], _made(tenant, order)) == ("IN_PROGRESS", [])
    clock.advance(61)
    tenant.create(PRODUCTION, {"manufacturing_order_id": order["id"], "completed_quantity": 1})
    preview = await planned(stage, TOOL, order)
    assert "earlier productions" in str(preview["warnings"])
    assert "revert" not in await applied(stage, clock, preview)


async def test_a_production_gets_another_date_until_its_order_is_done(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    made = tenant.create(
        PRODUCTION, {"manufacturing_order_id": order["id"], "completed_quantity": 1, "completed_date": DATE}
    )
    asked = {"production_id": made["id"], "completed_date": "2026-02-21T08:00:00Z"}
    outcome = await applied(stage, clock, await planned(stage, TOOL, order, **asked))
    assert _made(tenant, order) == [(1, "2026-02-21T08:00:00.000Z")]
    clock.advance(61)
    await _back(stage, clock, outcome)
    assert _made(tenant, order) == [(1, DATE)]
    assert codes(await planned(stage, TOOL, order, production_id=7, completed_date=DATE)) == {"unknown_row_id"}
    clock.advance(61)
    assert codes(await planned(stage, TOOL, order, production_id=made["id"], completed_date=DATE)) == {
        "no_effective_change"
    }
    tenant.create(PRODUCTION, {"manufacturing_order_id": order["id"], "completed_quantity": 3, "is_final": True})
    assert codes(await planned(stage, TOOL, order, delete_production_id=made["id"])) == {"locked"}


async def test_a_production_whose_answer_is_lost_is_found_by_quantity_and_date_among_those_that_were_not_there(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    tenant.create(PRODUCTION, {"manufacturing_order_id": order["id"], "completed_quantity": 1, "completed_date": DATE})
    used = [{"recipe_row_id": rows_of(tenant, RECIPE, order["id"])[0]["id"], "quantity": 3}]
    preview = await planned(stage, TOOL, order, quantity=1, completed_date=DATE, ingredients=used)
    stage.own.sandbox.faults.add(Fault(f"POST /{PRODUCTION}", action=Drop("after")))
    outcome = await applied(stage, clock, preview)
    assert [action["state"] for action in outcome["actions"]] == ["applied"]
    assert _made(tenant, order) == [(1, DATE), (1, DATE)]
    clock.advance(61)
    await _back(stage, clock, outcome)
    assert len(_made(tenant, order)) == 1


async def test_what_does_not_fit_is_refused_and_what_is_unusual_is_said(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    row = rows_of(tenant, RECIPE, order["id"])[0]["id"]
    twice = [{"recipe_row_id": row, "quantity": 1}] * 2
    batches = [{"recipe_row_id": row, "quantity": 1, "batches": [{"batch_id": 1, "quantity": 2}]}]
    for asked, code in (
        ({"ingredients": twice}, "duplicate_row_overrides"),
        ({"ingredients": [{"recipe_row_id": 7, "quantity": 1}]}, "unknown_row_id"),
        ({"operations": [{"operation_row_id": 7, "seconds": 1}]}, "unknown_row_id"),
        ({"ingredients": batches}, "batch_sum_mismatch"),
        ({"quantity": 2, "serial_number_ids": [1]}, "serial_count_mismatch"),
        ({"quantity": 1.5, "serial_number_ids": [1]}, "serial_qty_not_integer"),
    ):
        clock.advance(61)
        assert codes(await planned(stage, TOOL, order, **asked)) == {code}, asked
    clock.advance(61)
    over = await planned(stage, TOOL, order, quantity=9)
    assert "over_production" in codes(over, "advisory")
    assert re.search(r"quantity: 9 of manufacturing order [^,]+, whose remaining quantity is \d", str(over["warnings"]))
    tenant.edit("locations", order["location_id"], True, manufacturing_allowed=False)
    clock.advance(2_000)
    assert codes(await planned(stage, TOOL, order)) == {"not_producible"}


async def test_goods_that_are_tracked_by_batch_are_said_to_come_and_go_in_none_unless_one_is_named(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    product = tenant.get("variants", order["variant_id"])["product_id"]
    row = rows_of(tenant, RECIPE, order["id"])[0]
    variant = tenant.get("variants", row["variant_id"])
    kind = "materials" if variant.get("material_id") else "products"
    tenant.edit("products", product, True, batch_tracked=True)
    tenant.edit(kind, variant.get("material_id") or variant["product_id"], True, batch_tracked=True)
    assert {"untraced_receipt", "untraced_shipment"} <= codes(await planned(stage, TOOL, order), "advisory")
    into = tenant.create("batches", {"batch_number": "B-1", "variant_id": order["variant_id"]})["id"]
    out = tenant.create("batches", {"batch_number": "B-2", "variant_id": row["variant_id"]})["id"]
    used = [{"recipe_row_id": row["id"], "quantity": 1, "batches": [{"batch_id": out, "quantity": 1}]}]
    clock.advance(61)
    preview = await planned(stage, TOOL, order, quantity=1, batch_id=into, ingredients=used)
    assert not {"untraced_receipt", "untraced_shipment"} & codes(preview, "advisory")
    await applied(stage, clock, preview)
    (production,) = rows_of(tenant, PRODUCTION, order["id"])
    assert [entry["batch_id"] for entry in production["traceability"]] == [into]


async def test_the_batch_that_all_go_into_is_one_of_the_product(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = new_order(tenant)
    variant, other = order["variant_id"], rows_of(tenant, RECIPE, order["id"])[0]["variant_id"]
    mine, foreign = (
        tenant.create("batches", {"batch_number": f"B-{nr}", "variant_id": key})["id"]
        for nr, key in enumerate((variant, other))
    )
    refused = await planned(stage, TOOL, order, quantity=1, batch_id=mine)
    assert codes(refused) == {"invalid_argument"}
    assert "is not kept in batches" in str(refused["warnings"])
    tenant.edit("products", tenant.get("variants", variant)["product_id"], True, batch_tracked=True)
    kind = "materials" if (item := tenant.get("variants", other)).get("material_id") else "products"
    tenant.edit(kind, item.get("material_id") or item["product_id"], True, batch_tracked=True)
    clock.advance(2_000)
    unlisted = await planned(stage, TOOL, order, quantity=1, batch_id=99999999)
    assert ("not_found" in codes(unlisted, "advisory"), codes(unlisted)) == (True, set())
    adjusted = {"location_id": order["location_id"], "stock_adjustment_rows": [{"variant_id": other, "quantity": 1}]}
    adjusted["stock_adjustment_rows"][0]["traceability"] = [{"batch_id": foreign, "quantity": 1}]
    tenant.create("stock_adjustments", {"stock_adjustment_number": "SA-B", **adjusted})
    clock.advance(61)
    refused = await planned(stage, TOOL, order, quantity=1, batch_id=foreign)
    assert (codes(refused), "plan_token" in refused) == ({"not_found"}, False)
    assert f"has no batch {foreign}: it is one of variant {other}" in str(refused["warnings"])


async def test_two_that_report_the_rest_at_once_make_it_once(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    order = new_order(tenant)
    tokens = [(await planned(stage, TOOL, order))["plan_token"] for _ in range(2)]
    clock.advance(61)
    calls = [stage.result("apply_plan", {"plan_tokens": [token]}) for token in tokens]
    answers = [payload_of(result) for result in await within(clock, 300, asyncio.gather(*calls))]
    assert len(_made(tenant, order)) == 1
    assert sorted("stale_plan" in str(answer) for answer in answers) == [False, True]


async def test_two_orders_that_share_an_ingredient_are_completed_by_one_apply_though_it_runs_short(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    orders = [new_order(tenant, number) for number in ("MO-9001", "MO-9002")]
    rows = [rows_of(tenant, RECIPE, order["id"])[0] for order in orders]
    stock = _in_stock(tenant, rows[0]["variant_id"], orders[0]["location_id"])
    for row in rows:
        tenant.edit(RECIPE, row["id"], planned_quantity_per_unit=0.00001)
    last = rows[1]["id"]
    used = [{"recipe_row_id": rows[0]["id"], "quantity": stock + 1}]
    tokens = [
        (await planned(stage, TOOL, orders[0], ingredients=used))["plan_token"],
        (await planned(stage, TOOL, orders[1], quantity=1))["plan_token"],
    ]
    before = tenant.get(RECIPE, last)["ingredient_availability"]
    clock.advance(61)
    answer = payload_of(await within(clock, 300, stage.result("apply_plan", {"plan_tokens": tokens})))
    assert [outcome["applied"] for outcome in answer["outcomes"]] == [1, 1]
    assert (before, tenant.get(RECIPE, last)["ingredient_availability"]) == ("IN_STOCK", "NOT_AVAILABLE")
