"""Real processes on one cache: nobody is locked out, and together they ask Katana hardly more than one."""

import asyncio
import json
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bench.syncing import Holding
from following import following
from people import People, nothing_differs, work

from cache_core.sync.leasing import LEASE_SECONDS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_sandbox import ManualClock, Sandbox

SECONDS = min(120.0, float(os.environ.get("SOAK_SECONDS", "120")))
LIGHT = Path(__file__).with_name("light_process.py")

type Readings = dict[str, Any]


async def _started(count: int, url: str, key: str, directory: Path, seconds: float) -> list[asyncio.subprocess.Process]:
    """Start so many processes; return them once each has opened the cache."""
    command = (sys.executable, str(LIGHT), url, key, str(directory), str(seconds))
    processes = [await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE) for _ in range(count)]
    for process in processes:
        assert process.stdout is not None
        await process.stdout.readuntil(b"opened\n")
    return processes


async def _ended(processes: list[asyncio.subprocess.Process]) -> list[Readings]:
    said = await asyncio.gather(*(process.communicate() for process in processes))
    return [json.loads(out.splitlines()[-1]) for out, _ in said]


def _cache_of(root: Path) -> Path:
    return next(root.rglob("typed-*.db"))


async def _run(count: int, root: Path, seconds: float, *, stops: bool = False) -> tuple[list[Readings], int, float]:
    """Let so many processes follow people's work; return their figures, the requests, and the longest write in ms.

    In the end nothing differs.
    """
    sandbox = Sandbox()
    people = People(sandbox.tenant(), 1)
    async with sandbox.serve() as url:
        processes = await _started(count, url, sandbox.default_key, root, seconds)
        holding = Holding(_cache_of(root))
        holding.start()
        working = asyncio.create_task(work(people, seconds))
        if stops:
            await asyncio.sleep(seconds / 4)
            processes[0].send_signal(signal.SIGSTOP)
            await asyncio.sleep(seconds / 2)
            processes[0].send_signal(signal.SIGCONT)
        readings = await _ended(processes)
        await working
        requests, longest = len(sandbox.journal), holding.end()
        sandbox.switches.set("rate_limit", 0)
        clock = ManualClock(datetime.now(UTC) + timedelta(minutes=2))
        async with following(OwnSandbox(sandbox), root, clock, url) as services:
            compared = await nothing_differs(services, sandbox, people, clock)
        sys.stdout.write(f"\n{count}: {people.acts} {compared}\n")
        return readings, requests, longest


@pytest.mark.soak
@pytest.mark.alone
@pytest.mark.timeout(SECONDS + 300)
async def test_four_processes_on_one_cache_lock_nobody_out_and_ask_as_much_as_one(tmp_path: Path) -> None:
    alone, one, _ = await _run(1, tmp_path / "one", SECONDS / 2)
    readings, four, longest = await _run(4, tmp_path / "four", SECONDS / 2)
    sys.stdout.write(f"\nrequests {one} by one, {four} by four; longest write {longest:.0f} ms; {alone} {readings}\n")
    assert [reading["faults"] for reading in (*alone, *readings)] == [[]] * 5
    assert not any(reading["fastmcp"] for reading in readings)
    assert four - 3 <= 1.2 * one  # each process asks once whose account it is
    assert longest < 250
    assert max(reading["p99"] for reading in readings) < 0.1


@pytest.mark.soak
@pytest.mark.alone
@pytest.mark.timeout(SECONDS + 300)
async def test_a_process_that_stops_for_a_minute_holds_no_other_up(tmp_path: Path) -> None:
    (stopped, *others), _, _ = await _run(4, tmp_path / "cache", SECONDS, stops=True)
    sys.stdout.write(f"\nstopped {stopped}; others {others}\n")
    assert [reading["faults"] for reading in (stopped, *others)] == [[]] * 4
    assert max(other["longest"] for other in others) < 1
    assert max(other["overdue"] for other in others) < LEASE_SECONDS + 15
