"""A cold sync of the catalogue: memory, the event loop's pauses, and how long writers hold the file."""

import asyncio
import resource
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench import data, lines
from bench.caches import backend
from bench.figures import TIMER, Figure
from bench.wire import read, spec_of
from cache_core.clock import SystemClock
from cache_core.records import RecordId
from cache_core.spec import EntitySpec, Listed
from cache_core.specs.products import PRODUCT
from cache_core.specs.variants import VARIANT
from cache_core.sync import SourcePage, Syncer, Window

TICK = 0.002


class InventedSource:
    """Katana with this many variants, newest first: its pages lie in a file before anything is measured."""

    def __init__(self, size: int, directory: Path) -> None:
        self._sizes = {"product": data.product_of(size), "variant": size}
        self._file = (directory / "wire").open("w+b")
        self._places: dict[tuple[str, int], tuple[int, int]] = {}
        for name, make in (("product", data.product), ("variant", data.variant)):
            newest_first = (make(nr) for nr in range(self._sizes[name], 0, -1))
            for number, page in enumerate(data.pages(newest_first), 1):
                self._places[name, number] = (self._file.tell(), len(page))
                self._file.write(page)

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        """Return one page, read as the client reads it."""
        del since
        assert isinstance(listed, EntitySpec)
        spec_of(listed)
        await asyncio.sleep(0)  # The answer is on its way.
        at, length = self._places.get((listed.name, window.number), (0, 0))
        self._file.seek(at)
        return SourcePage(await read(listed, self._file.read(length)) if length else (), self._sizes[listed.name])

    def batches(self, spec: EntitySpec, ids: Sequence[RecordId]) -> Sequence[Sequence[RecordId]]:
        """Return nothing: a cold sync asks for no single records."""
        raise AssertionError(f"{spec.name}: {ids}")

    def key_batches(self, spec: EntitySpec, keys: Sequence[str]) -> Sequence[Sequence[str]]:
        """Return nothing: a cold sync asks for no single records."""
        raise AssertionError(f"{spec.name}: {keys}")

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        """Return nothing: a cold sync asks for no single records."""
        raise AssertionError(f"{spec.name}: {ids}")

    async def with_keys(self, spec: EntitySpec, keys: Sequence[str], field: str | None = None) -> SourcePage:
        """Return nothing: a cold sync asks for no single records."""
        raise AssertionError(f"{spec.name}: {field} {keys}")


class Holding:
    """Tries to write beside the sync, from a thread of its own, and notes the longest wait."""

    def __init__(self, file: Path) -> None:
        self._path = file
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


@dataclass(frozen=True, slots=True)
class Synced:
    """What a cold sync of the catalogue gave.

    Attributes:
        figures: of memory, the loop's pauses and other writers' waits.
        variant_bytes: by how much the variants made the file grow.
    """

    figures: list[Figure]
    variant_bytes: int


@dataclass(frozen=True, slots=True)
class _Listing:
    """What was measured while one kind was listed: seconds, milliseconds, and the bytes of the closed file."""

    took: float
    pause: float
    held: float
    size: int


async def cold_sync(name: str, size: int, directory: Path) -> list[Figure]:
    """Measure a cold sync of this many variants with their products into a backend, in a process of its own."""
    return (await sync(name, size, directory)).figures


async def sync(name: str, size: int, directory: Path) -> Synced:
    """Sync this many variants with their products into a backend that is then closed."""
    source, before = InventedSource(size, directory), await _idle(name, directory)
    listings = [await _listed(name, entity, source, directory) for entity in ("product", "variant")]
    products, variants = listings
    figure = partial(Figure, topic=lines.SYNC, size=size)
    figures = [
        figure(what="memory at its peak, more than before", values={name: _peak() - before}),
        figure(what="variants", values={name: size / (products.took + variants.took)}),
        figure(what="longest pause of the event loop", values={name: max(one.pause for one in listings)}),
        figure(what="longest wait of another writer", values={name: max(one.held for one in listings)}),
    ]
    return Synced(figures, variants.size - products.size)


async def _idle(name: str, directory: Path) -> float:
    """Return the memory of this process with a backend that has been open."""
    cache = backend(name, directory)
    await cache.open()
    await cache.close()
    return _peak()


async def _listed(name: str, entity: str, source: InventedSource, directory: Path) -> _Listing:
    """List one kind into a backend that is opened for it and closed behind it."""
    cache = backend(name, directory)
    await cache.open()
    syncer = Syncer((PRODUCT, VARIANT), source, cache, SystemClock())
    holding, pauses = Holding(min((directory / name).glob(f"{name}-*"))), asyncio.create_task(_longest_pause())
    holding.start()
    start = TIMER.now()
    outcome = await syncer.start(entity)
    took = TIMER.now() - start
    assert outcome.complete, outcome
    pauses.cancel()
    (pause,) = await asyncio.gather(pauses, return_exceptions=True)
    held = holding.end()
    await cache.close()
    assert isinstance(pause, float)
    files = (directory / name).glob(f"{name}*")
    return _Listing(took, pause, held, sum(path.stat().st_size for path in files))


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
