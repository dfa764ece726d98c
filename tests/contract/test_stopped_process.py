"""A process that is stopped in the middle of a sync: others read at once, take over, and refuse its late page."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from cache_core.clock import SystemClock
from cache_core.sync import FreshReads, Patience, Syncer
from cache_core.sync.leasing import LEASE_SECONDS
from cache_core.testing import START, FakeSource
from cache_typed.backend import TypedBackend

from .toy_tables import TOY_TABLES
from .toys import SPECS, listing, record_of, toy

ROOT = Path(__file__).parents[2]


@pytest.mark.soak
async def test_a_stopped_holder_holds_nobody_up_and_writes_nothing_late(tmp_path: Path) -> None:
    cache = TypedBackend(tmp_path, TOY_TABLES)
    await cache.open()
    await cache.apply(listing(toy(2, name="there")))
    arguments = ("-m", "tests.contract.stopped_process", str(tmp_path))
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"asked\n"
        os.kill(process.pid, signal.SIGSTOP)
        source = FakeSource()
        source.put("toy", {"id": 1, "name": "ours"}, START)
        syncer = Syncer(SPECS, source, cache, SystemClock())
        began = time.monotonic()
        reads = FreshReads(syncer, cache, SystemClock(), Patience(0.8, 0.8))
        assert (await reads.ensure(["toy"]))["toy"].warming
        assert (await record_of(cache, 2))["name"] == "there"
        assert time.monotonic() - began < 2
        outcome = await syncer.start("toy")
        assert (outcome.complete, outcome.requests) == (True, 1)
        assert time.monotonic() - began < LEASE_SECONDS + 5
    finally:
        os.kill(process.pid, signal.SIGCONT)
    assert await process.stdout.readline() == b"complete True, changed 0\n"
    assert await process.wait() == 0
    assert (await record_of(cache, 1))["name"] == "ours"
    await reads.close()
    await cache.close()
