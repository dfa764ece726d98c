"""Sizes and speeds at full scale, in CPU time; run with `-m bench -s`."""

import gc
import resource
import sys
import time
from pathlib import Path

import pytest

from katana_sandbox import ManualClock, Sandbox, SandboxConfig

pytestmark = pytest.mark.bench


@pytest.mark.timeout(1800)
async def test_half_a_million_variants_and_a_hundred_thousand_orders() -> None:
    start = time.process_time()
    sandbox = Sandbox(SandboxConfig(variants=500_000, orders=100_000, switches={"rate_limit": 0}), clock=ManualClock())
    spent = time.process_time() - start
    gc.freeze()
    tenant, api = sandbox.tenant(), sandbox.caller()
    records = sum(len(store) for store in tenant.db.stores.values())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report = [f"{records} records in {spent:.0f} s of CPU: {records / spent:.0f}/s; peak RSS {memory:.0f} MB"]
    slowest = 0.0
    deep = {"limit": 250, "page": 900}
    for path, query in (
        ("/variants", {"limit": 250}),
        ("/variants", deep),
        ("/products", {"limit": 250, "page": 200}),
        ("/sales_orders", {"limit": 250, "page": 200}),
        ("/sales_order_rows", {"limit": 250, "page": 500}),
        ("/inventory", {"limit": 250, "page": 3000}),
        ("/variants", {"limit": 250, "updated_at_min": "2026-03-01T00:00:00.000Z"}),
        ("/variants", {"limit": 250, "include_deleted": True}),
        ("/variants", {"supplier_item_codes": "00.4021.018.003"}),
    ):
        times: list[float] = []
        for _ in range(3):
            start = time.process_time()
            answer = await api.get(path, query)
            times.append((time.process_time() - start) * 1000)
            assert answer.rows
        slowest = max(slowest, min(times))
        report.append(f"{path} {query}: first {times[0]:.1f} ms, then {min(times[1:]):.1f} ms")
    start = time.process_time()
    tenant.edit("variants", 250_000, sku="EDITED")
    report.append(f"an edit: {(time.process_time() - start) * 1000:.1f} ms")
    sys.stdout.write("\n" + "\n".join(report) + "\n")
    assert tenant.count("variants") == 500_000
    assert memory <= 2000
    assert slowest <= 20
    assert records / spent >= 20_000


@pytest.mark.timeout(600)
def test_a_state_of_fifty_thousand_variants_is_written_and_read_in_two_seconds_each(tmp_path: Path) -> None:
    plan = SandboxConfig(variants=50_000, orders=10_000)
    sandbox, path = Sandbox(plan, clock=ManualClock()), tmp_path / "shop.state"
    spent: dict[str, float] = {}
    for step in ("save", "restore"):
        gc.collect()
        start = time.process_time()
        if step == "save":
            sandbox.save(path)
        else:
            sandbox = Sandbox.restore(path, clock=ManualClock())
        spent[step] = time.process_time() - start
    shown = ", ".join(f"{step} {seconds:.2f} s of CPU" for step, seconds in spent.items())
    sys.stdout.write(f"\na state of {path.stat().st_size / 1e6:.0f} MB: {shown}\n")
    assert sandbox.tenant().count("variants") == 50_000
    assert max(spent.values()) <= 2
