"""A process that is stopped in the middle of a sync or of a write: others read at once, and all go on afterwards."""

import asyncio
import os
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cache_core.clock import SystemClock
from cache_core.errors import CacheUnavailable
from cache_core.protocol import CacheBackend, Search, Selection
from cache_core.sync import FreshReads, Patience, Syncer
from cache_core.sync.leasing import LEASE_SECONDS
from cache_core.testing import START, FakeSource
from cache_typed.backend import TypedBackend

from .backends import FILED, TOYS, Kind
from .toy_tables import TOY_TABLES
from .toys import SPECS, found_ids, listing, record_of, toy

ROOT = Path(__file__).parents[2]
PROGRAM = ("-m", "tests.contract.stopped_process")


class Later(SystemClock):
    """A clock that can be set forward."""

    ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.mark.soak
@pytest.mark.alone
async def test_a_stopped_holder_holds_nobody_up_and_writes_nothing_late(tmp_path: Path) -> None:
    cache = TypedBackend(tmp_path, TOY_TABLES)
    await cache.open()
    await cache.apply(listing(toy(2, name="there")))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *PROGRAM, str(tmp_path), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
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
    assert await process.communicate() == (b"", None)
    assert process.returncode == 0
    assert (await record_of(cache, 1))["name"] == "ours"
    await reads.close()
    await cache.close()


async def _seconds_of_a_read(reads: FreshReads, cache: CacheBackend, *, stale: bool) -> float:
    """Read in every way, and find what is there."""
    began = time.monotonic()
    assert (await reads.ensure(["toy"]))["toy"].stale is stale
    assert (await record_of(cache, 2))["name"] == "there"
    assert len(await cache.select("toy", Selection(limit=10))) == 1
    assert (await cache.search("toy", Search("there"))).total == 1
    return time.monotonic() - began


@pytest.mark.soak
@pytest.mark.alone
@pytest.mark.parametrize("kind", FILED, ids=lambda kind: kind.name)
async def test_a_process_stopped_inside_a_write_holds_no_read_up_and_all_go_on_afterwards(
    kind: Kind, tmp_path: Path
) -> None:
    cache, source, clock = kind.make(TOYS, tmp_path), FakeSource(), Later()
    await cache.open()
    source.put("toy", {"id": 2, "name": "there"}, START)
    syncer = Syncer(SPECS, source, cache, clock)
    reads = FreshReads(syncer, cache, clock, Patience(0.5, 0.5))
    assert (await syncer.start("toy")).complete
    process = await asyncio.create_subprocess_exec(
        sys.executable, *PROGRAM, str(tmp_path), kind.name, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    try:
        await asyncio.to_thread(os.waitid, os.P_PID, process.pid, os.WSTOPPED)
        for ahead, stale in ((timedelta(), False), (timedelta(hours=1), True)):
            clock.ahead = ahead
            assert await _seconds_of_a_read(reads, cache, stale=stale) < 1
        with pytest.raises(CacheUnavailable):
            await cache.apply(listing(toy(3, name="refused")))
    finally:
        os.kill(process.pid, signal.SIGCONT)
    assert await process.communicate() == (b"", None)
    assert process.returncode == 0
    assert await found_ids(cache, "refused") == []
    await cache.apply(listing(toy(3, name="kept")))
    assert [await found_ids(cache, name) for name in ("late", "kept")] == [[1], [3]]
    source.put("toy", {"id": 2, "name": "edited"}, START + timedelta(hours=1))
    assert (await syncer.start("toy")).complete
    assert not (await reads.ensure(["toy"]))["toy"].stale
    assert (await record_of(cache, 2))["name"] == "edited"
    await reads.close()
    await cache.close()
