"""A new document that may repeat one of the last day says so, and names it; another one says nothing."""

from typing import Any

import pytest
from journal_plans import hasty
from server_wire import live
from transfer_plans import applied, applied_in_time, counted, new_transfer

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Drop, Fault, ManualClock, Tenant

DUPLICATE = "possible_duplicate"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _order(tenant: Tenant, **changed: object) -> dict[str, Any]:
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["entity_type"] == "regular"
    )
    variant = live(tenant, "purchase_order_rows")[0]["variant_id"]
    usual: dict[str, Any] = {
        "supplier_id": order["supplier_id"],
        "location_id": order["location_id"],
        "rows": [{"sku_or_variant_id": variant, "quantity": 7.5, "price_per_unit": 2}],
    }
    return usual | changed


def _messages(preview: Payload) -> list[str]:
    return [warning["message"] for warning in preview["warnings"] if warning["code"] == DUPLICATE]


async def _made(stage: Stage, tool: str, arguments: dict[str, Any]) -> Payload:
    preview = await stage.call(tool, **arguments)
    assert _messages(preview) == []
    (outcome,) = (await applied(stage, preview["plan_token"]))["outcomes"]
    assert counted(outcome) == {"applied": 1}
    return outcome


async def test_the_same_purchase_order_again_within_a_day_says_which_one_it_repeats(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = _order(tenant)
    made = await _made(stage, "create_purchase_order", order)
    clock.advance(61)
    again = await stage.call("create_purchase_order", **order)
    (message,) = _messages(again)
    assert message.startswith(f"{made['number']}, made in the last 24 hours, ")
    assert again["plan_token"]
    (row,) = order["rows"]
    split = [{**row, "quantity": 5}, {**row, "quantity": 2.5}]
    assert len(_messages(await stage.call("create_purchase_order", **_order(tenant, rows=split)))) == 1
    clock.advance(61)
    for other in ([{**row, "quantity": 8}], [row, row]):
        assert _messages(await stage.call("create_purchase_order", **_order(tenant, rows=other))) == []
    supplier = next(record["id"] for record in live(tenant, "suppliers") if record["id"] != order["supplier_id"])
    assert _messages(await stage.call("create_purchase_order", **_order(tenant, supplier_id=supplier))) == []
    clock.advance(24 * 3600)
    assert _messages(await stage.call("create_purchase_order", **order)) == []


async def test_what_was_deleted_is_not_repeated(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    order = _order(tenant)
    made = await _made(stage, "create_purchase_order", order)
    deletion = await stage.call("delete_purchase_order", purchase_order_id=made["id"])
    await applied(stage, deletion["plan_token"])
    clock.advance(61)
    assert _messages(await stage.call("create_purchase_order", **order)) == []


async def test_the_same_transfer_again_says_so_too(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    made = await _made(stage, "create_stock_transfer", new_transfer(tenant))
    clock.advance(61)
    again = new_transfer(tenant, stock_transfer_number="ST-901")
    (message,) = _messages(await stage.call("create_stock_transfer", **again))
    assert message.startswith(f"{made['number']}, ")


async def test_what_may_have_been_made_without_an_answer_is_named(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    token = (await stage.call("create_stock_transfer", **new_transfer(tenant)))["plan_token"]
    stage.own.sandbox.faults.add(Fault("POST *", action=Drop("before")))
    assert counted((await applied_in_time(stage, clock, token))["outcomes"][0]) == {"unknown": 1}
    clock.advance(61)
    again = new_transfer(tenant, stock_transfer_number="ST-901")
    (message,) = _messages(await stage.call("create_stock_transfer", **again))
    assert message.startswith("ST-900 (unknown whether it was made), ")


async def test_of_two_that_were_planned_alike_the_second_says_so_when_it_is_applied(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = _order(tenant)
    previews = [await stage.call("create_purchase_order", **order) for _ in range(2)]
    assert [_messages(preview) for preview in previews] == [[], []]
    answer = await applied_in_time(stage, clock, *[preview["plan_token"] for preview in previews])
    first, second = answer["outcomes"]
    assert _messages(first) == []
    (message,) = _messages(second)
    assert message.startswith(f"{first['number']}, made in the last 24 hours, ")
    assert _messages(answer) == [message]


async def test_what_the_preview_said_is_not_said_again_when_it_is_applied(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = _order(tenant)
    await _made(stage, "create_purchase_order", order)
    clock.advance(61)
    preview = await stage.call("create_purchase_order", **order)
    assert len(_messages(preview)) == 1
    answer = await applied_in_time(stage, clock, preview["plan_token"])
    assert (counted(answer["outcomes"][0]), _messages(answer)) == ({"applied": 1}, [])
