"""`check_inventory` with `by_bin`: what lies in which bin, asked of Katana only then; it adds up to the level."""

import pytest

from katana_mcp.testing import Stage
from katana_sandbox import Fault, Status, Tenant

PLACE = 10000101


async def test_what_lies_in_bins_and_in_none_adds_up_to_the_stock_of_the_location(stage: Stage, tenant: Tenant) -> None:
    key = next(variant["id"] for variant in tenant.all("variants") if variant["sku"] == "FSKT-32M")
    shelf = tenant.create("bin_locations", {"bin_name": "A-1", "location_id": PLACE})["id"]
    part = {"bin_location_id": shelf, "quantity": 4}
    row = {"variant_id": key, "quantity": 4, "traceability": [part]}
    tenant.create("stock_adjustments", {"location_id": PLACE, "stock_adjustment_rows": [row]})
    plain = await stage.call("check_inventory", skus_or_variant_ids=["FSKT-32M"])
    asked = stage.requests()
    assert all("bins" not in level for level in plain["stock"][0]["locations"])
    answer = await stage.call("check_inventory", skus_or_variant_ids=["FSKT-32M"], by_bin=True)
    assert stage.requests() - asked == 2, "the bins, and what lies in them"
    levels = {level["location_id"]: level for level in answer["stock"][0]["locations"]}
    assert {"bin_location_id": shelf, "bin": "A-1", "in_stock": 4} in levels[PLACE]["bins"]
    for level in levels.values():
        assert sum(entry["in_stock"] for entry in level["bins"]) == level["in_stock"]


@pytest.mark.parametrize("path", ["/bin_locations", "/bin_inventory"])
async def test_without_an_answer_of_katana_nothing_is_said_of_bins(stage: Stage, path: str) -> None:
    stage.own.sandbox.faults.add(Fault(f"GET {path}", action=Status(500), times=None))
    refusal = await stage.refusal("check_inventory", skus_or_variant_ids=["FSKT-32M"], by_bin=True)
    assert refusal["error"] == "katana_unavailable"
    assert "stock by bin" in refusal["warnings"][0]["message"]
