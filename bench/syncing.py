"""A cold sync of the catalogue: memory, the event loop's pauses, and how long writers hold the file."""

import asyncio
import resource
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from bench import data
from bench.caches import backend
from bench.figures import Figure
from bench.floor import records_of
from cache_core.clock import SystemClock
from cache_core.records import RecordId
from cache_core.spec import EntitySpec, Listed
from cache_core.specs.products import PRODUCT
from cache_core.specs.variants import VARIANT
from cache_core.sync import SourcePage, Syncer, Window

TICK = 0.002


class InventedSource:
    """Katana with this many variants: each page is made when it is asked for, newest first."""

    def __init__(self, size: int) -> None:
        self._sizes = {"product": data.product_of(size), "variant": size}

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        """Return one page, decoded from its wire form."""
        del since
        total = self._sizes[listed.name]
        newest = total - (window.number - 1) * window.size
        make = data.product if listed.name == "product" else data.variant
        wire = data.body([make(nr) for nr in range(newest, max(0, newest - window.size), -1)])
        return SourcePage(records_of(wire), total)

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        """Return nothing: a cold sync asks for no single records."""
        raise AssertionError(f"{spec.name}: {ids}")

    async def with_keys(self, spec: EntitySpec, keys: Sequence[str]) -> SourcePage:
        """Return nothing: a cold sync asks for no single records."""
        raise AssertionError(f"{spec.name}: {keys}")


class Holding:
    """Tries to write beside the sync, from a thread of its own, and notes the longest wait."""

    def __init__(self, directory: Path) -> None:
        (self._path,) = directory.glob("*.db")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._try)
        self.longest = 0.0

    def start(self) -> None:
        """Begin trying."""
        self._thread.start()

    def end(self) -> float:
        """Stop; return the longest wait in milliseconds."""
        self._stop.set()
        self._thread.join()
        return self.longest * 1_000

    def _try(self) -> None:
        with closing(sqlite3.connect(self._path, timeout=60, isolation_level=None)) as db:
            while not self._stop.wait(0.02):
                start = time.perf_counter()
                db.execute("BEGIN IMMEDIATE")
                db.execute("ROLLBACK")
                self.longest = max(self.longest, time.perf_counter() - start)


async def cold_sync(size: int, directory: Path) -> list[Figure]:
    """Measure a cold sync of this many variants with their products into the typed cache."""
    cache = backend("typed", directory)
    await cache.open()
    before = _peak()
    syncer = Syncer((PRODUCT, VARIANT), InventedSource(size), cache, SystemClock())
    holding, pauses = Holding(directory), asyncio.create_task(_longest_pause())
    holding.start()
    start = time.perf_counter()
    for entity in ("product", "variant"):
        outcome = await syncer.start(entity)
        assert outcome.complete, outcome
    took = time.perf_counter() - start
    pauses.cancel()
    (pause,) = await asyncio.gather(pauses, return_exceptions=True)
    held = holding.end()
    await cache.close()
    figure = partial(Figure, topic="Cold sync into the typed cache", size=size)
    assert isinstance(pause, float)
    return [
        figure(what="peak memory of the process", value=_peak(), unit="MB", floor=before, goal=250),
        figure(what="variants", value=size / took, unit="rows/s", note="with 1/5 as many products, by the clock"),
        figure(what="longest pause of the event loop", value=pause, unit="ms", goal=30),
        figure(what="longest wait of another writer", value=held, unit="ms", goal=100),
    ]


async def _longest_pause() -> float:
    longest = 0.0
    try:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(TICK)
            longest = max(longest, time.perf_counter() - start - TICK)
    except asyncio.CancelledError:
        return longest * 1_000


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
