"""An order that has sales returns is not deleted by Katana: the preview says so, by what Katana has now."""

from server_wire import live

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
