"""A process that syncs toys into a cache file and waits in a request, or stops in a write; run by the tests of leases.

Told the directory; to stop in a write, the backend too.
"""

import asyncio
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from .fuses import connected_by
from .toy_tables import TOY_TABLES
from .toys import SPECS, listing, toy


class Stopping(sqlite3.Connection):
    """A connection at which the process stops once its lock on the file is taken, at the next statement."""

    armed = False
    holds = False

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 declares it
        self._stop()
        done = super().execute(sql, parameters)
        self.holds = sql == "BEGIN IMMEDIATE"
        return done

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        self._stop()
        return super().executemany(sql, parameters)

    def _stop(self) -> None:
        if self.holds and self.armed:
            # Sent to the process, its first thread would take it, and this one might have committed before it stops.
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


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
    connected_by(pytest.MonkeyPatch(), Stopping)
    cache = plain(backend, TOYS, directory)
    await cache.open()
    lease = await cache.claim(Claim("toy", "stopped", iso(SystemClock().now()), LEASE_SECONDS))
    Stopping.armed = True
    await cache.apply(replace(listing(toy(1, name="late")), lease=lease))
    await cache.close()


if __name__ == "__main__":
    given = Path(sys.argv[1])
    asyncio.run(write(given, sys.argv[2]) if sys.argv[2:] else sync(given))
