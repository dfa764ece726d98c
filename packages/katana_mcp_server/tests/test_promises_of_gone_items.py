"""`promise_date` gives no day to what would have to be made or bought of an item that is archived or deleted."""

import pytest
from server_wire import Wire

from katana_mcp.testing import Payload, Stage, paced
from katana_sandbox import ManualClock, Tenant
from katana_sandbox.store.keys import FIRST_ID

MAIN, ARCHIVED = FIRST_ID, "2026-03-01T00:00:00.000Z"
GONE = "it is archived or deleted in Katana"


@pytest.fixture
def felt(tenant: Tenant) -> Wire:
    """Return a material with a lead time, of which nothing is there."""
    sent = {"name": "Felt", "uom": "pcs", "variants": [{"sku": "FELT-1", "lead_time": 9}]}
    return tenant.create("materials", sent)["variants"][0]


@pytest.fixture
def pad(tenant: Tenant, felt: Wire) -> Wire:
    """Return a product that is made of it."""
    sent = {"name": "Pad", "uom": "pcs", "is_producible": True, "variants": [{"sku": "PAD-9"}]}
    made = tenant.create("products", sent)
    variant = made["variants"][0]
    tenant.edit("variants", variant["id"], lead_time=2)
    named = {"product_item_id": made["id"], "product_variant_id": variant["id"], "ingredient_variant_id": felt["id"]}
    tenant.create("bom_rows", {**named, "quantity": 1})
    return variant


async def _asked(stage: Stage, clock: ManualClock, sku: str, quantity: int = 3) -> Payload:
    clock.advance(3_600)
    rows = [{"sku_or_variant_id": sku, "quantity": quantity}]
    return await paced(clock, stage.call("promise_date", rows=rows, location_id=MAIN))


async def test_a_product_made_of_an_ingredient_that_is_gone_has_no_day(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire, pad: Wire
) -> None:
    assert (await _asked(stage, clock, pad["sku"]))["date"] == "2026-03-13"
    tenant.delete("variants", felt["id"])
    answer = await _asked(stage, clock, pad["sku"])
    (row,) = answer["rows"]
    assert ("date" in answer, "date" in row, row["note"]) == (False, False, f"FELT-1: {GONE}")
    assert row["sources"] == [{"quantity": 3, "source": "make", "lead_time": 2, "waits_for": "FELT-1"}]


async def test_of_an_archived_item_only_what_is_there_has_a_day(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire
) -> None:
    tenant.set_stock(felt["id"], MAIN, 2)
    tenant.edit("materials", felt["material_id"], archived_at=ARCHIVED)
    there = await _asked(stage, clock, felt["sku"], 2)
    assert (there["date"], "note" in there["rows"][0]) == ("2026-03-02", False)
    more = await _asked(stage, clock, felt["sku"], 3)
    (row,) = more["rows"]
    assert ("date" in more, row["note"], row["free_now"]) == (False, GONE, 2)
    assert [(source["source"], source["quantity"]) for source in row["sources"]] == [("stock", 2), ("buy", 1)]


async def test_a_deleted_product_is_not_made(stage: Stage, tenant: Tenant, clock: ManualClock, pad: Wire) -> None:
    tenant.delete("products", pad["product_id"])
    (row,) = (await _asked(stage, clock, pad["sku"]))["rows"]
    assert ("date" in row, row["note"], row["sources"]) == (False, GONE, [{"quantity": 3, "source": "make"}])
