"""A lot of glue: from a batch that is made to what of it lies where and what is promised of it, over a real client."""

from pathlib import Path
from typing import Any

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import staged
from katana_sandbox import ManualClock, Sandbox, Tenant

from .clerk import Clerk, direct, over_stdio, patient

SKU = "GLUE-9"


async def _lying(clerk: Clerk) -> dict[str, float]:
    """Return how much of the lot lies at which location, by its name."""
    clerk.rest()
    found = (await clerk.asks("list_traceability", skus_or_variant_ids=[SKU]))["rows"]
    return {row["location"]: row["quantity_in_stock"] for row in found if row["quantity_in_stock"]}


async def _run_story(clerk: Clerk, tenant: Tenant) -> None:
    """Book a batch in, move a part of it, promise another part to a customer, and take both back."""
    first, second = [place for place in tenant.all("locations") if place["sales_allowed"]][:2]
    customer = next(record for record in tenant.all("customers") if not record["deleted_at"])
    glue: dict[str, Any] = {"sku": SKU, "purchase_price": 3, "sales_price": 9}
    await clerk.does("create_item", type="material", name="Glue", uom="kg", batch_tracked=True, variants=[glue])
    await clerk.does("modify_traceability", sku_or_variant_id=SKU, batch_number="LOT-1")
    lot = next(batch["id"] for batch in tenant.all("batches") if batch["batch_number"] == "LOT-1")
    part = {"sku_or_variant_id": SKU, "quantity": 5, "traceability": [{"batch_id": lot, "quantity": 5}]}
    await clerk.does("create_stock_adjustment", location_id=first["id"], rows=[part])
    assert await _lying(clerk) == {first["name"]: 5}

    part = {"sku_or_variant_id": SKU, "quantity": 2, "traceability": [{"batch_id": lot, "quantity": 2}]}
    places = {"source_location_id": first["id"], "destination_location_id": second["id"]}
    moved = await clerk.does("create_stock_transfer", **places, rows=[part])
    await clerk.does("modify_stock_transfer", stock_transfer_id=moved["number"], status="received")
    assert await _lying(clerk) == {first["name"]: 3, second["name"]: 2}

    rows = [{"sku_or_variant_id": SKU, "quantity": 3}]
    sold = await clerk.does("create_sales_order", customer_id=customer["id"], location_id=first["id"], rows=rows)
    (row,) = [row for row in tenant.all("sales_order_rows") if row["sales_order_id"] == sold["id"]]
    promise = [{"row_id": row["id"], "traceability": [{"batch_id": lot, "quantity": 3}]}]
    kept = await clerk.does("modify_sales_order", sales_order_id=sold["number"], update_rows=promise)
    held = tenant.get("sales_order_rows", row["id"])["traceability"]
    assert [(entry["batch_id"], float(entry["quantity"])) for entry in held] == [(lot, 3)]
    await clerk.does(kept["revert"]["tool"], **kept["revert"]["arguments"])
    assert tenant.get("sales_order_rows", row["id"])["traceability"] == []

    await clerk.does("modify_stock_transfer", stock_transfer_id=moved["number"], status="draft")
    assert await _lying(clerk) == {first["name"]: 5}


async def test_a_batch_is_booked_in_moved_promised_and_put_back() -> None:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(clock=clock))
    async with staged(own) as stage:
        await _run_story(Clerk(direct(stage), lambda: clock.advance(61)), own.sandbox.tenant())


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_it_is_through_a_real_client_of_a_real_process(tmp_path: Path) -> None:
    sandbox = Sandbox()
    async with sandbox.serve() as url, over_stdio(url, sandbox.default_key, tmp_path) as client:
        await _run_story(Clerk(patient(client), lambda: None), sandbox.tenant())
