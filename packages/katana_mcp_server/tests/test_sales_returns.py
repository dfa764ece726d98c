"""Sales returns are shown with their rows, whether or not Katana lists these inside of them."""

from typing import cast

from server_wire import Wire

from katana_mcp.testing import Stage
from katana_sandbox import EditBody, Fault, Tenant


def _without_rows(body: object) -> Wire:
    return {"data": [each | {"sales_return_rows": None} for each in cast("Wire", body)["data"]]}


async def test_rows_are_shown_though_the_listing_of_returns_embeds_none(stage: Stage, tenant: Tenant) -> None:
    stage.own.sandbox.faults.add(Fault("GET /sales_returns", action=EditBody(_without_rows), times=None))
    kept = next(each for each in tenant.all("sales_returns") if each["order_no"] == "RO-2")
    (row,) = kept["sales_return_rows"]
    shown = (await stage.call("get_sales_return", sales_return_id="RO-2"))["sales_return"]
    assert shown["sales_order_no"] == tenant.get("sales_orders", kept["sales_order_id"])["order_no"]
    assert shown["customer"] == tenant.get("customers", kept["customer_id"])["name"]
    (line,) = shown["rows"]
    assert line["sku"] == tenant.get("variants", row["variant_id"])["sku"]
    assert (line["quantity"], line["currency"]) == (1, kept["currency"])
    assert line["net_price_per_unit"] == float(row["net_price_per_unit"])
    assert line["restock_location"] == tenant.get("locations", row["restock_location_id"])["name"]
    listed = await stage.call("list_sales_returns", skus_or_variant_ids=[line["sku"]], include_rows=True)
    assert [each["rows"][0]["sales_return_row_id"] for each in listed["rows"]] == [row["id"]]
