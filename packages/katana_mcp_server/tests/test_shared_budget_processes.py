"""Real processes on one file: what they send together, and what a place costs against a budget in memory."""

import asyncio
import json
import statistics
import sys
import time
from pathlib import Path

import pytest

from katana_client import Budget, Priority, SlidingWindowBudget, SystemClock
from katana_mcp.accounts.budget import SharedBudget

SENDER = """
import asyncio, json, sys, time
from pathlib import Path
from katana_client import Priority, Quota, SystemClock
from katana_mcp.accounts.budget import SharedBudget

async def main():
    budget = SharedBudget(Path(sys.argv[1]), SystemClock(), Quota(limit=20, window=2.0, reserve=5))
    until, sent = time.monotonic() + 8, []
    async def one(priority):
        while time.monotonic() < until:
            ticket = await budget.acquire(priority)
            sent.append((time.monotonic(), int(priority)))
            await asyncio.sleep(0.02)
            budget.observe(ticket, None)
            await asyncio.sleep(0.3 if priority is Priority.INTERACTIVE else 0)
    await asyncio.gather(one(Priority.INTERACTIVE), *(one(Priority.BULK) for _ in range(20)))
    budget.close()
    print(json.dumps(sent))

asyncio.run(main())
"""


def _busiest(times: list[float], window: float) -> int:
    return max(sum(start <= other <= start + window for other in times) for start in times)


@pytest.mark.soak
@pytest.mark.alone
async def test_three_real_processes_keep_to_one_limit_and_each_gets_its_share(tmp_path: Path) -> None:
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", SENDER, str(tmp_path / "budget.sqlite"), stdout=asyncio.subprocess.PIPE
        )
        for _ in range(3)
    ]
    said = [(await each.communicate())[0] for each in running]
    sent: list[list[tuple[float, int]]] = [json.loads(each) for each in said]
    times = sorted(at for each in sent for at, _ in each)
    assert _busiest(times, 2.0) <= 20
    assert _busiest([at for each in sent for at, priority in each if priority == Priority.BULK], 2.0) <= 15
    assert len(times) >= 60
    assert min(len(each) for each in sent) >= len(times) / 6


async def _costs(budget: Budget, places: int) -> list[float]:
    """Return the CPU seconds of each place taken and given back."""
    costs: list[float] = []
    for _ in range(places):
        started = time.thread_time()
        budget.observe(await budget.acquire(Priority.INTERACTIVE), None)
        costs.append(time.thread_time() - started)
    return costs


@pytest.mark.bench
async def test_a_place_in_the_file_costs_the_event_loop_less_than_a_millisecond(tmp_path: Path) -> None:
    memory: list[float] = []
    file: list[float] = []
    opening: list[float] = []
    for each in range(30):
        memory += await _costs(SlidingWindowBudget(SystemClock()), 59)
        budget = SharedBudget(tmp_path / f"{each}.sqlite", SystemClock())
        first, *others = await _costs(budget, 59)
        opening.append(first)
        file += others
        budget.close()
    micro = [1e6 * statistics.median(each) for each in (memory, file, opening)]
    slow = 1e6 * statistics.quantiles(file, n=100)[98]
    sys.stdout.write(
        f"\nplace taken and given back, CPU: memory {micro[0]:.0f} us, file {micro[1]:.0f} us "
        f"({micro[1] / micro[0]:.0f}x), p99 {slow:.0f} us; the first, with opening the file, {micro[2]:.0f} us\n"
    )
    assert slow < 1_000
