"""People work while processes follow on one cache, through lag and refusals: in the end nothing differs."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from following import FOLLOWED, caught_up, differences, following
from people import People, nothing_differs, unseen, work

from cache_core.protocol import Batch
from cache_core.records import iso
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import paced, payload_of
from katana_sandbox import Fault, ManualClock, Sandbox, Status
from katana_sandbox.store.keys import FIRST_ID

SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
LAG = 600.0
"""Seconds by which Katana's replicas lag at most."""

TOOLS: dict[str, dict[str, object]] = {
    "search_items": {"query": "word"},
    "list_sales_orders": {"limit": 5},
    "search_customers": {"query": "new"},
    "list_purchase_orders": {"limit": 5},
}


@pytest.mark.soak
@pytest.mark.parametrize("seed", [0, 1])
async def test_two_caches_in_one_file_follow_busy_minutes_and_an_audit_leaves_no_difference(
    tmp_path: Path, seed: int
) -> None:
    clock, random = ManualClock(auto=False), Random(seed)
    sandbox = Sandbox(clock=clock)
    people, names = People(sandbox.tenant(), seed), [spec.name for spec in FOLLOWED]
    own = OwnSandbox(sandbox)
    async with following(own, tmp_path) as one, following(own, tmp_path) as other:
        for turn in range(4):
            sandbox.switches.set("replica_lag", random.uniform(0, LAG))
            for services in (one, other):
                await paced(clock, services.fresh.ensure(names), 0.5)
            for _ in range(35):
                people.act()
                clock.advance(0.2)
            clock.advance(90)
            if turn == 2:
                sandbox.faults.add(Fault("*", action=Status(429), times=4))
        sandbox.switches.set("replica_lag", 0.0)
        await paced(clock, clock.sleep(70), 5)
        await paced(clock, nothing_differs(other, sandbox, people, clock), 5)
        assert len(people.acts) == 7


async def test_the_comparison_finds_what_is_missing_left_over_and_different() -> None:
    clock = ManualClock(auto=False)
    sandbox = Sandbox(clock=clock)
    tenant = sandbox.tenant()
    people = People(tenant, 1)
    async with following(OwnSandbox(sandbox)) as services:
        await paced(clock, caught_up(services), 5)
        batch = Batch(entity="customer", at=iso(clock.now()), removed=[FIRST_ID])
        await services.cache.apply(batch)
        tenant.delete("customers", FIRST_ID + 1, hard=True)
        tenant.edit("customers", FIRST_ID + 2, name="other")
        people.words["customers", FIRST_ID + 2] = "name", "other"
        people.deleted.add(("customers", FIRST_ID + 3))
        found = (await differences(services.cache, sandbox))["customer"]
        assert (found.missing, found.surplus, found.different) == ((FIRST_ID,), (FIRST_ID + 1,), (FIRST_ID + 2,))
        assert await unseen(people, tenant, services.cache) == [
            (("customers", FIRST_ID + 2), "other"),
            (("customers", FIRST_ID + 3), "deleted"),
        ]


class Weather:
    """What goes wrong while people work: replicas lag, and Katana refuses for some seconds in each minute."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._random = Random(1)

    async def blow(self, seconds: float) -> None:
        """Let it change every five seconds."""
        for turn in range(int(seconds / 5)):
            self._sandbox.switches.set("replica_lag", self._random.uniform(0, LAG))
            self._sandbox.faults.clear()
            if turn % 12 == 2:
                self._sandbox.faults.add(Fault("*", action=Status(429), times=None))
            await asyncio.sleep(5)
        self._sandbox.faults.clear()
        self._sandbox.switches.set("replica_lag", 0.0)


@asynccontextmanager
async def _server(url: str, key: str, directory: Path) -> AsyncGenerator[Client[Any]]:
    """Run a real server over stdio."""
    transport = StdioTransport(
        command=sys.executable,
        args=[
            "-m",
            "katana_mcp",
            "serve",
            "--sandbox",
            "--base-url",
            url,
            "--sync",
            "background",
            "--log-level",
            "error",
        ],
        env={"PATH": os.environ["PATH"], "KATANA_CACHE_DIR": str(directory), "KATANA_API_KEY": key},
        cwd=str(directory),
        keep_alive=False,
    )
    async with Client(transport, init_timeout=60) as client:
        await client.list_tools()
        yield client


async def _use(client: Client[Any], seconds: float) -> tuple[int, list[object]]:
    """Call tools for so long; return how often, and what they refused."""
    calls, refused = 0, list[object]()
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        for tool, arguments in TOOLS.items():
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            calls += 1
            refused += [payload_of(result)] if result.is_error else []
            await asyncio.sleep(0.2)
    return calls, refused


@pytest.mark.first
@pytest.mark.soak  # mostly waits, and judges records, not times: others may run beside it
@pytest.mark.timeout(SECONDS + 900)
async def test_after_ten_minutes_of_work_lag_and_refusals_before_two_servers_no_record_differs(tmp_path: Path) -> None:
    sandbox = Sandbox()
    people = People(sandbox.tenant(), 1)
    async with sandbox.serve() as url:
        key = sandbox.default_key
        async with _server(url, key, tmp_path) as one, _server(url, key, tmp_path) as other:
            _, _, *used = await asyncio.gather(
                work(people, SECONDS), Weather(sandbox).blow(SECONDS), _use(one, SECONDS), _use(other, SECONDS)
            )
        requests, busiest = list(sandbox.journal), sandbox.max_requests_in_window()
        sandbox.switches.set("rate_limit", 0)
        clock = ManualClock(datetime.now(UTC) + timedelta(minutes=2))
        async with following(OwnSandbox(sandbox), tmp_path, clock, url) as services:
            compared = await nothing_differs(services, sandbox, people, clock)
    figures = compared | people.acts | {"calls": sum(calls for calls, _ in used)}
    figures |= {"requests": len(requests), "429": sum(request.status == 429 for request in requests)}
    figures |= {"429 of the limit": sum(request.status == 429 and request.fault is None for request in requests)}
    figures |= {"most in a minute": busiest}
    sys.stdout.write(f"\n{json.dumps(figures)}\n")
    assert [refused for _, refused in used] == [[], []]
    assert busiest <= 60
