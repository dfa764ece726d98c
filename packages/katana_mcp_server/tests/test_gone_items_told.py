"""Lists of what waits, or is short, say of what is archived or deleted in Katana that it is."""

import pytest
from server_wire import Wire, live

from katana_mcp.testing import Payload, Stage, paced
from katana_sandbox import ManualClock, Tenant
from katana_sandbox.store.keys import FIRST_ID

MAIN, ARCHIVED = FIRST_ID, "2026-03-01T00:00:00.000Z"
STATES: dict[str, dict[str, bool]] = {"archived": {"archived": True}, "deleted": {"deleted": True}, "live": {}}


@pytest.fixture
def felt(tenant: Tenant) -> Wire:
    """Return a variant of a bought material, of which nothing is there."""
    supplier = live(tenant, "suppliers")[0]["id"]
    sent = {"name": "Felt", "uom": "pcs", "default_supplier_id": supplier, "variants": [{"sku": "FELT-1"}]}
    return tenant.create("materials", sent)["variants"][0]


def _put(tenant: Tenant, variant: Wire, state: str) -> None:
    if state == "archived":
        tenant.edit("materials", variant["material_id"], archived_at=ARCHIVED)
    elif state == "deleted":
        tenant.delete("variants", variant["id"])


def _told(row: Wire) -> dict[str, bool]:
    return {name: row[name] for name in ("archived", "deleted") if name in row}


async def _asked(stage: Stage, clock: ManualClock, tool: str, **arguments: object) -> Payload:
    clock.advance(3_600)
    return await paced(clock, stage.call(tool, limit=50, **arguments))


@pytest.mark.parametrize("state", STATES)
async def test_a_row_that_waits_says_whether_its_item_is_gone(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire, state: str
) -> None:
    customer = live(tenant, "customers")[0]["id"]
    rows = [{"variant_id": felt["id"], "quantity": 7, "price_per_unit": 9}]
    order = {"order_no": "SO-9001", "customer_id": customer, "location_id": MAIN, "sales_order_rows": rows}
    key = tenant.create("sales_orders", order)["id"]
    _put(tenant, felt, state)
    answer = await _asked(stage, clock, "order_readiness", customer_id=customer)
    (found,) = [row for row in answer["rows"] if row["sales_order_id"] == key]
    assert [_told(row) for row in found["waiting"]] == [STATES[state]]


@pytest.mark.parametrize("state", STATES)
async def test_an_ingredient_that_blocks_says_whether_it_is_gone(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire, state: str
) -> None:
    sent = {"name": "Pad", "uom": "pcs", "is_producible": True, "variants": [{"sku": "PAD-9"}]}
    pad = tenant.create("products", sent)["variants"][0]
    of = {"product_item_id": pad["product_id"], "product_variant_id": pad["id"]}
    tenant.create("bom_rows", {**of, "ingredient_variant_id": felt["id"], "quantity": 2})
    order = {"order_no": "MO-9001", "variant_id": pad["id"], "planned_quantity": 4, "location_id": MAIN}
    key = tenant.create("manufacturing_orders", {**order, "status": "NOT_STARTED"})["id"]
    _put(tenant, felt, state)
    answer = await _asked(stage, clock, "list_blocking_ingredients", manufacturing_order_id=key)
    assert [row["sku"] for row in answer["rows"]] == ["FELT-1"]
    message = f"{state} in Katana, so that `replenish` orders no more of it: FELT-1"
    told = [(warning["code"], warning["message"]) for warning in answer["warnings"]]
    assert told == ([] if state == "live" else [(f"{state}_item", message)])


@pytest.mark.parametrize("is_deleted", [False, True])
async def test_a_supplier_of_lines_to_order_who_is_deleted_is_named(
    stage: Stage, tenant: Tenant, clock: ManualClock, felt: Wire, is_deleted: bool
) -> None:
    tenant.create("inventory_safety_stock_levels", {"variant_id": felt["id"], "location_id": MAIN, "value": 3})
    supplier = tenant.create("suppliers", {"name": "Gone Ltd", "currency": "EUR"})["id"]
    tenant.edit("materials", felt["material_id"], default_supplier_id=supplier)
    if is_deleted:
        tenant.delete("suppliers", supplier)
    answer = await _asked(stage, clock, "list_low_stock_items")
    assert "FELT-1" in {row.get("sku") for row in answer["rows"]}
    told = [warning["message"] for warning in answer["warnings"] if warning["code"] == "deleted_item"]
    message = (
        "supplier Gone Ltd is deleted in Katana, and is the default one of 1 line to order; modify_item names another"
    )
    assert told == ([message] if is_deleted else [])
