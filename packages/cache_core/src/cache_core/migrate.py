"""From one backend into another without the API, and the proof that both hold the same.

Can be interrupted and repeated: what is already there is left as it is, and the sync state is written last.
"""

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from uuid import uuid4

from cache_core.clock import Clock
from cache_core.conditions import EVERYTHING, Order, Within
from cache_core.errors import CacheError
from cache_core.indexing import parents_of, row_of
from cache_core.leases import Claim, Lease
from cache_core.protocol import Batch, CacheBackend, Row, Selection, Stored
from cache_core.records import RecordId, iso
from cache_core.spec import EntitySpec

STEP = 500
_HELD = 30.0
"""Seconds for which a filling that was killed keeps others from syncing."""

type OnStep = Callable[[str, int, int], None]
"""Told after each step: entity, rows done, rows in all."""


@dataclass(frozen=True, slots=True)
class Verified:
    """How two backends compare for one entity.

    Attributes:
        entity: whose rows.
        compared: rows that both hold.
        missing: ids that only the first holds, at most 20.
        surplus: ids that only the second holds, at most 20.
        different: ids that both hold with another record or soft state, at most 20.
        differences: how many of the three there are in all.
    """

    entity: str
    compared: int
    missing: tuple[RecordId, ...]
    surplus: tuple[RecordId, ...]
    different: tuple[RecordId, ...]
    differences: int


async def needs_filling(spec: EntitySpec, source: CacheBackend, target: CacheBackend) -> bool:
    """Return whether `source` has completed a listing that `target` has not."""
    theirs, ours = await source.state(spec.name), await target.state(spec.name)
    if theirs.completed_at is None:
        return False
    return ours.completed_at is None or (ours.cursor or "") < (theirs.cursor or "")


@dataclass(frozen=True, slots=True)
class Migration:
    """Copies and compares entities between two backends.

    Attributes:
        lookups: the cache in which the records that an entity borrows text from are found.
        clock: where time comes from.
        tell: told after each step.
    """

    lookups: CacheBackend
    clock: Clock
    tell: OnStep

    async def fill(self, spec: EntitySpec, source: CacheBackend, target: CacheBackend) -> int:
        """Copy an entity's rows, quarantine and sync state from `source` into `target`; return how many rows.

        The target's lease is taken from whoever syncs the entity there: a listing half done must not go on after it.

        Raises:
            LeaseLost: another process fills it now.
        """
        hold = _Hold(spec.name, target, self.clock)
        await hold.seize()
        try:
            return await self._filled(spec, source, target, hold)
        finally:
            await hold.release()

    async def _filled(self, spec: EntitySpec, source: CacheBackend, target: CacheBackend, hold: "_Hold") -> int:
        # Read before the rows: what a server writes meanwhile must not be older than the cursor that is copied.
        state, poison = await source.state(spec.name), await source.quarantined(spec.name, 1_000)
        total, done = await source.count(spec.name, (), EVERYTHING), 0
        async for rows in windows(spec, source):
            parents = await parents_of(spec, [row.record for row in rows], self.lookups)
            upserts = [replace(row_of(spec, row.record, parents), version=row.version) for row in rows]
            await _put(
                Batch(entity=spec.name, at=iso(self.clock.now()), upserts=upserts, lease=await hold.renewed()), target
            )
            done += len(rows)
            self.tell(spec.name, done, total)
        end = Batch(
            entity=spec.name,
            at=iso(self.clock.now()),
            removed=await _only_in(spec, target, source),
            quarantine=poison,
            state=state,
            lease=await hold.renewed(),
        )
        await target.apply(end)
        return done

    async def reindex(self, spec: EntitySpec, backend: CacheBackend) -> int:
        """Compute the text and soft state of every row of an entity again, from the parents as they are now.

        Returns:
            How many rows there are.
        """
        total, done = await backend.count(spec.name, (), EVERYTHING), 0
        if not total:
            return 0
        async for rows in windows(spec, backend):
            parents = await parents_of(spec, [row.record for row in rows], self.lookups)
            again = [replace(row_of(spec, row.record, parents), version=row.version) for row in rows]
            await backend.apply(Batch(entity=spec.name, at=iso(self.clock.now()), reindexed=again))
            done += len(rows)
            self.tell(spec.name, done, total)
        return done

    async def verify(self, spec: EntitySpec, first: CacheBackend, second: CacheBackend) -> Verified:
        """Compare every row of an entity, record by record."""
        total, done = await first.count(spec.name, (), EVERYTHING), 0
        missing: list[RecordId] = []
        different: list[RecordId] = []
        async for rows in windows(spec, first):
            found = await second.get_many(spec.name, [row.id for row in rows])
            theirs = {row.id: row for row in found.rows}
            missing.extend(found.missing)
            different.extend(row.id for row in rows if row.id in theirs and theirs[row.id] != row)
            done += len(rows)
            self.tell(spec.name, done, total)
        surplus = await _only_in(spec, second, first)
        return Verified(
            entity=spec.name,
            compared=done - len(missing),
            missing=tuple(missing[:20]),
            surplus=tuple(surplus[:20]),
            different=tuple(different[:20]),
            differences=len(missing) + len(surplus) + len(different),
        )


class _Hold:
    """The lease of an entity while it is filled, renewed with every step."""

    def __init__(self, entity: str, target: CacheBackend, clock: Clock) -> None:
        self._entity = entity
        self._target = target
        self._clock = clock
        self._holder = uuid4().hex
        self._lease: Lease | None = None

    async def seize(self) -> None:
        """Take the lease, whoever holds it."""
        standing = await self._target.claim(self._claim())
        if standing.holder != self._holder:
            # A claim of the moment when the standing lease ends is granted; the next one dates it back to now.
            await self._target.claim(replace(self._claim(), at=standing.until))
            standing = await self._target.claim(self._claim())
        self._lease = standing

    async def renewed(self) -> Lease | None:
        """Return the lease to write under; what is written under one that was lost is refused."""
        await self._target.claim(self._claim())
        return self._lease

    async def release(self) -> None:
        """Give it back; who cannot leaves it to run out."""
        with contextlib.suppress(CacheError):
            await self._target.claim(replace(self._claim(), seconds=0))

    def _claim(self) -> Claim:
        return Claim(self._entity, self._holder, iso(self._clock.now()), _HELD)


async def windows(spec: EntitySpec, backend: CacheBackend) -> AsyncIterator[tuple[Stored, ...]]:
    """Yield all rows of an entity in windows, by id, in any soft state; a row that goes meanwhile hides no other."""
    where: tuple[Within, ...] = ()
    last: RecordId | None = None
    while True:
        selection = Selection(where, Order(spec.id_path), STEP + len(where), 0, EVERYTHING)
        rows = tuple(row for row in await backend.select(spec.name, selection) if row.id != last)
        if not rows:
            return
        yield rows
        last = rows[-1].id
        where = (Within(spec.id_path, low=last),)


async def _put(batch: Batch, target: CacheBackend) -> None:
    """Write rows over what the target holds at the same version: an own write that still stands, or a wrong row."""
    changed = set((await target.apply(batch)).changed)
    by_id = {row.id: row for row in batch.upserts}
    same = [
        (row, by_id[row.id])
        for row in (await target.get_many(batch.entity, list(by_id))).rows
        if row.version == by_id[row.id].version
    ]
    again = [upsert for row, upsert in same if row.id not in changed or row != _read_back(upsert)]
    if again:
        await target.apply(replace(batch, upserts=(), removed=[row.id for row in again]))
        await target.apply(replace(batch, upserts=again))


def _read_back(row: Row) -> Stored:
    return Stored(row.id, row.version, row.record, row.deleted, row.archived)


async def _only_in(spec: EntitySpec, here: CacheBackend, there: CacheBackend) -> list[RecordId]:
    """Return the ids that one backend holds and the other does not."""
    found: list[RecordId] = []
    async for rows in windows(spec, here):
        found.extend((await there.get_many(spec.name, [row.id for row in rows])).missing)
    return found
