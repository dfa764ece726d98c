"""A shipped order that is deleted: what comes back to the stock, and that one with sales returns stays."""

import pytest
from server_wire import Wire, amount, live

from katana_mcp.testing import Stage
from katana_sandbox import ManualClock, Tenant


async def test_an_order_with_returns_is_not_planned_to_be_deleted_until_they_are_gone(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    returned = live(tenant, "sales_returns")[0]
    order, number = returned["sales_order_id"], returned["order_no"]
    plan = await stage.call("delete_sales_order", sales_order_id=order)
    (against,) = [warning for warning in plan["warnings"] if warning["severity"] == "blocking"]
    assert (against["code"], "plan_token" in plan) == ("locked", False)
    assert against["message"] == f"Katana deletes no sales order that has sales returns: delete {number} first"
    for one in live(tenant, "sales_returns"):
        if one["sales_order_id"] == order:
            tenant.delete("sales_returns", one["id"])
    clock.advance(1)
    assert "plan_token" in await stage.call("delete_sales_order", sales_order_id=order)


async def test_a_return_that_came_after_the_last_sync_counts(stage: Stage, tenant: Tenant) -> None:
    having = {one["sales_order_id"] for one in live(tenant, "sales_returns")}
    order = next(
        one for one in live(tenant, "sales_orders") if one["status"] == "DELIVERED" and one["id"] not in having
    )
    assert "plan_token" in await stage.call("delete_sales_order", sales_order_id=order["id"])
    place = live(tenant, "sales_returns")[0]["return_location_id"]
    tenant.create("sales_returns", {"sales_order_id": order["id"], "return_location_id": place, "order_no": "RO-900"})
    plan = await stage.call("delete_sales_order", sales_order_id=order["id"])
    assert ["RO-900" in warning["message"] for warning in plan["warnings"] if warning["severity"] == "blocking"] == [
        True
    ]


def _shipped(tenant: Tenant, status: str) -> Wire:
    """Return an order of this status without returns."""
    having = {one["sales_order_id"] for one in live(tenant, "sales_returns")}
    return next(one for one in live(tenant, "sales_orders") if one["status"] == status and one["id"] not in having)


@pytest.mark.parametrize("status", ["PARTIALLY_PACKED", "PACKED", "PARTIALLY_DELIVERED", "DELIVERED"])
async def test_the_stock_after_a_deletion_is_the_one_that_the_preview_shows(
    stage: Stage, tenant: Tenant, status: str
) -> None:
    order = _shipped(tenant, status)
    plan = await stage.call("delete_sales_order", sales_order_id=order["id"])
    assert plan["stock"]
    shown = {where.rpartition(": ")[0]: where.rpartition(" → ")[2] for where in plan["stock"]}
    (outcome,) = (await stage.call("apply_plan", plan_tokens=[plan["plan_token"]]))["outcomes"]
    assert outcome["applied"], outcome
    skus = {one["id"]: one["sku"] for one in live(tenant, "variants")}
    places = {one["id"]: one["name"] for one in live(tenant, "locations")}
    levels = {
        f"{skus.get(level['variant_id'])} at {places.get(level['location_id'])}": amount(level["quantity_in_stock"])
        for level in tenant.all("inventory")
    }
    assert {where: levels[where] for where in shown} == {where: amount(after) for where, after in shown.items()}


async def test_of_an_order_that_is_deleted_already_is_told_that_alone(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    order = _shipped(tenant, "DELIVERED")
    plan = await stage.call("delete_sales_order", sales_order_id=order["id"])
    await stage.call("apply_plan", plan_tokens=[plan["plan_token"]])
    clock.advance(5)
    again = await stage.call("delete_sales_order", sales_order_id=order["id"])
    (against,) = again["warnings"]
    assert (against["code"], against["severity"], "stock" in again) == ("not_found", "blocking", False)


async def test_an_order_of_which_nothing_left_brings_nothing_back(stage: Stage, tenant: Tenant) -> None:
    plan = await stage.call("delete_sales_order", sales_order_id=_shipped(tenant, "NOT_SHIPPED")["id"])
    assert plan.get("stock", []) == []
