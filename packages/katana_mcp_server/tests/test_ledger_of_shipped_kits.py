"""The stock ledger after a shipment was taken back: what Katana built for it counts no more."""

import correcting_orders as orders
import pytest
from correcting_sales import line, ship, sold
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage
from katana_sandbox import ManualClock, Tenant


@pytest.fixture
def shipped(tenant: Tenant) -> Wire:
    """Return a sales order of kits that was shipped."""
    (kit,) = sold(tenant, is_auto_assembly=True)[:1]
    customer, place = next(tenant.all("customers"))["id"], next(tenant.all("locations"))["id"]
    row = {"variant_id": kit["id"], "quantity": 2, "price_per_unit": 50}
    body = {"order_no": "KIT-1", "customer_id": customer, "location_id": place, "sales_order_rows": [row]}
    order = tenant.create("sales_orders", body)
    ship(tenant, order, orders.FIRST, line(order["sales_order_rows"][0], 2))
    return tenant.get("sales_orders", order["id"])


def ledger(tenant: Tenant, variants: set[int]) -> int:
    """Return how many movements Katana has of these variants."""
    return sum(movement["variant_id"] in variants for movement in live(tenant, "inventory_movements"))


async def cached(stage: Stage, variants: set[int]) -> int:
    """Return how many movements are told of these variants."""
    answer = await stage.call("get_inventory_movements", skus_or_variant_ids=sorted(variants), limit=200)
    return len(answer["rows"])


async def applied(stage: Stage, clock: ManualClock, preview: Payload) -> Payload:
    """Return the answer of a plan that is applied."""
    clock.advance(61)
    answer = await stage.call("apply_plan", plan_tokens=[preview["plan_token"]])
    assert answer["outcomes"][0]["not_tried"] == 0
    return answer


@pytest.mark.parametrize("tool", ["delete_sales_order", "fulfill_order"])
async def test_what_was_taken_for_kits_is_back_in_the_ledger_at_once(
    stage: Stage, tenant: Tenant, clock: ManualClock, shipped: Wire, tool: str
) -> None:
    (shipment,) = [one for one in live(tenant, "sales_order_fulfillments") if one["sales_order_id"] == shipped["id"]]
    (built,) = [one for one in live(tenant, "manufacturing_orders") if one["variant_id"] == _kit(shipped)][-1:]
    taken = {
        movement["variant_id"]
        for movement in live(tenant, "inventory_movements")
        if (movement["resource_type"], movement["caused_by_resource_id"]) == ("ProductionIngredient", built["id"])
    }
    before = ledger(tenant, taken)
    assert (len(taken) > 1, await cached(stage, taken)) == (True, before)
    clock.advance(61)
    asked = {"sales_order_id": shipped["id"]}
    undo = {} if tool == "delete_sales_order" else {"delete_fulfillment_id": shipment["id"]}
    answer = await applied(stage, clock, await stage.call(tool, **asked, **undo))
    assert "ledger_in_doubt" not in [warning["code"] for warning in answer["warnings"]]
    assert ledger(tenant, taken) == before - len(taken)
    assert await cached(stage, taken) == before - len(taken)


async def test_movements_that_are_too_many_to_be_read_again_are_told(
    stage: Stage, tenant: Tenant, clock: ManualClock, shipped: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cached(stage, {_kit(shipped)})
    clock.advance(61)
    preview = await stage.call("delete_sales_order", sales_order_id=shipped["id"])
    monkeypatch.setattr("katana_mcp.writing.written_through._MOST_MOVEMENTS", 3)
    (warning,) = (await applied(stage, clock, preview))["warnings"]
    assert (warning["code"], warning["severity"]) == ("ledger_in_doubt", "advisory")
    assert warning["message"] == (
        "more than 3 movements of the stock ledger change with this, and only those were read again: other "
        "balances may be old, and count undone movements, until an audit"
    )


def _kit(order: Wire) -> int:
    return order["sales_order_rows"][0]["variant_id"]
