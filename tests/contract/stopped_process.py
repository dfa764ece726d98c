"""A process that syncs toys into a cache file and waits in a request, or stops in a write; run by the tests of leases.

Told the directory; to stop in a write, the backend too.
"""

import asyncio
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from cache_core.clock import SystemClock
from cache_core.leases import Claim
from cache_core.records import iso
from cache_core.spec import Listed
from cache_core.sync import SourcePage, Syncer, Window
from cache_core.sync.leasing import LEASE_SECONDS
from cache_core.testing import START, FakeSource
from cache_typed.backend import TypedBackend

from .backends import TOYS, plain
from .fuses import Fuse, wired
from .toy_tables import TOY_TABLES
from .toys import SPECS, listing, toy

WITHIN = 3
"""A statement of a write: its transaction has begun and is not committed."""


class SlowSource(FakeSource):
    """A source that says when it is asked, and answers a second later."""

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        page = await super().page(listed, window, since)
        sys.stdout.write("asked\n")
        sys.stdout.flush()
        await asyncio.sleep(1)
        return page


async def sync(directory: Path) -> None:
    """Sync, and say what it came to."""
    source = SlowSource()
    source.put("toy", {"id": 1, "name": "late"}, START)
    cache = TypedBackend(directory, TOY_TABLES)
    await cache.open()
    outcome = await Syncer(SPECS, source, cache, SystemClock()).start("toy")
    await cache.close()
    sys.stdout.write(f"complete {outcome.complete}, changed {outcome.changed}\n")


async def write(directory: Path, backend: str) -> None:
    """Write a toy as who syncs does, and stop in the middle of it until somebody lets the process go on."""
    fuse = Fuse(0, _stops)
    wired(pytest.MonkeyPatch(), fuse)
    cache = plain(backend, TOYS, directory)
    await cache.open()
    lease = await cache.claim(Claim("toy", "stopped", iso(SystemClock().now()), LEASE_SECONDS))
    fuse.left = WITHIN
    await cache.apply(replace(listing(toy(1, name="late")), lease=lease))
    await cache.close()


def _stops(error: BaseException) -> None:
    del error
    # Sent to the process, its first thread would take it, and this one might have committed before it stops.
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


if __name__ == "__main__":
    given = Path(sys.argv[1])
    asyncio.run(write(given, sys.argv[2]) if sys.argv[2:] else sync(given))
