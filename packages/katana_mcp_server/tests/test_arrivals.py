"""An arrival that is expected on a day that has passed is told before it is written, and written all the same."""

import pytest
from server_wire import live
from transfer_plans import new_transfer

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Tenant


def arrival_warnings(preview: Payload) -> list[tuple[str, str | None, str]]:
    return [
        (warning["severity"], warning["field_path"], warning["message"])
        for warning in preview["warnings"]
        if warning["code"] == "past_arrival_date"
    ]


def _message(path: str, day: str) -> tuple[str, str, str]:
    message = f"{path}: {day} is in the past, so the goods would be overdue at once; today is 2026-03-02"
    return ("advisory", path, message)


async def test_a_new_transfer_that_should_have_arrived_is_told_and_has_a_token(stage: Stage, tenant: Tenant) -> None:
    preview = await stage.call("create_stock_transfer", **new_transfer(tenant, expected_arrival_date="2020-02-03"))
    assert arrival_warnings(preview) == [_message("expected_arrival_date", "2020-02-03")]
    assert "plan_token" in preview
    transfer = next(
        stock_transfer for stock_transfer in live(tenant, "stock_transfers") if stock_transfer["status"] == "draft"
    )
    changed = await stage.call(
        "modify_stock_transfer", stock_transfer_id=transfer["id"], expected_arrival_date="2026-03-01"
    )
    assert arrival_warnings(changed) == [_message("expected_arrival_date", "2026-03-01")]


@pytest.mark.parametrize("day", ["2026-03-02", "2026-03-02T00:00:00+02:00", "2031-01-01"])
async def test_today_and_later_are_no_matter(stage: Stage, tenant: Tenant, day: str) -> None:
    assert (
        arrival_warnings(await stage.call("create_stock_transfer", **new_transfer(tenant, expected_arrival_date=day)))
        == []
    )


async def test_what_has_come_may_have_been_expected_before(stage: Stage, tenant: Tenant) -> None:
    transfer = next(
        stock_transfer for stock_transfer in live(tenant, "stock_transfers") if stock_transfer["status"] == "inTransit"
    )
    asked = {"stock_transfer_id": transfer["id"], "expected_arrival_date": "2026-02-01"}
    assert arrival_warnings(await stage.call("modify_stock_transfer", **asked, status="received")) == []
    assert len(arrival_warnings(await stage.call("modify_stock_transfer", **asked))) == 1


async def test_dates_of_an_order_and_of_each_row_are_looked_at(stage: Stage, tenant: Tenant) -> None:
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["status"] == "NOT_RECEIVED"
    )
    row = order["purchase_order_rows"][0]
    preview = await stage.call(
        "modify_purchase_order",
        purchase_order_id=order["id"],
        expected_arrival_date="2031-01-05",
        update_rows=[{"row_id": row["id"], "arrival_date": "2020-01-05"}],
    )
    assert arrival_warnings(preview) == [_message("update_rows[0].arrival_date", "2020-01-05")]
    new = {
        "supplier_id": order["supplier_id"],
        "location_id": order["location_id"],
        "expected_arrival_date": "2020-01-05",
        "rows": [{"sku_or_variant_id": row["variant_id"], "quantity": 10, "price_per_unit": 1}],
    }
    assert arrival_warnings(await stage.call("create_purchase_order", **new)) == [
        _message("expected_arrival_date", "2020-01-05")
    ]
