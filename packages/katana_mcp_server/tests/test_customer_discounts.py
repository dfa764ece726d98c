"""The discount rate of a customer is told of a new order that takes nothing off: Katana is sent the prices alone."""

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Tenant


async def _told(stage: Stage, tenant: Tenant, rate: float | None, **row: object) -> list[Payload]:
    customer = tenant.create("customers", {"name": f"Dealer {rate}", "discount_rate": rate})["id"]
    goods = next(variant for variant in tenant.all("variants") if variant["sales_price"] and not variant["deleted_at"])
    rows = [{"sku_or_variant_id": goods["id"], "quantity": 2, **row}]
    preview = payload_of(await stage.result("create_sales_order", {"customer_id": customer, "rows": rows}))
    return [warning for warning in preview["warnings"] if warning["code"] == "customer_discount"]


async def test_a_discount_rate_that_an_order_does_not_take_off_is_told_once(stage: Stage, tenant: Tenant) -> None:
    for row in ({}, {"price_per_unit": 21}):
        (told,) = await _told(stage, tenant, 10, **row)
        assert (told["severity"], told["field_path"]) == ("advisory", "customer_id")
        assert "Dealer 10 has a discount rate of 10 %, and nothing is taken off 1 row" in told["message"]


async def test_without_a_rate_or_with_a_discount_of_the_row_nothing_is_told(stage: Stage, tenant: Tenant) -> None:
    assert await _told(stage, tenant, None) == []
    assert await _told(stage, tenant, 0) == []
    assert await _told(stage, tenant, 10, price_per_unit=21, total_discount=4.2) == []
