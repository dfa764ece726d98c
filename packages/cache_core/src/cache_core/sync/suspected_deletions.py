"""Which cached rows are gone that Katana no longer gives: a young one is doubted first, because a replica may lag."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from cache_core.indexing import every_id
from cache_core.protocol import Stored
from cache_core.records import RecordId, iso
from cache_core.spec import EntitySpec
from cache_core.states import Audit, Doubted
from cache_core.sync.cursor import LONG_LOOK_BACK, lateness
from cache_core.sync.run import Run
from cache_core.sync.storing import Store


async def unlisted(spec: EntitySpec, store: Store, run: Run) -> tuple[list[RecordId], list[RecordId]]:
    """Return the cached ids that a complete whole listing did not hold: those that are gone, and those in doubt.

    What is not clearly older than its first page may have been created while it ran.
    """
    audit = (await store.cache.state(spec.name)).audit
    ids = [record_id for record_id in await every_id(spec, store.cache) if record_id not in run.ids]
    rows = (await store.cache.get_many(spec.name, ids)).rows
    gone = dict.fromkeys(deleted_among(rows, audit, run.checkpoint.first, store.clock.now()))
    return list(gone), [row.id for row in rows if row.id not in gone]


async def deleted(spec: EntitySpec, store: Store, ids: Sequence[RecordId]) -> list[RecordId]:
    """Return which of the cached records that the source did not give by their ids are gone."""
    if not ids:
        return []
    state = await store.cache.state(spec.name)
    rows = (await store.cache.get_many(spec.name, ids)).rows
    return deleted_among(rows, state.audit, state.cursor, store.clock.now())


def deleted_among(rows: Sequence[Stored], audit: Audit, reached: str | None, now: datetime) -> list[RecordId]:
    """Return which of the rows that were not given are gone: those too old to lag, and those doubted for long.

    Args:
        rows: what was not given.
        audit: with what was doubted before.
        reached: a version that Katana had reached when they were asked for.
        now: our time.
    """
    twice = set(due_again(audit, now))
    return [row.id for row in rows if row.id in twice or not _may_lag(row, reached)]


def due_again(audit: Audit, now: datetime) -> list[RecordId]:
    """Return the rows that were doubted for so long that no replica lags as much."""
    return [doubt.id for doubt in audit.doubted if doubt.after <= iso(now)]


def doubting(audit: Audit, ids: Sequence[RecordId], now: datetime) -> Audit:
    """Return the audit with these ids in doubt and no others, each since it first was."""
    since = {doubt.id: doubt for doubt in audit.doubted}
    after = iso(now + LONG_LOOK_BACK)
    return replace(audit, doubted=tuple(since.get(record_id, Doubted(record_id, after)) for record_id in ids))


def _may_lag(row: Stored, reached: str | None) -> bool:
    """Return whether a row is so young that a replica may not know it yet."""
    return row.version is None or lateness(reached, row.version) < LONG_LOOK_BACK.total_seconds()
