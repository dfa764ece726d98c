"""What must hold of a cache file after a process that used it met a fault or died, and that the next one mends it."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cache_core.protocol import CacheBackend
from cache_core.records import Record, RecordId
from cache_core.sync.source import PAGE_SIZE
from katana_mcp.caches.backends import Store

from .accounts import ENTITIES, Account, cached, synced, text_is_right
from .backends import FILED, TOYS, Kind, plain

LEASE_RUNS_OUT = 31

type Rows = Mapping[str, Mapping[RecordId, Record]]
NOTHING: Rows = {entity: {} for entity in ENTITIES}

of_files = pytest.mark.parametrize("kind", FILED, ids=lambda kind: kind.name)


@asynccontextmanager
async def process(kind: Kind, directory: Path) -> AsyncGenerator[Store]:
    """Open the cache for a block, as a process of its own would."""
    cache = plain(kind.name, TOYS, directory)
    try:
        await cache.open()
        yield cache
    finally:
        await cache.close()


async def held(cache: CacheBackend) -> Rows:
    """Return every record."""
    return {entity: await cached(cache, entity) for entity in ENTITIES}


async def filled(kind: Kind, directory: Path, account: Account) -> Rows:
    """Sync a cache; return what it holds then."""
    async with process(kind, directory) as cache:
        await synced(account.syncer(cache))
        return await held(cache)


async def proves_sound(cache: Store, account: Account, before: Rows) -> None:
    """Show that the file is whole, that the rows of before are there, and that no cursor is ahead of the rows."""
    assert cache.set_aside == ()
    assert await cache.faults() == ()
    for entity in ENTITIES:
        rows, truth = await cached(cache, entity), account.source.rows(entity)
        assert before[entity].keys() <= rows.keys()
        assert all(row in (truth[key], before[entity].get(key)) for key, row in rows.items())
        state = await cache.state(entity)
        passed = {key for key, row in truth.items() if state.cursor and str(row["updated_at"]) <= state.cursor}
        if state.checkpoint is not None and state.checkpoint.since is None:
            passed.update(sorted(truth, reverse=True)[: PAGE_SIZE * (state.checkpoint.page - 1)])
        assert {key for key in passed if rows.get(key) != truth[key]} == set()


async def mends(cache: Store, account: Account) -> None:
    """Show that a sync, once the lease of the dead has run out, leaves what the source holds, and the text with it."""
    account.clock.advance(LEASE_RUNS_OUT)
    await synced(account.syncer(cache))
    for entity in ENTITIES:
        assert await cached(cache, entity) == account.source.rows(entity)
        assert (await cache.status(entity)).quarantined == 0
    await text_is_right(cache)
    assert await cache.faults() == ()
