"""The first minute of an account, on a virtual clock: how long the first answers take, and what Katana is asked.

Katana answers within a third of a second and takes 60 requests a minute. Of public servers that list all variants
before they search, 131 s to the first search were measured, and 60 s for each list of low stock.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from bench import lines
from bench.figures import Figure
from bench.serving import OURS
from katana_mcp.configuration.logs import configure
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import staged, unstuck
from katana_mcp.testing.idle_loop import IdleLoop
from katana_sandbox import Delay, Fault, ManualClock, Sandbox, SandboxConfig, Tenant

LATENCY = 0.35
ORDERS = 2_000
_NAMED = ("sku", "supplier_item_codes", "ids", "variant_id")
"""Filters by which what a call names is asked for."""


async def first_answers(size: int, _directory: Path) -> list[Figure]:
    """Measure the first answer of an account that was never read, for each question anew."""
    configure("ERROR")
    return await asyncio.to_thread(lambda: asyncio.run(_asked(size), loop_factory=IdleLoop))


async def _asked(size: int) -> list[Figure]:
    figures: list[Figure] = []
    for what in lines.FIRST_ANSWERS:
        clock = ManualClock(auto=False)
        own = OwnSandbox(Sandbox(SandboxConfig(variants=size, orders=ORDERS), clock=clock))
        own.sandbox.faults.add(Fault("*", action=Delay(LATENCY), times=None))
        tool, arguments = _questions(own.sandbox.tenant())[what]
        async with staged(own) as stage:
            began = clock.monotonic()
            result = await unstuck(clock, stage.client.call_tool(tool, dict(arguments)))
            assert not result.is_error
            took = clock.monotonic() - began
            asked = [request for request in own.sandbox.journal if {*_NAMED} & {*map(str, dict(request.query))}]
        figures += [
            Figure(topic=lines.COLD, what=f"{what}, waited", size=size, values={OURS: took}),
            Figure(topic=lines.COLD, what=f"{what}, requests for it", size=size, values={OURS: len(asked)}),
        ]
    return figures


def _questions(tenant: Tenant) -> Mapping[str, tuple[str, Mapping[str, object]]]:
    """Return the call of each question."""
    variants = [variant for variant in tenant.all("variants") if variant["sku"] and variant["supplier_item_codes"]]
    part, *others = variants[len(variants) // 2], variants[3], variants[-4]
    supplier, place = next(iter(tenant.all("suppliers")))["id"], next(iter(tenant.all("locations")))["id"]
    rows = [{"sku_or_variant_id": part["sku"], "quantity": 3}]
    return {
        "a SKU searched": ("search_items", {"query": part["sku"]}),
        "a supplier's code searched": ("search_items", {"query": part["supplier_item_codes"][0]}),
        "stock of three SKUs": (
            "check_inventory",
            {"skus_or_variant_ids": [variant["sku"] for variant in (part, *others)]},
        ),
        "an order planned": ("create_purchase_order", {"supplier_id": supplier, "location_id": place, "rows": rows}),
        "what is short": ("list_low_stock_items", {}),
    }
