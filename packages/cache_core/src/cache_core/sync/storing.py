"""Stores records with what they borrow: every page and every own write goes through here, whoever else writes.

Borrowed text is computed before a write and checked after it, because another process may have changed the parent in
between: no order of two writers leaves a row with the text of a parent that is no longer stored.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from cache_core.clock import Clock
from cache_core.errors import LeaseLost
from cache_core.indexing import (
    REINDEX_STEP,
    Prepared,
    dependants,
    lends_differently,
    made_of,
    parents_of,
    prepare,
    row_of,
)
from cache_core.protocol import Applied, Batch, CacheBackend, Origin, Row, Stored, SyncState
from cache_core.records import Record, RecordId, iso, values_at
from cache_core.spec import EntitySpec, Parents
from cache_core.sync.leasing import Leases
from cache_core.sync.source import SourcePage
from cache_core.sync.stock_invalidation import mark_dirty
from cache_core.sync.unread import noted

_TRIES = 5

type Change = Callable[[SyncState], SyncState]
"""From the state that is stored to the one to store; sync and audit change different parts of it."""


@dataclass(frozen=True, slots=True)
class Extra:
    """What a write does besides storing records: the change of the sync state, and ids that are gone."""

    change: Change | None = None
    removed: Sequence[RecordId] = ()
    origin: Origin = Origin.LISTING


@dataclass(frozen=True, slots=True)
class WriteCounts:
    """What a write did; `changed` counts rows that are new, differ or are gone, not those that came again."""

    applied: Applied
    changed: int
    quarantined: int


class Store:
    """The only way from records into the cache."""

    def __init__(
        self, specs: Mapping[str, EntitySpec], cache: CacheBackend, clock: Clock, leases: Leases | None = None
    ) -> None:
        self.specs = specs
        self.cache = cache
        self.clock = clock
        self.leases = leases or Leases(cache, clock)
        # What is read, merged and written must not interleave within this process; no request is made under it.
        self.turn = asyncio.Lock()

    async def keep(self, spec: EntitySpec, page: SourcePage, extra: Extra | None = None) -> WriteCounts:
        """Store a page in one transaction, dependants reindexed.

        Raises:
            LeaseLost: another process syncs the entity now; nothing of the page is stored.
        """
        async with self.turn:
            return await self.keep_alone(spec, page, extra or Extra())

    async def remember(self, spec: EntitySpec, change: Change) -> None:
        """Change the sync state alone."""
        await self.keep(spec, SourcePage((), None), Extra(change))

    async def keep_alone(self, spec: EntitySpec, page: SourcePage, extra: Extra) -> WriteCounts:
        """Store a page; the caller has the turn."""
        prepared = await prepare(spec, page.records, self.cache)
        found = await self.cache.get_many(spec.name, [*(row.id for row in prepared.rows), *extra.removed])
        before = {row.id: row for row in found.rows}
        prepared = replace(prepared, rows=tuple(_unmoved(row, before.get(row.id)) for row in prepared.rows))
        poison = (*prepared.quarantine, *page.invalid)
        renamed = await self._reindex(spec, prepared, before)
        gone = [record_id for record_id in extra.removed if record_id in before]
        for borrower in self._borrowers(spec) if gone else ():
            renamed.setdefault(borrower.name, []).extend(gone)
        own = extra.origin is Origin.OWN_WRITE
        batch = Batch(
            entity=spec.name,
            at=self._at(),
            upserts=prepared.rows,
            quarantine=poison,
            removed=extra.removed,
            origin=extra.origin,
            state=await self._state(spec, page, prepared, extra),
            lease=None if own else self.leases.of(spec.name),
        )
        try:
            applied = await self.cache.apply(batch)
        except LeaseLost:
            await self._settle_dependants(spec, renamed)
            raise
        await self._check_again(spec, prepared)
        await self._settle_dependants(spec, renamed)
        await self._dirty(spec, prepared.rows, before)
        return WriteCounts(applied, _differing(applied, prepared.rows, before), len(poison))

    async def _state(self, spec: EntitySpec, page: SourcePage, prepared: Prepared, extra: Extra) -> SyncState | None:
        """Return the sync state to store with a page, which notes what could not be read of it."""
        if extra.change is None:
            return None
        state = await self.cache.state(spec.name)
        if page.records or extra.removed:
            state = noted(state, [*(row.id for row in prepared.rows), *extra.removed], page.unread)
        return extra.change(state)

    async def _reindex(
        self, parent: EntitySpec, prepared: Prepared, before: Mapping[RecordId, Stored]
    ) -> dict[str, list[RecordId]]:
        """Bring the rows that borrow from parents about to change up to date; return the parents, by borrower.

        Before the parents are stored: killed in between, the page comes again and is still seen to be a change.
        """
        newer = [row for row in prepared.rows if _is_newer(row, before.get(row.id))]
        renamed: dict[str, list[RecordId]] = {}
        for spec in self._borrowers(parent):
            changed = _changed_parents(spec, parent.name, newer, before)
            if changed:
                renamed[spec.name] = list(changed)
                lent: Parents = {(parent.name, row_id): record for row_id, record in changed.items()}
                for ids in _steps(await dependants(spec, parent.name, list(changed), self.cache)):
                    await self._reindex_step(spec, ids, lent)
        return renamed

    async def _check_again(self, spec: EntitySpec, prepared: Prepared) -> None:
        """Compare the parents with those that the rows just stored were made from."""
        if prepared.parents or spec.parents:
            again = await parents_of(spec, [row.record for row in prepared.rows], self.cache)
            if again != prepared.parents:
                await self._settle(spec, [row.id for row in prepared.rows])

    async def _settle_dependants(self, parent: EntitySpec, renamed: Mapping[str, Sequence[RecordId]]) -> None:
        """Reindex from what is stored, for borrowers that came while their parent was being stored."""
        for name, ids in renamed.items():
            spec = self.specs[name]
            await self._settle(spec, await dependants(spec, parent.name, ids, self.cache))

    async def _settle(self, spec: EntitySpec, ids: Sequence[RecordId]) -> None:
        """Reindex rows until their parents did not change meanwhile."""
        for some in _steps(ids):
            for _ in range(_TRIES):
                records, parents = await self._reindex_step(spec, some, {})
                if await parents_of(spec, records, self.cache) == parents:
                    break

    async def _reindex_step(
        self, spec: EntitySpec, ids: Sequence[RecordId], lent: Parents
    ) -> tuple[Sequence[Record], Parents]:
        found = await self.cache.get_many(spec.name, ids)
        records = [row.record for row in found.rows]
        parents = await parents_of(spec, records, self.cache) | lent

        def row_as_stored(row: Stored) -> Row:
            # The version that is stored, which a record whose own cannot be read has not.
            return replace(row_of(spec, row.record, parents), version=row.version)

        rows = await made_of(found.rows, row_as_stored)
        await self.cache.apply(Batch(entity=spec.name, at=self._at(), reindexed=rows))
        return records, parents

    async def _dirty(self, spec: EntitySpec, rows: Sequence[Row], before: Mapping[RecordId, Stored]) -> None:
        """Mark the stock of the variants that changed records name, or named before; `before` also has those gone."""
        if not spec.moves:
            return
        old = {row_id: row.record for row_id, row in before.items()}
        new = {row.id: row.record for row in rows}
        differing = [record_id for record_id in old | new if old.get(record_id) != new.get(record_id)]
        moved = [side[record_id] for record_id in differing for side in (old, new) if record_id in side]
        values = (value for record in moved for path in spec.moves for value in values_at(record, path))
        await mark_dirty(self.cache, list({value for value in values if isinstance(value, int)}), self._at())

    def _borrowers(self, parent: EntitySpec) -> list[EntitySpec]:
        return [
            spec for spec in self.specs.values() if parent.name in spec.parents and spec.name in self.cache.entities
        ]

    def _at(self) -> str:
        return iso(self.clock.now())


def _steps(ids: Sequence[RecordId]) -> Iterable[Sequence[RecordId]]:
    return (ids[start : start + REINDEX_STEP] for start in range(0, len(ids), REINDEX_STEP))


def _differing(applied: Applied, rows: Iterable[Row], before: Mapping[RecordId, Stored]) -> int:
    records = {row.id: row.record for row in rows}
    return sum(
        record_id not in before or before[record_id].record != records.get(record_id) for record_id in applied.changed
    )


def _unmoved(row: Row, stored: Stored | None) -> Row:
    """Return the row, with the version that is stored where its own cannot be read."""
    return row if row.version is not None or stored is None else replace(row, version=stored.version)


def _is_newer(row: Row, stored: Stored | None) -> bool:
    """Return whether a listed row is not older than what is stored."""
    return stored is None or row.version is None or stored.version is None or row.version >= stored.version


def _changed_parents(
    spec: EntitySpec, parent: str, rows: Sequence[Row], before: Mapping[RecordId, Stored]
) -> dict[RecordId, Record]:
    """Return the records that lend something else than the stored ones do."""
    lookups = [lookup for lookup in (*spec.searchable.lookups(), *spec.inherits) if lookup.entity == parent]
    stored = {row_id: row.record for row_id, row in before.items()}
    return {
        row.id: row.record
        for row in rows
        if any(lends_differently(stored.get(row.id), row.record, lookup) for lookup in lookups)
    }
