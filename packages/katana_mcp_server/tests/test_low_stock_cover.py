"""What is short and need not be ordered: drafts bring it, or other locations can spare it; as `replenish` has it."""

import pytest
from server_wire import Wire, amount, live

from katana_mcp.testing import Payload, Stage, paced
from katana_sandbox import ManualClock, Tenant
from katana_sandbox.store.keys import FIRST_ID

LOW, MAIN, NORTH, SHORT = "list_low_stock_items", FIRST_ID, FIRST_ID + 1, 60
ORDER = ("order_quantity", "purchase_price", "line_value", "currency")


@pytest.fixture
def pad(tenant: Tenant) -> Wire:
    """Return a part of which 60 are short in the north, and none is free in the main workshop."""
    variant = next(variant for variant in live(tenant, "variants") if variant["sku"] == "PAD")
    body = {"variant_id": variant["id"], "location_id": NORTH, "value": SHORT}
    tenant.create("inventory_safety_stock_levels", body)
    tenant.set_stock(variant["id"], NORTH, float(amount(_level(tenant, variant, NORTH)["quantity_committed"])))
    _spare(tenant, variant, 0)
    return variant


def _level(tenant: Tenant, variant: Wire, location: int) -> Wire:
    return tenant.get("inventory", (variant["id"], location))


def _spare(tenant: Tenant, variant: Wire, quantity: int) -> None:
    """Have the main workshop spare so much of a part."""
    level = _level(tenant, variant, MAIN)
    kept = amount(level["quantity_committed"]) + amount(level["reorder_point"])
    tenant.set_stock(variant["id"], MAIN, float(kept + quantity))


def _draft(tenant: Tenant, variant: Wire, quantity: int, **more: object) -> None:
    """Draft a purchase order of so much of a part for the north."""
    model = next(tenant.all("purchase_orders"))
    rows = [{"variant_id": variant["id"], "quantity": quantity, "price_per_unit": 1, **more}]
    ends = {"supplier_id": model["supplier_id"], "location_id": NORTH, "order_no": "PO-DRAFT"}
    tenant.create("purchase_orders", {**ends, "status": "DRAFT", "purchase_order_rows": rows})


async def _asked(stage: Stage, clock: ManualClock, variant: Wire, **filters: object) -> tuple[Payload, Payload]:
    """Return the answer, read anew, and its row of a part in the north."""
    clock.advance(3_600)
    answer = await paced(clock, stage.call(LOW, limit=250, **filters))
    (row,) = [row for row in answer["rows"] if (row["variant_id"], row["location_id"]) == (variant["id"], NORTH)]
    return answer, row


async def test_what_drafts_bring_is_named_and_not_ordered_again(
    stage: Stage, tenant: Tenant, clock: ManualClock, pad: Wire
) -> None:
    before, row = await _asked(stage, clock, pad)
    assert (row["short"], row["order_quantity"], "drafted" in row) == (SHORT, SHORT, False)
    _draft(tenant, pad, 20)
    _, row = await _asked(stage, clock, pad)
    assert (row["short"], row["drafted"], row["order_quantity"]) == (SHORT, 20, SHORT - 20)
    _draft(tenant, pad, 4, purchase_uom="box", purchase_uom_conversion_rate=10)
    after, row = await _asked(stage, clock, pad)
    assert (row["short"], row["drafted"], [name for name in ORDER if name in row]) == (SHORT, SHORT, [])
    lines = [sum(supplier["lines"] for supplier in answer["to_order"]) for answer in (before, after)]
    assert lines[1] == lines[0] - 1
    assert after["next_actions"] == before["next_actions"]


async def test_a_draft_transfer_brings_what_it_moves(
    stage: Stage, tenant: Tenant, clock: ManualClock, pad: Wire
) -> None:
    _spare(tenant, pad, 20)
    ends = {"source_location_id": MAIN, "target_location_id": NORTH, "stock_transfer_number": "ST-DRAFT"}
    rows = [{"variant_id": pad["id"], "quantity": "20"}]
    moved = tenant.create("stock_transfers", {**ends, "stock_transfer_rows": rows})
    tenant.edit("stock_transfers", moved["id"], status="draft")
    _spare(tenant, pad, 20)
    _, row = await _asked(stage, clock, pad)
    assert (row["drafted"], row["order_quantity"], "free_elsewhere" in row) == (20, SHORT - 20, False)


@pytest.mark.parametrize("spared", [SHORT, SHORT - 1])
async def test_what_another_location_can_spare_all_of_is_not_ordered(
    stage: Stage, tenant: Tenant, clock: ManualClock, pad: Wire, spared: int
) -> None:
    _spare(tenant, pad, spared)
    for filters in ({}, {"location_id": NORTH}):
        _, row = await _asked(stage, clock, pad, **filters)
        assert (row["short"], row["free_elsewhere"]) == (SHORT, spared)
        assert row.get("order_quantity") == (None if spared == SHORT else SHORT)


async def test_only_who_can_do_without_an_order_is_told_of_transfers(
    stage: Stage, tenant: Tenant, clock: ManualClock, pad: Wire
) -> None:
    told = "replenish(...): plans these orders, and the transfers from elsewhere"
    supplier = tenant.get("materials", pad["material_id"])["default_supplier_id"]
    for spared, actions in ((SHORT - 1, []), (SHORT, [told])):
        _spare(tenant, pad, spared)
        answer, _ = await _asked(stage, clock, pad, location_id=NORTH, supplier_id=supplier)
        assert answer["next_actions"] == actions


async def test_what_is_free_covers_one_location_and_not_each(
    stage: Stage, tenant: Tenant, clock: ManualClock, pad: Wire
) -> None:
    south = NORTH + 100
    tenant.insert_raw("locations", {**tenant.get("locations", NORTH), "id": south, "name": "South"})
    tenant.create("inventory_safety_stock_levels", {"variant_id": pad["id"], "location_id": south, "value": 50})
    _spare(tenant, pad, SHORT + 10)
    answer, north = await _asked(stage, clock, pad)
    (row,) = [row for row in answer["rows"] if (row["variant_id"], row["location_id"]) == (pad["id"], south)]
    assert ("order_quantity" in north, north["free_elsewhere"]) == (False, SHORT + 10)
    assert (row["order_quantity"], row["free_elsewhere"]) == (50, 10)


async def test_it_orders_what_replenish_does_but_for_what_has_to_be_made(stage: Stage, clock: ManualClock) -> None:
    low, drafts = await stage.call(LOW, limit=250), await paced(clock, stage.call("replenish"))
    ordered = {
        (line["variant_id"], order["location_id"]): line["quantity"]
        for order in drafts["orders"]
        for line in order["lines"]
        if " to make " not in line["reason"]
    }
    shown = {(row["variant_id"], row["location_id"]): row for row in low["rows"]}
    assert len(ordered) > 10
    assert {place: shown[place].get("order_quantity") for place in ordered} == ordered
    assert len(drafts["to_transfer"]) > 10
    unordered = [row for row in low["rows"] if "free_elsewhere" in row and "order_quantity" not in row]
    named = [f"{row['short']} {row.get('sku', row['variant_id'])} (" for row in unordered]
    assert [name for name in named if not any(phrase.startswith(name) for phrase in drafts["to_transfer"])] == []
