"""Rows made to order of which a part is free in stock already: said in one line, and made all the same."""

import pytest
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import ManualClock, Tenant

TOOL = "create_manufacturing_orders"


@pytest.fixture
def home(tenant: Tenant) -> int:
    """Return a location that makes things."""
    return next(place["id"] for place in live(tenant, "locations") if place["manufacturing_allowed"])


@pytest.fixture
def made(tenant: Tenant, home: int) -> int:
    """Return a product that is made, of which nothing is committed, expected or in stock at home."""
    sent = {"name": "Rack", "is_producible": True, "is_sellable": True, "uom": "pcs", "variants": [{"sku": "RACK"}]}
    variant = tenant.create("products", sent)["variants"][0]["id"]
    tenant.set_stock(variant, home, 0)
    return variant


def _sell(
    tenant: Tenant, home: int, *rows: tuple[int, int], number: str = "SO-9001", status: str = "NOT_SHIPPED"
) -> Wire:
    """Return a new sales order of so many of each variant."""
    lines = [{"variant_id": variant, "quantity": quantity, "price_per_unit": 9} for variant, quantity in rows]
    head = {"order_no": number, "customer_id": live(tenant, "customers")[0]["id"], "location_id": home}
    return tenant.create("sales_orders", {**head, "status": status, "sales_order_rows": lines})


async def _told(stage: Stage, **asked: object) -> list[str]:
    """Return what a preview, which can be applied, says of goods that are there once their stock is known."""
    await stage.call("check_inventory", skus_or_variant_ids=["RACK"])
    return await _said(stage, **asked)


async def _said(stage: Stage, **asked: object) -> list[str]:
    preview: Payload = payload_of(await stage.result(TOOL, {"sales_order_id": "SO-9001", **asked}))
    assert "plan_token" in preview
    return [warning["message"] for warning in preview["warnings"] if warning["code"] == "stock_at_hand"]


def _free(quantities: str, place: str = "Main workshop") -> str:
    return f"free in stock already: {quantities} RACK at {place}; all of it would be made all the same"


async def test_goods_that_are_free_are_told_with_how_many(
    stage: Stage, tenant: Tenant, clock: ManualClock, made: int, home: int
) -> None:
    _sell(tenant, home, (made, 5))
    seen: list[list[str]] = []
    for stock in (0, 4):
        tenant.set_stock(made, home, stock)
        clock.advance(61)
        seen.append(await _told(stage))
    assert seen == [[], [_free("4 of 5")]]


async def test_what_other_orders_have_committed_is_not_free(
    stage: Stage, tenant: Tenant, clock: ManualClock, made: int, home: int
) -> None:
    tenant.set_stock(made, home, 4)
    _sell(tenant, home, (made, 5))
    _sell(tenant, home, (made, 3), number="SO-9002")
    assert await _told(stage) == [_free("1 of 5")]
    _sell(tenant, home, (made, 3), number="SO-9003")
    clock.advance(61)
    assert await _told(stage) == []


async def test_stock_that_an_order_has_just_moved_is_read_again_once(
    stage: Stage, tenant: Tenant, made: int, home: int
) -> None:
    tenant.set_stock(made, home, 4)
    await stage.call("check_inventory", skus_or_variant_ids=["RACK"])
    _sell(tenant, home, (made, 5))
    asked = len(stage.own.sandbox.requests(path="/inventory"))
    assert await _said(stage) == await _said(stage) == [_free("4 of 5")]
    assert len(stage.own.sandbox.requests(path="/inventory")) == asked + 1


async def test_rows_of_one_variant_share_what_is_free(stage: Stage, tenant: Tenant, made: int, home: int) -> None:
    tenant.set_stock(made, home, 1)
    order = _sell(tenant, home, (made, 5), (made, 2))
    assert await _told(stage) == [_free("1 of 7")]
    assert await _told(stage, row_ids=[order["sales_order_rows"][1]["id"]]) == []


async def test_a_quote_has_committed_nothing(stage: Stage, tenant: Tenant, made: int, home: int) -> None:
    tenant.set_stock(made, home, 4)
    order = _sell(tenant, home, (made, 9), status="PENDING")
    assert order["status"] == "PENDING"
    assert await _told(stage) == [_free("4 of 9")]


async def test_stock_that_is_not_known_is_not_asked_for(stage: Stage, tenant: Tenant, made: int, home: int) -> None:
    tenant.set_stock(made, home, 4)
    _sell(tenant, home, (made, 5))
    asked = len(stage.own.sandbox.requests(path="/inventory"))
    assert await _said(stage) == []
    assert len(stage.own.sandbox.requests(path="/inventory")) == asked
    assert await _told(stage) == [_free("4 of 5")]
