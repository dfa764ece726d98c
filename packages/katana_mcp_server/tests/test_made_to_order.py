"""Rows of sales orders made to order through a server: linked, found when an answer is lost, refused in words."""

from typing import Any

import pytest
from journal_plans import hasty
from test_manufacturing_order_writes import ORDER, applied, codes, live, new_order

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Drop, Fault, ManualClock, Tenant

TOOL = "create_manufacturing_orders"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _sell(tenant: Tenant, *variants: int, quantity: int = 2) -> dict[str, Any]:
    """Return a new sales order of so many of each variant, at a location that makes things."""
    home = next(place["id"] for place in live(tenant, "locations") if place["manufacturing_allowed"])
    rows = [{"variant_id": variant, "quantity": quantity, "price_per_unit": 9} for variant in variants]
    customer = live(tenant, "customers")[0]["id"]
    body = {"order_no": "SO-9001", "customer_id": customer, "location_id": home, "sales_order_rows": rows}
    return tenant.create("sales_orders", body)


def _goods(tenant: Tenant) -> tuple[int, int]:
    """Return a variant that is made, and one that is bought."""
    bought = next(variant["id"] for variant in live(tenant, "variants") if variant.get("material_id"))
    return new_order(tenant)["variant_id"], bought


async def _planned(stage: Stage, **asked: object) -> Payload:
    return payload_of(await stage.result(TOOL, {"sales_order_id": "SO-9001", **asked}))


def _links(tenant: Tenant, order: dict[str, Any]) -> list[int | None]:
    return [row["linked_manufacturing_order_id"] for row in tenant.get("sales_orders", order["id"])["sales_order_rows"]]


async def test_every_row_that_is_made_gets_an_order_that_is_linked_and_read_at_once(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    made, bought = _goods(tenant)
    order = _sell(tenant, made, bought, made)
    preview = await _planned(stage)
    assert [line["quantity"] for line in preview["lines"]] == [2, 2]
    assert preview["linked"] == ["sales order SO-9001"]
    assert "no_way_back" in codes(preview, "advisory")
    outcome = await applied(stage, clock, preview)
    first, none, last = _links(tenant, order)
    assert [action["id"] for action in outcome["actions"]] == [first, last]
    assert none is None
    listed = (await stage.call("list_manufacturing_orders", sales_order_id="SO-9001"))["rows"]
    assert {row["manufacturing_order_id"] for row in listed} == {first, last}
    clock.advance(61)
    assert codes(await _planned(stage)) == {"empty_order"}


async def test_the_orders_that_make_rows_which_go_are_named_by_their_numbers(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    made, bought = _goods(tenant)
    order = _sell(tenant, made, bought, made)
    await applied(stage, clock, await _planned(stage))
    numbers = [f"manufacturing order {tenant.get(ORDER, key)['order_no']}" for key in _links(tenant, order) if key]
    clock.advance(61)
    assert (await stage.call("delete_sales_order", sales_order_id="SO-9001"))["linked"] == numbers
    row = tenant.get("sales_orders", order["id"])["sales_order_rows"][2]["id"]
    preview = await stage.call("modify_sales_order", sales_order_id="SO-9001", delete_row_ids=[row])
    assert preview["linked"] == numbers[1:]


async def test_an_order_whose_answer_is_lost_is_found_by_its_row(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    made, _ = _goods(tenant)
    order = _sell(tenant, made, made)
    preview = await _planned(stage, row_ids=[order["sales_order_rows"][1]["id"]], create_subassemblies=True)
    stage.own.sandbox.faults.add(Fault("POST /manufacturing_order_make_to_order", action=Drop("after")))
    before = len(live(tenant, ORDER))
    outcome = await applied(stage, clock, preview)
    assert [(action["state"], action["id"]) for action in outcome["actions"]] == [("applied", _links(tenant, order)[1])]
    assert len(live(tenant, ORDER)) >= before + 1


async def test_rows_that_have_their_goods_already_are_told_and_made_all_the_same(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    made, _ = _goods(tenant)
    order = _sell(tenant, made, quantity=800)
    rows = [{"variant_id": made, "quantity": 900, "cost_per_unit": 1}]
    tenant.set_stock(made, order["location_id"], 0)
    assert "stock_at_hand" not in codes(await _planned(stage), "advisory")
    tenant.create("stock_adjustments", {"location_id": order["location_id"], "stock_adjustment_rows": rows})
    clock.advance(61)
    preview = await _planned(stage)
    (message,) = [warning["message"] for warning in preview["warnings"] if warning["code"] == "stock_at_hand"]
    assert f"(row {order['sales_order_rows'][0]['id']})" in message
    assert "plan_token" in preview


async def test_what_is_bought_made_already_or_not_there_is_refused(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    made, bought = _goods(tenant)
    first, second = (row["id"] for row in _sell(tenant, made, bought)["sales_order_rows"])
    assert codes(await _planned(stage, row_ids=[second])) == {"not_producible"}
    assert codes(await _planned(stage, row_ids=[first, first])) == {"duplicate_row_overrides"}
    assert codes(await _planned(stage, row_ids=[7])) == {"unknown_row_id"}
    await applied(stage, clock, await _planned(stage, row_ids=[first]))
    clock.advance(61)
    assert codes(await _planned(stage, row_ids=[first])) == {"locked"}


async def test_a_large_row_is_split_into_orders_of_which_the_first_is_linked(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    made, _ = _goods(tenant)
    order = _sell(tenant, made, made, quantity=7)
    first = order["sales_order_rows"][0]["id"]
    preview = await _planned(stage, row_ids=[first], most_per_order=3)
    assert [line["quantity"] for line in preview["lines"]] == [3, 3, 1]
    assert "2 of them not linked to it" in preview["message"]
    assert [request["method"] for request in preview["requests"]] == ["POST", "PATCH", "POST", "POST"]
    before = {record["id"] for record in live(tenant, ORDER)}
    outcome = await applied(stage, clock, preview)
    assert outcome["applied"] == 4
    new = [record for record in live(tenant, ORDER) if record["id"] not in before]
    assert [float(row["planned_quantity"]) for row in new] == [3, 3, 1]
    assert [row.get("sales_order_row_id") for row in new] == [first, None, None]
    assert [row["additional_info"] for row in new][1:] == [
        f"sales order SO-9001, row {first}, {nr} of 3" for nr in (2, 3)
    ]
    shown = (await stage.call("list_manufacturing_orders", ids=[row["id"] for row in new]))["rows"]
    assert [row["planned_quantity"] for row in shown] == [3, 3, 1]
    clock.advance(61)
    assert codes(await _planned(stage, most_per_order=0.01)) == {"invalid_quantity"}
    whole = await _planned(stage, most_per_order=7)
    assert [request["method"] for request in whole["requests"]] == ["POST"]


@pytest.mark.parametrize("request_", ["POST /manufacturing_orders", "PATCH /manufacturing_orders/*"])
async def test_of_a_split_row_a_lost_answer_is_looked_up_and_nothing_is_made_twice(
    stage: Stage, clock: ManualClock, tenant: Tenant, request_: str
) -> None:
    made, _ = _goods(tenant)
    _sell(tenant, made, quantity=5)
    before = len(live(tenant, ORDER))
    preview = await _planned(stage, most_per_order=2)
    stage.own.sandbox.faults.add(Fault(request_, action=Drop("after")))
    outcome = await applied(stage, clock, preview)
    assert [action["state"] for action in outcome["actions"]] == ["applied"] * 4
    assert len(live(tenant, ORDER)) == before + 3


async def test_each_of_several_split_rows_has_its_own_orders(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    made, _ = _goods(tenant)
    order = _sell(tenant, made, made, quantity=5)
    before = {record["id"] for record in live(tenant, ORDER)}
    outcome = await applied(stage, clock, await _planned(stage, most_per_order=2))
    assert outcome["applied"] == 8
    new = [record for record in live(tenant, ORDER) if record["id"] not in before]
    assert [float(row["planned_quantity"]) for row in new] == [2, 2, 1] * 2
    linked = [row["id"] for row in new if row.get("sales_order_row_id")]
    assert _links(tenant, order) == linked


async def test_a_row_that_is_shipped_from_stock_while_it_is_made_says_what_becomes_of_that(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    made, _ = _goods(tenant)
    order = _sell(tenant, made)
    await applied(stage, clock, await _planned(stage))
    tenant.set_stock(made, order["location_id"], 50)
    clock.advance(61)
    preview = payload_of(await stage.result("fulfill_order", {"sales_order_id": "SO-9001"}))
    (message,) = [warning["message"] for warning in preview["warnings"] if warning["code"] == "inventory_ordering"]
    making = f"manufacturing order SO-9001 / 1 makes row {order['sales_order_rows'][0]['id']} and is NOT_STARTED"
    assert message == f"{making}, not DONE: other stock would be shipped, and what it makes stays in stock"
