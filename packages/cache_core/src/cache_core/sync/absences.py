"""What a complete listing shows by what it does not hold: rows that have to be asked for, sooner than the audit would.

Refuses to drop any: a row of a collection that can be asked by ids is doubted, and the audit asks for it. Of a listing
that was resumed nobody knows the ids of its first pages; only its total tells something.
"""

from collections.abc import Collection
from dataclasses import replace

from cache_core.conditions import EVERYTHING, Order, Where, Within
from cache_core.indexing import every_id
from cache_core.protocol import Selection, SyncState
from cache_core.records import RecordId
from cache_core.spec import EntitySpec
from cache_core.sync.run import Run
from cache_core.sync.storing import Store
from cache_core.sync.suspected_deletions import doubting

_MOST = 1_000
"""Rows that are looked through at most."""

_QUARANTINED = 10_000


async def look_for_absent(spec: EntitySpec, store: Store, run: Run) -> None:
    """Doubt the cached rows that a listing, which is complete and stored, should have held and did not."""
    if not spec.watermark or spec.fetch_by != "list_ids":
        return
    if run.resumed:
        await _compare(spec, store, run)
        return
    since = run.checkpoint.since
    where: Where = () if since is None else (Within("updated_at", low=since),)
    if await store.cache.count(spec.name, where, EVERYTHING) <= len(run.ids):
        return
    window = Selection(where, Order("updated_at", descending=True), _MOST, 0, EVERYTHING)
    absent = [row.id for row in await store.cache.select(spec.name, window) if row.id not in run.ids]

    def doubt(state: SyncState) -> SyncState:
        ids = dict.fromkeys([*(row.id for row in state.audit.doubted), *absent])
        return replace(state, audit=doubting(state.audit, list(ids), store.clock.now()))

    if absent:
        await store.remember(spec, doubt)


async def brought_in(spec: EntitySpec, store: Store) -> Collection[RecordId]:
    """Return the ids that were listed so far: those of the rows, and of what is in quarantine."""
    poison = await store.cache.quarantined(spec.name, _QUARANTINED)
    return dict.fromkeys(
        [*await every_id(spec, store.cache), *(poisoned.id for poisoned in poison if poisoned.id is not None)]
    )


async def _compare(spec: EntitySpec, store: Store, run: Run) -> None:
    """Begin the audit at once where more is cached than a whole listing that was resumed counted in the end."""
    status = await store.cache.status(spec.name)
    if run.checkpoint.since is None and status.records + status.quarantined > run.checkpoint.total:
        await store.remember(spec, lambda state: replace(state, audit=replace(state.audit, running=True)))
