"""One order from the day it arrives to the day its goods are recalled, told through a client that knows the tools.

An order arrives, something is short, it is bought, received against a wrong document, built, shipped, and what the
supplier's invoice says is corrected. The supplier recalls the batch: one call says who has what is made of it. Then the
ledger adds up: quantities, values, and one record of each.
"""

import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import staged
from katana_sandbox import ManualClock, Sandbox, Tenant

from .clerk import Clerk, direct, over_stdio, patient

LOT, USED = "LOT-77", 5
BIKE, LUBE, SHOP, CUSTOMER = "RTGR-S-SIG", "LUBE", "Main workshop", "Cykelhuset Kovač"
CHECK = "verify_order_document"
REQUESTS = 225
"""Of the whole story, a cold cache included, each plan a minute after the one before."""


async def _ordered(clerk: Clerk) -> tuple[str, int]:
    """Take an order, and begin to make what it sells; return its number, and what makes it."""
    row = {"sku_or_variant_id": BIKE, "quantity": 12, "price_per_unit": 3000}
    sold = await clerk.does("create_sales_order", customer_id=CUSTOMER, rows=[row], location_id=SHOP)
    made = await clerk.does("create_manufacturing_orders", sales_order_id=sold["number"])
    (promised,) = (await clerk.asks("promise_date", sales_order_id=sold["number"]))["rows"]
    assert next(source["source"] for source in promised["sources"]) == "stock"
    return sold["number"], made["actions"][0]["id"]


async def _bought(clerk: Clerk, building: int) -> tuple[str, dict[str, Any]]:
    """Order what is short; return the number of the purchase order, and its line."""
    recipe = (await clerk.asks("get_manufacturing_order_recipe", manufacturing_order_id=building))["order"]
    short = [row["sku"] for row in recipe["recipe_rows"] if row["ingredient_availability"] == "NOT_AVAILABLE"]
    assert short == [LUBE]
    clerk.rest()
    (draft,) = (await clerk.asks("replenish", skus_or_variant_ids=short, location_id=SHOP))["orders"]
    bought = await clerk.applies(draft["plan_token"])
    await clerk.does("modify_purchase_order", purchase_order_id=bought["number"], status="NOT_RECEIVED")
    return bought["number"], draft["lines"][0]


async def _received(clerk: Clerk, order: str, quantity: float, batch: int) -> None:
    """Receive what a delivery note says, which is less than was ordered, and the rest when it comes."""
    note = [{"sku": LUBE, "quantity": quantity - 8}]
    checked = await clerk.asks(CHECK, purchase_order_id=order, lines=note)
    assert [difference["kind"] for difference in checked["differences"]] == ["quantity"]
    (row,) = checked["receive"]["rows"]
    noted = [{**row, "batches": [{"batch_id": batch, "quantity": quantity - 8}]}]
    came = await clerk.does("receive_purchase_order", purchase_order_id=order, rows=noted)
    assert came["status"] == "PARTIALLY_RECEIVED"
    later = [{"row_id": row["row_id"], "batches": [{"batch_id": batch, "quantity": 8}]}]
    await clerk.does("receive_purchase_order", purchase_order_id=order, rows=later)


async def _corrected(clerk: Clerk, order: str, line: dict[str, Any]) -> None:
    """Correct the price of what was received, as the invoice has it: reopened, changed, received again."""
    lines = [{"sku": LUBE, "quantity": line["quantity"], "price": line["price"] + 3}]
    invoice: dict[str, object] = {"purchase_order_id": order, "lines": lines, "kind": "invoice"}
    billed = await clerk.asks(CHECK, **invoice)
    (settle,) = [difference["settle"] for difference in billed["differences"] if difference["kind"] == "price"]
    corrected = await clerk.does(settle["tool"], **settle["arguments"])
    assert (settle["tool"], corrected["status"]) == ("correct_purchase_order", "RECEIVED")
    clerk.rest()
    assert (await clerk.asks(CHECK, **invoice))["differences"] == []


async def _built(clerk: Clerk, building: int, batch: int) -> None:
    """Report what was made, with what is used of the batch."""
    recipe = (await clerk.asks("get_manufacturing_order_recipe", manufacturing_order_id=building))["order"]
    (used,) = [row for row in recipe["recipe_rows"] if row["sku"] == LUBE]
    quantity = used["total_remaining_quantity"]
    taken = {"recipe_row_id": used["recipe_row_id"], "quantity": quantity}
    batches = [{"batch_id": batch, "quantity": USED}]
    await clerk.does(
        "complete_manufacturing_order", manufacturing_order_id=building, ingredients=[{**taken, "batches": batches}]
    )


async def _recalled(clerk: Clerk, sold: str, bought: str) -> None:
    """Find who has what is made of a batch, and from a customer's order back to its supplier."""
    clerk.rest()
    recall = await clerk.asks("trace", number=LOT, direction="down")
    assert [(customer["customer"], customer["sku"], customer["shipped"]) for customer in recall["customers"]] == [
        (CUSTOMER, BIKE, 12)
    ]
    assert recall["customers"][0]["orders"] == [sold]
    assert (recall["lots"][0]["used"], recall["lots"][0]["unaccounted"]) == (USED, 0)
    origins = await clerk.asks("trace", number=sold, kind="sales_order")
    assert {row["order_no"] for row in origins["rows"] if row["event"] == "received"} == {bought}


async def story(clerk: Clerk, batch: int) -> None:
    """Tell it; each step begins with what the one before answered."""
    sold, building = await _ordered(clerk)
    bought, line = await _bought(clerk, building)
    await _received(clerk, bought, line["quantity"], batch)
    await _built(clerk, building, batch)
    shipped = await clerk.does("fulfill_order", sales_order_id=sold, tracking_number="1Z 999 AA1")
    assert shipped["status"] == "DELIVERED"
    await _corrected(clerk, bought, line)
    await _recalled(clerk, sold, bought)


async def adds_up(clerk: Clerk, tenant: Tenant, before: dict[str, int]) -> None:
    """Assert that stock is the sum of its movements, worth what Katana says, and nothing was made twice."""
    moved: dict[tuple[int, int], Decimal] = {}
    for movement in tenant.all("inventory_movements"):
        pair = movement["variant_id"], movement["location_id"]
        moved[pair] = moved.get(pair, Decimal(0)) + Decimal(str(movement["quantity_change"]))
    held = {(record["variant_id"], record["location_id"]): record for record in tenant.all("inventory")}
    stock = {pair: Decimal(str(record["quantity_in_stock"])) for pair, record in held.items()}
    assert {pair: count for pair, count in moved.items() if count} == {
        pair: count for pair, count in stock.items() if count
    }
    worth = sum((Decimal(str(record["value_in_stock"])) for record in held.values()), Decimal(0))
    clerk.rest()
    assert round(Decimal(str((await clerk.asks("stock_value"))["value"])), 4) == round(worth, 4)
    assert {name: tenant.count(name) - count for name, count in before.items()} == dict.fromkeys(before, 1)


COUNTED = ("sales_orders", "manufacturing_orders", "purchase_orders", "sales_order_fulfillments")


def _batch(tenant: Tenant) -> int:
    """Have what is short be told apart by batches; return the id of the one that is to come."""
    variant = next(record for record in tenant.all("variants") if record["sku"] == LUBE)
    tenant.edit("materials", variant["material_id"], batch_tracked=True)
    return tenant.create("batches", {"batch_number": LOT, "variant_id": variant["id"]})["id"]


async def _run_story(clerk: Clerk, tenant: Tenant) -> None:
    before = {name: tenant.count(name) for name in COUNTED}
    await story(clerk, _batch(tenant))
    await adds_up(clerk, tenant, before)


async def test_an_order_is_bought_for_built_shipped_and_its_mistake_corrected() -> None:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(clock=clock))
    async with staged(own) as stage:
        await _run_story(Clerk(direct(stage), lambda: clock.advance(61)), own.sandbox.tenant())
        assert stage.requests() <= REQUESTS
        sys.stdout.write(f"\nrequests of the story: {stage.requests()}\n")


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_the_story_holds_for_a_real_process_over_stdio(tmp_path: Path) -> None:
    sandbox = Sandbox()
    async with sandbox.serve() as url, over_stdio(url, sandbox.default_key, tmp_path) as client:
        await _run_story(Clerk(patient(client), lambda: None), sandbox.tenant())
        sys.stdout.write(f"\nrequests of the story over stdio: {len(sandbox.journal)}\n")
