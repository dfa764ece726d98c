"""A new sales order says what free stock does not cover, by what is known of it; it asks for no stock."""

import pytest
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage, paced, payload_of
from katana_sandbox import ManualClock, Tenant
from katana_sandbox.store.keys import FIRST_ID

MAIN, NORTH = FIRST_ID, FIRST_ID + 1


@pytest.fixture
def felt(tenant: Tenant) -> Wire:
    """Return a product of which 4 are free in the main workshop, from which sales ship, and none in the north."""
    sent = {"name": "Felt", "is_sellable": True, "is_purchasable": True, "uom": "pcs", "variants": [{"sku": "FELT-1"}]}
    made = tenant.create("products", sent)
    variant = tenant.get("variants", made["variants"][0]["id"])
    for place, quantity in ((MAIN, 4), (NORTH, 0)):
        tenant.set_stock(variant["id"], place, quantity)
    return variant


async def _preview(stage: Stage, tenant: Tenant, *quantities: int, **asked: object) -> Payload:
    """Return the preview of an order of so many, which asks for no stock."""
    rows = [{"sku_or_variant_id": "FELT-1", "quantity": quantity, "price_per_unit": 9} for quantity in quantities]
    before = len(stage.own.sandbox.requests(path="/inventory"))
    arguments = {"customer_id": live(tenant, "customers")[0]["id"], "rows": rows, **asked}
    preview = payload_of(await stage.result("create_sales_order", arguments))
    assert "plan_token" in preview
    assert len(stage.own.sandbox.requests(path="/inventory")) == before
    return preview


def _told(preview: Payload) -> list[str]:
    """Return what a preview says of goods that are not in stock, which stands for itself."""
    told = [warning for warning in preview["warnings"] if warning["code"] == "not_in_stock"]
    assert all((warning["severity"], warning["field_path"]) == ("info", "rows") for warning in told)
    return [warning["message"] for warning in told]


def _lacks(goods: str) -> list[str]:
    return [f"free stock does not cover {goods}; `promise_date` says by when it can be there"]


@pytest.mark.usefixtures("felt")
async def test_rows_that_free_stock_does_not_cover_are_told_together(stage: Stage, tenant: Tenant) -> None:
    await stage.call("check_inventory", skus_or_variant_ids=["FELT-1"])
    assert _told(await _preview(stage, tenant, 4)) == []
    assert _told(await _preview(stage, tenant, 5)) == _lacks("5 FELT-1 (4 free)")
    assert _told(await _preview(stage, tenant, 3, 2)) == _lacks("5 FELT-1 (4 free)")
    assert _told(await _preview(stage, tenant, 4, location_id=MAIN)) == []
    assert _told(await _preview(stage, tenant, 1, location_id=NORTH)) == _lacks("1 FELT-1 (0 free)")
    assert _told(await _preview(stage, tenant, 5, status="PENDING")) == _lacks("5 FELT-1 (4 free)")


async def test_what_orders_have_committed_is_not_free(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire
) -> None:
    rows = [{"variant_id": felt["id"], "quantity": 6, "price_per_unit": 9}]
    head = {"customer_id": live(tenant, "customers")[0]["id"], "order_no": "SO-9001", "location_id": MAIN}
    tenant.create("sales_orders", {**head, "sales_order_rows": rows})
    await stage.call("list_sales_orders", limit=1)
    clock.advance(1)
    await stage.call("check_inventory", skus_or_variant_ids=["FELT-1"])
    assert _told(await _preview(stage, tenant, 1)) == _lacks("1 FELT-1 (0 free)")


@pytest.mark.usefixtures("felt")
async def test_stock_that_is_not_known_within_the_hour_is_neither_asked_for_nor_told(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    assert _told(await _preview(stage, tenant, 5)) == []
    await stage.call("check_inventory", skus_or_variant_ids=["FELT-1"])
    clock.advance(3_500)
    assert _told(await _preview(stage, tenant, 5)) == _lacks("5 FELT-1 (4 free)")
    clock.advance(200)
    assert _told(await _preview(stage, tenant, 5)) == []


@pytest.mark.usefixtures("felt")
async def test_stock_that_was_seen_to_move_is_not_told_until_it_is_read_again(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    await stage.call("check_inventory", skus_or_variant_ids=["FELT-1"])
    plan = await _preview(stage, tenant, 3)
    applied = await paced(clock, stage.call("apply_plan", plan_tokens=[plan["plan_token"]]))
    assert [outcome["applied"] for outcome in applied["outcomes"]] == [1]
    clock.advance(1)
    assert _told(await _preview(stage, tenant, 2)) == []
    await stage.call("check_inventory", skus_or_variant_ids=["FELT-1"])
    assert _told(await _preview(stage, tenant, 2)) == _lacks("2 FELT-1 (1 free)")


async def test_a_kit_has_no_stock_of_its_own(stage: Stage, tenant: Tenant, felt: Wire) -> None:
    tenant.edit("products", felt["product_id"], is_producible=True, is_auto_assembly=True)
    await stage.call("check_inventory", skus_or_variant_ids=["FELT-1"])
    assert _told(await _preview(stage, tenant, 5)) == []
