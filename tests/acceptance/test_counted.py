"""A shelf is counted: from the question what is there to the booked difference, and the ledger adds up.

A clerk pastes what was counted from a sheet, mends the line that nobody understands, completes the stocktake, and
takes it back when it turns out that the wrong shelf was counted.
"""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import staged
from katana_sandbox import ManualClock, Sandbox, Tenant

from .clerk import Clerk, over_stdio, patient

SHOP = "Main workshop"
SHORT, OVER, EVEN = "FSKT-32M", "FSKT-34M", "FSKT-35M"


def _ledger(tenant: Tenant) -> dict[tuple[int, int], tuple[Decimal, Decimal]]:
    """Return what movements add up to and what the last one says is there, by variant and location."""
    sums: dict[tuple[int, int], tuple[Decimal, Decimal]] = {}
    for movement in sorted(
        tenant.all("inventory_movements"), key=lambda row: (row["movement_date"], row["rank"], row["id"])
    ):
        pair = movement["variant_id"], movement["location_id"]
        before = sums.get(pair, (Decimal(0), Decimal(0)))[0]
        sums[pair] = (before + Decimal(str(movement["quantity_change"])), Decimal(str(movement["balance_after"])))
    return sums


async def _in_stock(clerk: Clerk) -> dict[str, float]:
    stock = (await clerk.asks("check_inventory", skus_or_variant_ids=[SHORT, OVER, EVEN]))["stock"]
    return {
        row["sku"]: next(level["in_stock"] for level in row["locations"] if level["location"] == SHOP) for row in stock
    }


async def _counted(clerk: Clerk, tenant: Tenant) -> None:
    before, adjustments = await _in_stock(clerk), tenant.count("stock_adjustments")
    sheet = f"SKU;Counted\n{SHORT};{before[SHORT] - 2:g}\n{OVER};{before[OVER] + 1:g}\n{EVEN};about {before[EVEN]:g}"
    first = await clerk.asks("count_stock", location_id=SHOP, table=sheet, complete=True)
    assert first["misread"] == [f"line 4: {EVEN}: 'about {before[EVEN]:g}' is not a quantity: write 12 or 12.5"]
    assert "plan_token" not in first, "what is completed is never opened again: no line of it may be lost"

    preview = await clerk.asks("count_stock", location_id=SHOP, table=sheet.replace("about ", ""), complete=True)
    differences = {line["sku"]: line["difference"] for line in preview["lines"]}
    assert differences == {SHORT: -2, OVER: 1, EVEN: 0}
    value = sum(line["value"] for line in preview["lines"])
    assert abs(preview["value_difference"] - value) < 0.0001
    outcome = await clerk.carries_out(preview)
    assert await _in_stock(clerk) == {sku: before[sku] + more for sku, more in differences.items()}

    assert tenant.count("stock_adjustments") == adjustments + 1, "booked once"
    made = next(stocktake for stocktake in tenant.all("stocktakes") if stocktake["id"] == outcome["id"])
    listed = (await clerk.asks("list_stocktakes", stocktake_number=outcome["number"], include_rows=True))["rows"]
    assert [(row["status"], row["stock_adjustment_id"]) for row in listed] == [
        ("COMPLETED", made["stock_adjustment_id"])
    ]
    assert {row["sku"]: row["discrepancy_quantity"] for row in listed[0]["rows"]} == differences
    booked = await clerk.asks("get_stock_adjustment", stock_adjustment_id=made["stock_adjustment_id"])
    assert {row["sku"]: row["quantity"] for row in booked["adjustment"]["rows"]} == {SHORT: -2, OVER: 1}
    moved = await clerk.asks(
        "get_inventory_movements", skus_or_variant_ids=[SHORT], resource_type=["StockAdjustmentRow"]
    )
    assert [
        row["quantity_change"] for row in moved["rows"] if row["stock_adjustment_id"] == made["stock_adjustment_id"]
    ] == [-2]
    assert all(total == balance for total, balance in _ledger(tenant).values()), "the ledger adds up"

    back = await clerk.asks(outcome["revert"]["tool"], **outcome["revert"]["arguments"])
    await clerk.carries_out(back)
    assert await _in_stock(clerk) == before
    assert all(total == balance for total, balance in _ledger(tenant).values()), "and still does"


async def test_a_shelf_is_counted_booked_and_taken_back() -> None:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(clock=clock))
    async with staged(own) as stage:

        async def call(tool: str, arguments: dict[str, object]) -> dict[str, Any]:
            clock.advance(61)
            return await stage.call(tool, **arguments)

        await _counted(Clerk(call, lambda: None), own.sandbox.tenant())


@pytest.mark.soak
@pytest.mark.timeout(300)
async def test_it_holds_for_a_real_process_over_stdio(tmp_path: Path) -> None:
    sandbox = Sandbox()
    async with sandbox.serve() as url, over_stdio(url, sandbox.default_key, tmp_path) as client:
        await _counted(Clerk(patient(client), lambda: None), sandbox.tenant())
