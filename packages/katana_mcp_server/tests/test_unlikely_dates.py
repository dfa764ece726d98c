"""A date that nobody may have meant is told before it is written, and written all the same."""

from collections.abc import Iterator
from typing import Any

import pytest
from server_wire import Wire, live
from transfer_plans import new_transfer

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Tenant

GOODS = "FSKT-35M"
CODES = ("future_date", "past_due_date", "past_arrival_date")


def dates_told(preview: Payload) -> list[tuple[str, str, str]]:
    return [
        (warning["severity"], warning["code"], warning["message"])
        for warning in preview["warnings"]
        if warning["code"] in CODES
    ]


def _first(tenant: Tenant, collection: str, status: str) -> Wire:
    return next(document for document in live(tenant, collection) if document["status"] == status)


def _done(tenant: Tenant, day: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield a tool, the argument that says when something is done, and the arguments of a call."""
    order, sale = (
        _first(tenant, "purchase_orders", "NOT_RECEIVED"),
        _first(tenant, "sales_orders", "NOT_SHIPPED"),
    )
    making = _first(tenant, "manufacturing_orders", "NOT_STARTED")
    adjusted = {"location_id": live(tenant, "locations")[0]["id"], "reason": "found"}
    row = {"sku_or_variant_id": GOODS, "quantity": 1}
    for tool, name, asked in (
        ("receive_purchase_order", "received_date", {"purchase_order_id": order["id"]}),
        ("fulfill_order", "picked_date", {"sales_order_id": sale["id"]}),
        ("complete_manufacturing_order", "completed_date", {"manufacturing_order_id": making["id"]}),
        ("create_stock_adjustment", "stock_adjustment_date", {**adjusted, "rows": [row]}),
    ):
        yield tool, name, {**asked, name: day}


async def test_a_day_on_which_stock_is_booked_lies_no_later_than_tomorrow(stage: Stage, tenant: Tenant) -> None:
    for tool, name, asked in _done(tenant, "2027-03-02"):
        message = f"{name}: 2027-03-02 is in the future, and stock is booked on that day; today is 2026-03-02"
        assert dates_told(await stage.call(tool, **asked)) == [("advisory", "future_date", message)], tool


@pytest.mark.parametrize("day", ["2026-03-03T23:59:59+02:00", "2020-01-01"])
async def test_tomorrow_and_whatever_has_passed_is_no_matter(stage: Stage, tenant: Tenant, day: str) -> None:
    for tool, _, asked in _done(tenant, day):
        assert dates_told(await stage.call(tool, **asked)) == [], tool


async def test_an_order_is_due_on_a_day_that_has_not_passed(stage: Stage, tenant: Tenant) -> None:
    row = {"sku_or_variant_id": GOODS, "quantity": 1}
    customer = live(tenant, "customers")[0]["id"]
    making = _first(tenant, "manufacturing_orders", "NOT_STARTED")["id"]
    for tool, name, asked in (
        ("create_sales_order", "delivery_date", {"customer_id": customer, "rows": [row]}),
        ("modify_manufacturing_order", "production_deadline_date", {"manufacturing_order_id": making}),
    ):
        preview = await stage.call(tool, **asked, **{name: "2025-03-02"})
        message = f"{name}: 2025-03-02 is in the past, so the order would be overdue at once; today is 2026-03-02"
        assert dates_told(preview) == [("advisory", "past_due_date", message)]
        assert "plan_token" in preview
        assert dates_told(await stage.call(tool, **asked, **{name: "2026-03-02"})) == []


async def test_an_order_that_is_delivered_is_due_no_more(stage: Stage, tenant: Tenant) -> None:
    order = _first(tenant, "sales_orders", "DELIVERED")["id"]
    preview = await stage.call("modify_sales_order", sales_order_id=order, delivery_date="2020-01-01")
    assert dates_told(preview) == []


async def test_goods_of_a_transfer_arrive_no_earlier_than_they_leave(stage: Stage, tenant: Tenant) -> None:
    leaves = {"transfer_date": "2026-03-20"}
    late = new_transfer(tenant, **leaves, expected_arrival_date="2026-03-19")
    message = "expected_arrival_date: the goods would arrive on 2026-03-19, before they leave on 2026-03-20"
    preview = await stage.call("create_stock_transfer", **late)
    assert dates_told(preview) == [("advisory", "past_arrival_date", message)]
    same = new_transfer(tenant, **leaves, expected_arrival_date="2026-03-20")
    assert dates_told(await stage.call("create_stock_transfer", **same)) == []
