"""Real processes on one file: what they send together, and what a place costs against a budget in memory."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from katana_client import Priority

SENDER = """
import asyncio, json, sys, time
from pathlib import Path
from katana_client import Priority, Quota, SystemClock
from katana_mcp.caches.accounts.shared_budget import SharedBudget

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
    said = [(await process.communicate())[0] for process in running]
    sent: list[list[tuple[float, int]]] = [json.loads(output) for output in said]
    times = sorted(at for requests in sent for at, _ in requests)
    assert _busiest(times, 2.0) <= 20
    assert _busiest([at for requests in sent for at, priority in requests if priority == Priority.BULK], 2.0) <= 15
    assert len(times) >= 60
    assert min(len(requests) for requests in sent) >= len(times) / 6
