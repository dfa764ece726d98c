"""A customer's own order: goods by the customer's code and by barcode, what nobody knows said, shipped, and kept up."""

from decimal import Decimal
from pathlib import Path

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import staged
from katana_sandbox import ManualClock, Sandbox, Tenant

from .clerk import Clerk, direct, over_stdio, patient

SKU, THEIRS, BARCODE, SHOP, CUSTOMER = "LAMP-1", "K-77", "4006381333931", "Main workshop", "Cykelhuset Kovač"


async def _set_up(clerk: Clerk) -> None:
    """Define what customers call goods, make a lamp that has all of it, and put ten on the shelf."""
    await clerk.does("define_custom_field", label="Customer code", field_type="shortText", entity_type="ProductVariant")
    lamp = {"sku": SKU, "sales_price": 50, "internal_barcode": BARCODE, "custom_fields": {"Customer code": THEIRS}}
    await clerk.does("create_item", type="product", name="Lamp", uom="pcs", variants=[lamp])
    row = {"sku_or_variant_id": SKU, "quantity": 10, "cost_per_unit": 20}
    await clerk.does("create_stock_adjustment", location_id=SHOP, rows=[row])


def _in_stock(tenant: Tenant, variant: int) -> Decimal:
    return sum((tenant.db.levels.get(variant, place["id"]).in_stock for place in tenant.all("locations")), Decimal(0))


async def _run_story(clerk: Clerk, tenant: Tenant) -> None:
    """Tell it, and assert after each turn that Katana holds what the tools say."""
    await _set_up(clerk)
    variant = next(record["id"] for record in tenant.all("variants") if record["sku"] == SKU)
    rows = [
        {"sku_or_variant_id": sku, "quantity": 2, "price_per_unit": 45}
        for sku in (THEIRS, "K-78", "Something else 5", BARCODE)
    ]
    clerk.rest()
    refused = await clerk.asks("create_sales_order", customer_id=CUSTOMER, location_id=SHOP, rows=rows)
    assert "plan_token" not in refused
    unknown = [warning["field_path"] for warning in refused["warnings"] if warning["code"] == "not_found"]
    assert unknown == ["rows[1].sku_or_variant_id", "rows[2].sku_or_variant_id"]
    clerk.rest()
    asked = {"customer_id": CUSTOMER, "location_id": SHOP, "rows": [rows[0], rows[3]]}
    preview = await clerk.asks("create_sales_order", **asked)
    assert [line["match"] for line in preview["lines"]] == ["custom field Customer code", "barcode"]
    sold = await clerk.carries_out(preview)
    held = next(order for order in tenant.all("sales_orders") if order["order_no"] == sold["number"])
    goods = [(row["variant_id"], row["quantity"]) for row in tenant.get("sales_orders", held["id"])["sales_order_rows"]]
    assert goods == [(variant, 2), (variant, 2)]
    await clerk.does("fulfill_order", sales_order_id=sold["number"])
    assert tenant.get("sales_orders", held["id"])["status"] == "DELIVERED"
    assert _in_stock(tenant, variant) == 6
    kept = {"sku_or_variant_id": SKU, "location_id": SHOP, "safety_stock": 8, "default_bin": "B-1"}
    await clerk.does("modify_safety_stock", rows=[kept])
    low = (await clerk.asks("list_low_stock_items", location_id=SHOP, item_type="product", limit=100))["rows"]
    assert [row["in_stock"] for row in low if row["sku"] == SKU] == [6]


async def test_a_customers_document_becomes_an_order_that_is_shipped_and_the_shelf_is_kept_up() -> None:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(clock=clock))
    own.sandbox.switches.set("item_custom_fields", "object")
    async with staged(own) as stage:
        await _run_story(Clerk(direct(stage), lambda: clock.advance(61)), own.sandbox.tenant())


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_it_does_through_a_real_client_of_a_real_process(tmp_path: Path) -> None:
    sandbox = Sandbox()
    sandbox.switches.set("item_custom_fields", "object")
    async with sandbox.serve() as url, over_stdio(url, sandbox.default_key, tmp_path) as client:
        await _run_story(Clerk(patient(client), lambda: None), sandbox.tenant())
