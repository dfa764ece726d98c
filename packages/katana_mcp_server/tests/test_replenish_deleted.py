"""What is deleted is not replenished, and named where open orders, or what has to be made, need it."""

import pytest
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage, paced
from katana_sandbox import ManualClock, Tenant
from katana_sandbox.store.keys import FIRST_ID

MAIN, GONE = FIRST_ID, "it is archived or deleted in Katana"


@pytest.fixture
def felt(tenant: Tenant) -> Wire:
    """Return a variant of a bought material, which has a reorder point."""
    supplier = live(tenant, "suppliers")[0]["id"]
    sent = {"name": "Felt", "uom": "pcs", "default_supplier_id": supplier}
    made = tenant.create("materials", {**sent, "variants": [{"sku": "FELT-1", "purchase_price": 2}]})
    variant = made["variants"][0]
    tenant.create("inventory_safety_stock_levels", {"variant_id": variant["id"], "location_id": MAIN, "value": 3})
    return variant


@pytest.fixture
def pad(tenant: Tenant, felt: Wire) -> Wire:
    """Return a variant of a product that is made of two of it."""
    sent = {"name": "Pad", "uom": "pcs", "is_producible": True, "variants": [{"sku": "PAD-9"}]}
    variant = tenant.create("products", sent)["variants"][0]
    of = {"product_item_id": variant["product_id"], "product_variant_id": variant["id"]}
    tenant.create("bom_rows", {**of, "ingredient_variant_id": felt["id"], "quantity": 2})
    return variant


def _sell(tenant: Tenant, variant: Wire, quantity: int) -> None:
    customer = live(tenant, "customers")[0]["id"]
    rows = [{"variant_id": variant["id"], "quantity": quantity, "price_per_unit": 9}]
    order = {"order_no": "SO-9001", "customer_id": customer, "location_id": MAIN}
    due = {"delivery_date": "2026-03-20T08:00:00Z"}
    tenant.create("sales_orders", {**order, **due, "sales_order_rows": rows})


def _make(tenant: Tenant, variant: Wire, quantity: int) -> None:
    order = {"order_no": "MO-9001", "variant_id": variant["id"], "planned_quantity": quantity, "location_id": MAIN}
    tenant.create("manufacturing_orders", {**order, "status": "NOT_STARTED"})


async def _asked(stage: Stage, clock: ManualClock, **arguments: object) -> Payload:
    clock.advance(3_600)
    return await paced(clock, stage.call("replenish", **arguments))


def _of(answer: Payload, name: str, sku: str) -> list[str]:
    return [phrase for phrase in answer[name] if f" {sku} (" in phrase]


@pytest.mark.parametrize("collection", ["variants", "materials"])
async def test_a_deleted_item_that_an_open_order_needs_is_named_unasked(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire, collection: str
) -> None:
    _sell(tenant, felt, 7)
    tenant.delete(collection, felt["id"] if collection == "variants" else felt["material_id"])
    phrase = f"7 FELT-1 (Felt) at Main workshop: {GONE}; 7 needed: SO-9001 7 by 2026-03-20"
    for arguments in ({}, {"skus_or_variant_ids": [felt["id"]]}, {"horizon_days": 30}, {"location_id": MAIN}):
        assert _of(await _asked(stage, clock, **arguments), "cannot_order", "FELT-1") == [phrase]
    for arguments in ({"horizon_days": 3}, {"location_id": MAIN + 1}):
        assert _of(await _asked(stage, clock, **arguments), "cannot_order", "FELT-1") == []


async def test_a_deleted_item_that_no_open_order_needs_is_not_named(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire
) -> None:
    tenant.delete("variants", felt["id"])
    assert "FELT-1" not in f"{await _asked(stage, clock)}"


async def test_what_orders_take_of_a_deleted_ingredient_counts_beside_what_is_to_be_made_of_it(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire, pad: Wire
) -> None:
    _make(tenant, pad, 4)
    _sell(tenant, pad, 5)
    tenant.delete("variants", felt["id"])
    for arguments in ({}, {"skus_or_variant_ids": ["PAD-9"]}):
        answer = await _asked(stage, clock, **arguments)
        assert _of(answer, "to_make", "PAD-9")[0].startswith("1 PAD-9 (Pad) at Main workshop; 5 needed")
        expected = f"10 FELT-1 (Felt) at Main workshop: {GONE}; 8 needed: MO-9001 8; 2 to make PAD-9"
        assert _of(answer, "cannot_order", "FELT-1") == [expected]


async def test_a_deleted_product_is_not_to_be_made_and_nothing_is_ordered_for_it(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire, pad: Wire
) -> None:
    _sell(tenant, pad, 5)
    before = await _asked(stage, clock)
    tenant.delete("products", pad["product_id"])
    after = await _asked(stage, clock)
    shorts = [
        [line["short"] for order in answer["orders"] for line in order["lines"] if line.get("sku") == "FELT-1"]
        for answer in (before, after)
    ]
    assert shorts == [[13], [3]]
    assert [len(_of(answer, "to_make", "PAD-9")) for answer in (before, after)] == [1, 0]
    phrase = f"5 PAD-9 (Pad) at Main workshop: {GONE}; 5 needed: SO-9001 5 by 2026-03-20"
    assert _of(after, "cannot_order", "PAD-9") == [phrase]


async def test_of_a_deleted_supplier_nothing_is_ordered(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire
) -> None:
    tenant.delete("suppliers", tenant.get("materials", felt["material_id"])["default_supplier_id"])
    answer = await _asked(stage, clock, skus_or_variant_ids=["FELT-1"])
    phrase = "3 FELT-1 (Felt) at Main workshop: its supplier is deleted in Katana; reorder point 3; 0 in stock"
    assert (answer["orders"], answer["cannot_order"], answer["warnings"]) == ([], [phrase], [])
    assert answer["message"].startswith("nothing is to be ordered, 1 short item cannot be ordered; ")
