"""Sales returns are shown with their rows, whether or not Katana lists these inside of them."""

from typing import cast

from server_wire import Wire

from katana_mcp.testing import Stage
from katana_sandbox import EditBody, Fault, ManualClock, Tenant


def _without_rows(body: object) -> Wire:
    return {"data": [record | {"sales_return_rows": None} for record in cast("Wire", body)["data"]]}


async def test_rows_are_shown_though_the_listing_of_returns_embeds_none(stage: Stage, tenant: Tenant) -> None:
    stage.own.sandbox.faults.add(Fault("GET /sales_returns", action=EditBody(_without_rows), times=None))
    kept = next(record for record in tenant.all("sales_returns") if record["order_no"] == "RO-2")
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
    assert [document["rows"][0]["sales_return_row_id"] for document in listed["rows"]] == [row["id"]]


async def test_a_return_is_found_by_what_a_clerk_has_in_hand(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    kept = next(record for record in tenant.all("sales_returns") if record["order_no"] == "RO-2")
    tenant.edit("sales_returns", kept["id"], True, tracking_number="1Z-990-417", additional_info="scratched frame")
    clock.advance(61)
    sold = tenant.get("sales_orders", kept["sales_order_id"])
    customer = tenant.get("customers", kept["customer_id"])
    for typed in ("ro-2", sold["order_no"], customer["name"].split()[0], "1z990417", "scratched"):
        found = (await stage.call("search_sales_returns", query=typed))["rows"]
        assert kept["id"] in [row["sales_return_id"] for row in found], typed
    tenant.edit("sales_orders", sold["id"], True, order_no="SO-RENAMED-9")
    clock.advance(60)
    (found,) = (await stage.call("search_sales_returns", query="renamed-9"))["rows"]
    assert (found["order_no"], found["sales_order_no"]) == ("RO-2", "SO-RENAMED-9")
    assert (await stage.call("search_sales_returns", query="1z990418"))["empty"]["fields"]
