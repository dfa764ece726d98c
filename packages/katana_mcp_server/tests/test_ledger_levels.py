"""Answers from the stock ledger against the stock that Katana gives: deletions leave no trace among movements."""

from decimal import Decimal

import pytest
from server_wire import Wire, amount
from tests.nights import rest_in_turn

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, paced, staged
from katana_sandbox import Fault, ManualClock, Status, Tenant
from katana_sandbox.store.keys import FIRST_ID

pytestmark = pytest.mark.cold

NOW, BEFORE = "2026-03-02", "2026-02-25"
BODY: Wire = {"location_id": FIRST_ID, "stock_adjustment_date": "2026-02-26T08:00:00.000Z"}


def adjusted(tenant: Tenant, quantity: int, variant: int = 0) -> tuple[int, int]:
    """Enter an adjustment of a new material, or of this variant, in Katana; return its id and the variant."""
    if not variant:
        material = tenant.create("materials", {"name": "Bolt", "variants": [{"sku": f"BOLT-{quantity}"}]})
        variant = material["variants"][0]["id"]
    sent = {"stock_adjustment_rows": [{"variant_id": variant, "quantity": quantity, "cost_per_unit": 2}]}
    number = {"stock_adjustment_number": f"SA-{variant}-{quantity}"}
    return tenant.create("stock_adjustments", {**BODY, **number, **sent})["id"], variant


async def told(stage: Stage, variant: int, as_of: str = NOW) -> tuple[Payload, Payload]:
    """Return what both tools say of a variant: stock at a moment, and its movements."""
    then = await stage.call("inventory_at", as_of=as_of, skus_or_variant_ids=[variant])
    return then, await stage.call("get_inventory_movements", skus_or_variant_ids=[variant])


def doubts(answer: Payload) -> list[str]:
    """Return what the answer says against its figures."""
    return [warning["message"] for warning in answer["warnings"] if warning["code"] == "ledger_in_doubt"]


def in_stock(answer: Payload) -> Decimal:
    (row,) = answer["stock"]
    return amount(row["in_stock"])


@pytest.mark.parametrize("is_checked", [True, False], ids=["stock was looked at", "stock was never looked at"])
@pytest.mark.parametrize(("as_of", "shown"), [(NOW, 510), (BEFORE, 0)])
async def test_stock_whose_movement_was_deleted_is_told_with_the_stock_that_katana_gives(
    stage: Stage, clock: ManualClock, as_of: str, shown: int, is_checked: bool
) -> None:
    tenant = stage.own.sandbox.tenant()
    _, variant = adjusted(tenant, 10)
    deleted, _ = adjusted(tenant, 500, variant)
    before = await told(stage, variant, as_of)
    assert [doubts(answer) for answer in before] == [[], []]
    assert in_stock(before[0]) == shown
    tenant.delete("stock_adjustments", deleted)
    clock.advance(31)
    if is_checked:
        await stage.call("check_inventory", skus_or_variant_ids=[variant])
    after = await told(stage, variant, as_of)
    assert in_stock(after[0]) == shown
    assert after[0]["stock"][0]["note"].startswith("in doubt")
    for answer in after:
        (message,) = doubts(answer)
        assert answer["next_actions"] == [f"check_inventory(skus_or_variant_ids=[{variant}]): their stock now"]
        assert f"(variant {variant} at location {FIRST_ID}: 510 here, 10 in Katana)" in message


async def test_a_deleted_movement_that_no_replica_can_lag_behind_is_left_out_at_once(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    _, variant = adjusted(tenant, 10)
    deleted, _ = adjusted(tenant, 500, variant)
    clock.advance(21 * 60)
    adjusted(tenant, 1)
    await told(stage, variant)
    tenant.delete("stock_adjustments", deleted)
    clock.advance(31)
    then, moved = await told(stage, variant)
    assert (in_stock(then), doubts(then), doubts(moved)) == (10, [], [])
    assert [amount(row["quantity_change"]) for row in moved["rows"]] == [10]
    requests = stage.requests()
    assert await told(stage, variant) == (then, moved)
    assert stage.requests() == requests


async def test_a_ledger_that_is_still_read_is_not_held_against_stock(
    own: OwnSandbox, clock: ManualClock, tenant: Tenant
) -> None:
    _, variant = adjusted(tenant, 10)
    own.sandbox.faults.add(Fault("GET /inventory_movements", nth=2, action=Status(503), times=None))
    async with staged(own) as stage:
        await paced(clock, stage.call("check_inventory", skus_or_variant_ids=[variant]))
        then, moved = await paced(clock, told(stage, variant))
    assert (then["warming"], doubts(then), doubts(moved)) == (moved["warming"], [], [])


async def test_a_movement_that_the_stock_already_shows_is_read_though_the_ledger_is_fresh(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    (_, other), (_, variant) = adjusted(tenant, 1), adjusted(tenant, 10)
    await told(stage, other)
    clock.advance(10)
    adjusted(tenant, 5, variant)
    await stage.call("check_inventory", skus_or_variant_ids=[variant])
    then, moved = await told(stage, variant)
    assert (in_stock(then), doubts(then), doubts(moved)) == (15, [], [])
    assert moved["total"] == 2


async def test_an_own_write_shows_in_all_that_is_told_from_the_ledger_at_once(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    _, variant = adjusted(tenant, 10)
    await told(stage, variant)
    value = (await stage.call("stock_value"))["value"]
    clock.advance(1)
    rows = [{"sku_or_variant_id": variant, "quantity": 7, "cost_per_unit": 3}]
    plan = await stage.call("create_stock_adjustment", location_id=FIRST_ID, rows=rows)
    await stage.call("apply_plan", plan_tokens=[plan["plan_token"]])
    then, moved = await told(stage, variant)
    assert (in_stock(then), moved["total"]) == (17, 2)
    assert amount((await stage.call("stock_value"))["value"]) == amount(value) + 21
    requests = stage.requests()
    await told(stage, variant)
    assert stage.requests() == requests


@pytest.mark.parametrize("wait", rest_in_turn(1, 30 * 60), ids=["just shipped", "shipped long ago"])
@pytest.mark.parametrize("is_order", [True, False], ids=["the order is deleted", "the shipment is deleted"])
async def test_what_a_deletion_of_ours_took_back_counts_no_longer(
    stage: Stage, clock: ManualClock, tenant: Tenant, wait: int, is_order: bool
) -> None:
    _, variant = adjusted(tenant, 10)
    row: Wire = {"variant_id": variant, "quantity": 4, "price_per_unit": 9}
    customer = tenant.create("customers", {"name": "Wheelers"})["id"]
    sold: Wire = {"order_no": "SO-900", "customer_id": customer, "location_id": FIRST_ID, "sales_order_rows": [row]}
    order = tenant.create("sales_orders", sold)["id"]
    await told(stage, variant)
    value = amount((await stage.call("stock_value"))["value"])
    shipped = await applied(stage, "fulfill_order", sales_order_id=order)
    adjusted(tenant, 5, variant)
    clock.advance(wait)
    await told(stage, variant)
    assert amount((await stage.call("stock_value"))["value"]) == value + 2
    clock.advance(1)
    if is_order:
        await applied(stage, "delete_sales_order", sales_order_id=order)
    else:
        (shipment,) = [action["id"] for action in shipped["actions"]]
        await applied(stage, "fulfill_order", sales_order_id=order, delete_fulfillment_id=shipment)
    after = await stage.call("stock_value")
    assert (amount(after["value"]), after["warnings"]) == (value + 10, [])
    then, moved = await told(stage, variant)
    assert (in_stock(then), doubts(then), doubts(moved)) == (15, [], [])


async def test_what_follows_the_first_movement_of_an_item_is_read_again_where_we_took_that_back(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    deleted, variant = adjusted(tenant, 10)
    adjusted(tenant, 5, variant)
    before = await stage.call("stock_value")
    clock.advance(1)
    outcome = await applied(stage, "delete_stock_adjustment", stock_adjustment_id=deleted)
    after = await stage.call("stock_value")
    assert (amount(after["value"]), outcome["warnings"]) == (amount(before["value"]) - 20, [])


async def test_a_listing_that_lags_does_not_bring_back_what_we_deleted(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    deleted, _ = adjusted(tenant, 10)
    value = amount((await stage.call("stock_value"))["value"])
    clock.advance(200)
    stage.own.sandbox.switches.set("replica_lag", 130)
    outcome = await applied(stage, "delete_stock_adjustment", stock_adjustment_id=deleted)
    assert outcome["warnings"] == []
    assert amount((await stage.call("stock_value"))["value"]) == value - 20
    clock.advance(1)
    assert amount((await stage.call("stock_value"))["value"]) == value - 20


@pytest.mark.parametrize("is_followed", [True, False])
async def test_a_ledger_that_cannot_be_read_after_a_deletion_of_ours_is_told_where_more_than_that_changed(
    stage: Stage, clock: ManualClock, tenant: Tenant, is_followed: bool
) -> None:
    deleted, variant = adjusted(tenant, 10)
    if is_followed:
        adjusted(tenant, 5, variant)
    value = amount((await stage.call("stock_value"))["value"])
    stage.own.sandbox.faults.add(Fault("GET /inventory_movements", action=Status(400), times=None))
    outcome = await paced(clock, applied(stage, "delete_stock_adjustment", stock_adjustment_id=deleted))
    assert [warning["code"] for warning in outcome["warnings"]] == ["cache_write_failed"] * is_followed
    if not is_followed:
        assert amount((await paced(clock, stage.call("stock_value")))["value"]) == value - 20


async def applied(stage: Stage, tool: str, **asked: object) -> Payload:
    """Plan a change, apply it, and return what became of it."""
    plan = await stage.call(tool, **asked)
    (outcome,) = (await stage.call("apply_plan", plan_tokens=[plan["plan_token"]]))["outcomes"]
    assert outcome["failed"] + outcome["unknown"] + outcome["not_tried"] == 0
    return outcome
