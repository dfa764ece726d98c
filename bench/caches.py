"""Every backend in a directory, and what stores the same pages in each, one side after the other."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from bench import data
from bench.figures import TIMER, Work
from bench.wire import read
from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.states import SyncState
from katana_mcp.caches.backends import BACKENDS

FLOOR = "floor"
MEASURED_TO: dict[str, int] = {}
"""Up to how many variants or orders a backend is measured, where it is not measured at all sizes."""
MEASURED_TO["legacy"] = 10_000  # goes with cache_legacy

type Caches = Mapping[str, CacheBackend]
type Store = Callable[[bytes], Awaitable[object]]


def backend(name: str, directory: Path) -> CacheBackend:
    """Return a backend that holds every entity in a directory of its own, not yet open."""
    return BACKENDS[name](directory / name, SPECS)


def measured_at(size: int) -> list[str]:
    """Return the backends that are measured at this size."""
    return [name for name in BACKENDS if size <= MEASURED_TO.get(name, size)]


@asynccontextmanager
async def opened(directory: Path, size: int) -> AsyncGenerator[Caches]:
    """Open every backend that is measured at this size beside the others.

    Their files are read once before: what is measured is not how long this machine's disk takes for the first look.
    """
    await asyncio.to_thread(_read_through, directory)
    caches = {name: backend(name, directory) for name in measured_at(size)}
    for cache in caches.values():
        await cache.open()
    try:
        yield caches
    finally:
        for cache in caches.values():
            await cache.close()


def _read_through(directory: Path) -> None:
    piece = bytearray(2**20)
    for path in (path for path in directory.rglob("*") if path.is_file()):
        with path.open("rb", buffering=0) as file:
            while file.readinto(piece):
                pass


async def store(cache: CacheBackend, spec: EntitySpec, page: bytes) -> None:
    """Take a page from bytes to committed and searchable, as a sync does."""
    prepared = await prepare(spec, await read(spec, page), cache)
    await cache.apply(Batch(entity=spec.name, at=data.NOON, upserts=prepared.rows))


async def written(caches: Caches, entity: str) -> None:
    """Write into each cache: no read after it is answered with what was read before."""
    for cache in caches.values():
        await cache.apply(Batch(entity=entity, at=data.NOON, state=SyncState()))


def stores(caches: Caches, spec: EntitySpec) -> dict[str, Store]:
    """Return for each backend what stores a page."""
    return {name: partial(store, cache, spec) for name, cache in caches.items()}


async def rates(sides: Mapping[str, Store], pages: Iterable[bytes], size: int) -> dict[str, float]:
    """Store every page on each side, one side after the other; return the records per second of each."""
    spent = dict.fromkeys(sides, 0.0)
    for page in pages:
        for name, side in sides.items():
            start = TIMER.now()
            await side(page)
            spent[name] += TIMER.now() - start
    return {name: size / seconds for name, seconds in spent.items()}


def sides(
    caches: Caches, work: Callable[[CacheBackend, int], Awaitable[object]], floor: Work | None
) -> dict[str, Work]:
    """Return the same work for each backend, beside the floor's."""
    own: dict[str, Work] = {name: partial(work, cache) for name, cache in caches.items()}
    return own | ({} if floor is None else {FLOOR: floor})
