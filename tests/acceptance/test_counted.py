"""A shelf is counted: from the question what is there to the booked difference, and the ledger adds up.

A clerk pastes what was counted from a sheet, mends the line that nobody understands, completes the stocktake, and
takes it back when it turns out that the wrong shelf was counted.
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import staged, text_of
from katana_sandbox import ManualClock, Sandbox, Tenant

type Call = Callable[..., Awaitable[dict[str, Any]]]
SHOP = "Main workshop"
SHORT, OVER, EVEN = "FSKT-32M", "FSKT-34M", "FSKT-35M"


def _ledger(tenant: Tenant) -> dict[tuple[int, int], tuple[Decimal, Decimal]]:
    """Return what movements add up to and what the last one says is there, by variant and location."""
    sums: dict[tuple[int, int], tuple[Decimal, Decimal]] = {}
    for each in sorted(
        tenant.all("inventory_movements"), key=lambda row: (row["movement_date"], row["rank"], row["id"])
    ):
        pair = each["variant_id"], each["location_id"]
        before = sums.get(pair, (Decimal(0), Decimal(0)))[0]
        sums[pair] = (before + Decimal(str(each["quantity_change"])), Decimal(str(each["balance_after"])))
    return sums


async def _applied(call: Call, preview: dict[str, Any]) -> dict[str, Any]:
    """Apply a plan twice: the second time tells what the first one did."""
    assert "plan_token" in preview, preview["message"]
    (outcome,) = (await call("apply_plan", plan_tokens=[preview["plan_token"]]))["outcomes"]
    (again,) = (await call("apply_plan", plan_tokens=[preview["plan_token"]]))["outcomes"]
    assert (outcome["failed"], outcome["unknown"], outcome["not_tried"], again["entry"]) == (0, 0, 0, outcome["entry"])
    return outcome


async def _in_stock(call: Call) -> dict[str, float]:
    stock = (await call("check_inventory", skus_or_variant_ids=[SHORT, OVER, EVEN]))["stock"]
    return {
        each["sku"]: next(level["in_stock"] for level in each["locations"] if level["location"] == SHOP)
        for each in stock
    }


async def _counted(call: Call, tenant: Tenant) -> None:
    before, adjustments = await _in_stock(call), tenant.count("stock_adjustments")
    sheet = f"SKU;Counted\n{SHORT};{before[SHORT] - 2:g}\n{OVER};{before[OVER] + 1:g}\n{EVEN};about {before[EVEN]:g}"
    first = await call("count_stock", location_id=SHOP, table=sheet, complete=True)
    assert first["misread"] == [f"line 4: {EVEN}: 'about {before[EVEN]:g}' is not a quantity: write 12 or 12.5"]
    assert "plan_token" not in first, "what is completed is never opened again: no line of it may be lost"

    preview = await call("count_stock", location_id=SHOP, table=sheet.replace("about ", ""), complete=True)
    differences = {line["sku"]: line["difference"] for line in preview["lines"]}
    assert differences == {SHORT: -2, OVER: 1, EVEN: 0}
    value = sum(line["value"] for line in preview["lines"])
    assert abs(preview["value_difference"] - value) < 0.0001
    outcome = await _applied(call, preview)
    assert await _in_stock(call) == {sku: before[sku] + more for sku, more in differences.items()}

    assert tenant.count("stock_adjustments") == adjustments + 1, "booked once"
    made = next(each for each in tenant.all("stocktakes") if each["id"] == outcome["id"])
    listed = (await call("list_stocktakes", stocktake_number=outcome["number"], include_rows=True))["rows"]
    assert [(row["status"], row["stock_adjustment_id"]) for row in listed] == [
        ("COMPLETED", made["stock_adjustment_id"])
    ]
    assert {row["sku"]: row["discrepancy_quantity"] for row in listed[0]["rows"]} == differences
    booked = await call("get_stock_adjustment", stock_adjustment_id=made["stock_adjustment_id"])
    assert {row["sku"]: row["quantity"] for row in booked["adjustment"]["rows"]} == {SHORT: -2, OVER: 1}
    moved = await call("get_inventory_movements", skus_or_variant_ids=[SHORT], resource_type=["StockAdjustmentRow"])
    assert [
        row["quantity_change"] for row in moved["rows"] if row["stock_adjustment_id"] == made["stock_adjustment_id"]
    ] == [-2]
    assert all(total == balance for total, balance in _ledger(tenant).values()), "the ledger adds up"

    back = await call(outcome["revert"]["tool"], **outcome["revert"]["arguments"])
    await _applied(call, back)
    assert await _in_stock(call) == before
    assert all(total == balance for total, balance in _ledger(tenant).values()), "and still does"


async def test_a_shelf_is_counted_booked_and_taken_back() -> None:
    clock = ManualClock(auto=False)
    own = OwnSandbox(Sandbox(clock=clock))
    async with staged(own) as stage:

        async def call(tool: str, **arguments: object) -> dict[str, Any]:
            clock.advance(61)
            return await stage.call(tool, **arguments)

        await _counted(call, own.sandbox.tenant())


@asynccontextmanager
async def _over_stdio(url: str, key: str, home: Path) -> AsyncGenerator[Client[Any]]:
    environment = {"KATANA_SANDBOX": "true", "KATANA_BASE_URL": url, "KATANA_API_KEY": key}
    arguments = ["-m", "katana_mcp", "serve", "--toolsets", "all", "--cache-dir", str(home)]
    async with Client(StdioTransport(sys.executable, arguments, env=environment, cwd=str(home))) as client:
        yield client


@pytest.mark.soak
@pytest.mark.timeout(300)
async def test_it_holds_for_a_real_process_over_stdio(tmp_path: Path) -> None:
    sandbox = Sandbox()
    async with sandbox.serve() as url, _over_stdio(url, sandbox.default_key, tmp_path) as client:

        async def call(tool: str, **arguments: object) -> dict[str, Any]:
            while True:
                result = await client.call_tool(tool, arguments, raise_on_error=False)
                answer = json.loads(text_of(result))
                codes = {each["code"] for each in answer["warnings"]}
                if not codes & {"katana_unavailable", "stock_unknown", "plan_running"}:
                    assert not result.is_error, answer
                    return answer
                await asyncio.sleep(10)  # Katana takes 60 requests a minute: the answer says so, and goes on

        await _counted(call, sandbox.tenant())
