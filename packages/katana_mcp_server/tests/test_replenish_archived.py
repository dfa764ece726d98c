"""What is archived is not replenished, and named where an open order needs it."""

import pytest
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage, paced
from katana_mcp.workflows import replenish_reading
from katana_sandbox import ManualClock, Tenant
from katana_sandbox.store.keys import FIRST_ID

MAIN, ARCHIVED = FIRST_ID, "2026-03-01T00:00:00.000Z"


@pytest.fixture
def felt(tenant: Tenant) -> Wire:
    """Return an archived material with a reorder point, which no order needs."""
    made = tenant.create("materials", {"name": "Felt", "uom": "pcs", "variants": [{"sku": "FELT-1"}]})
    variant = made["variants"][0]["id"]
    tenant.create("inventory_safety_stock_levels", {"variant_id": variant, "location_id": MAIN, "value": 3})
    tenant.edit("materials", made["id"], archived_at=ARCHIVED)
    return tenant.get("variants", variant)


def _sell(tenant: Tenant, variant: int, quantity: int, status: str = "NOT_SHIPPED") -> Wire:
    customer = live(tenant, "customers")[0]["id"]
    rows = [{"variant_id": variant, "quantity": quantity, "price_per_unit": 9}]
    order = {"order_no": "SO-9001", "customer_id": customer, "location_id": MAIN, "status": status}
    return tenant.create("sales_orders", {**order, "sales_order_rows": rows})


async def _asked(stage: Stage, clock: ManualClock, **arguments: object) -> Payload:
    clock.advance(3_600)
    return await paced(clock, stage.call("replenish", **arguments))


async def test_an_archived_item_that_an_open_order_needs_is_named_unasked(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire
) -> None:
    _sell(tenant, felt["id"], 7)
    for arguments in ({}, {"skus_or_variant_ids": ["FELT-1"]}, {"horizon_days": 30}):
        answer = await _asked(stage, clock, **arguments)
        (phrase,) = [phrase for phrase in answer["cannot_order"] if " FELT-1 " in phrase]
        assert phrase.startswith("10 FELT-1 (Felt) at Main workshop: it is archived or deleted in Katana; ")
        assert phrase.endswith("; 7 needed: SO-9001 7; reorder point 3; 0 in stock")


async def test_an_archived_item_that_no_open_order_needs_is_not_named(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire
) -> None:
    _sell(tenant, felt["id"], 7, "PENDING")
    answer = await _asked(stage, clock)
    assert [phrase for phrase in answer["cannot_order"] if " FELT-1 " in phrase] == []


async def test_an_archived_ingredient_that_is_left_to_take_is_named(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    rows = live(tenant, "manufacturing_order_recipe_rows")
    row = next(row for row in rows if row["ingredient_availability"] == "NOT_AVAILABLE")
    variant = tenant.get("variants", row["variant_id"])
    tenant.edit("materials", variant["material_id"], archived_at=ARCHIVED)
    answer = await _asked(stage, clock)
    phrases = [phrase for phrase in answer["cannot_order"] if f" {variant['sku']} (" in phrase]
    assert phrases
    assert all(": it is archived or deleted in Katana; " in phrase for phrase in phrases)


async def test_an_archived_product_that_has_to_be_made_says_that_it_is_archived(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    made = next(
        variant
        for row in live(tenant, "bom_rows")
        if (variant := tenant.get("variants", row["product_variant_id"]))["sku"]
    )
    _sell(tenant, made["id"], 5_000)
    before = await _asked(stage, clock)
    tenant.edit("products", made["product_id"], archived_at=ARCHIVED)
    after = await _asked(stage, clock)
    phrases = [[phrase for phrase in answer["to_make"] if f" {made['sku']} (" in phrase] for answer in (before, after)]
    ((plain,), (archived,)) = phrases
    quantity, _, rest = plain.partition("; ")
    assert archived == f"{quantity}; archived in Katana; {rest}"


async def test_what_is_archived_crowds_nothing_out(
    stage: Stage, tenant: Tenant, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [variant["id"] for variant in live(tenant, "variants") if variant.get("material_id")]
    for plural in ("products", "materials"):
        for item in live(tenant, plural):
            tenant.edit(plural, item["id"], archived_at=ARCHIVED)
    made = tenant.create("materials", {"name": "Last", "uom": "pcs", "variants": [{"sku": "LAST-1"}]})
    last = made["variants"][0]["id"]
    tenant.create("inventory_safety_stock_levels", {"variant_id": last, "location_id": MAIN, "value": 3})
    assert last > max(before)
    monkeypatch.setattr(replenish_reading, "_MOST", len(before))
    answer = await _asked(stage, clock)
    assert [phrase for phrase in answer["cannot_order"] if phrase.startswith("3 LAST-1 ")]
    assert "truncated_result" in {warning["code"] for warning in answer["warnings"]}
