"""Runs listings: page by page, each applied and checkpointed in one transaction, one at a time per entity.

Refuses to hold a transaction over a request, and to move a cursor without proof.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from cache_core.clock import Clock
from cache_core.errors import SourceUnavailable
from cache_core.indexing import (
    REINDEX_STEP,
    Prepared,
    dependants,
    every_id,
    lends_differently,
    parents_of,
    prepare,
    row_of,
)
from cache_core.protocol import Batch, CacheBackend, Checkpoint, Row, Stored, SyncState
from cache_core.records import Record, RecordId, iso
from cache_core.spec import EntitySpec, Parents
from cache_core.sync.cursor import FARTHEST_AHEAD, advanced, since
from cache_core.sync.listing import Judgement, Verdict, judge
from cache_core.sync.source import PAGE_SIZE, Source, SourcePage

STEPS_BACK = 20
"""How often a listing may step back for deletions before it is given up as incomplete."""

PROOF_ATTEMPTS = 3
"""How often a page that proves nothing is asked for before the listing is given up as incomplete."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a listing is: records stored of records reported (None before the first page)."""

    entity: str
    done: int
    total: int | None


type OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class SyncOutcome:
    """What one sync of an entity did.

    Attributes:
        entity: whose rows.
        complete: whether the listing was provably complete and the cursor moved.
        requests: pages asked for, repeats included.
        changed: rows written or removed.
        quarantined: records that could not be kept.
        reason: why it is not complete, one sentence.
        unavailable: whether the source did not answer at all, so that others would fail likewise.
    """

    entity: str
    complete: bool
    requests: int
    changed: int
    quarantined: int
    reason: str | None = None
    unavailable: bool = False


class Syncer:
    """Brings entities of one tenant up to date from a source into a cache.

    `specs` must hold every entity and `cache` must reach them all, so that parents are found anywhere.
    """

    def __init__(self, specs: Sequence[EntitySpec], source: Source, cache: CacheBackend, clock: Clock) -> None:
        self.specs = {spec.name: spec for spec in specs}
        self._source = source
        self._cache = cache
        self._clock = clock
        self._running: dict[str, asyncio.Task[SyncOutcome]] = {}
        self._progress: dict[str, Progress] = {}
        self._listeners: set[OnProgress] = set()
        # Text is borrowed between entities, so rows are prepared, stored and reindexed by one run at a time.
        self._writing = asyncio.Lock()

    def progress(self, entity: str) -> Progress | None:
        """Return how far the running listing of the entity is, or None when none runs."""
        return self._progress.get(entity)

    def listen(self, listener: OnProgress) -> Callable[[], None]:
        """Call `listener` after each page of any listing, until the returned function is called."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def start(self, entity: str) -> asyncio.Task[SyncOutcome]:
        """Return the running sync of the entity, starting one if there is none; awaiting callers share it.

        Cancelling a caller must not cancel the others: await it through `asyncio.shield`.
        """
        task = self._running.get(entity)
        if task is None:
            task = asyncio.create_task(self._sync(self.specs[entity]), name=f"sync {entity}")
            self._running[entity] = task
            task.add_done_callback(lambda _: self._ended(entity))
        return task

    async def close(self) -> None:
        """Stop every running sync; what was applied stays, and its checkpoint with it."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, entity: str) -> None:
        self._running.pop(entity, None)
        self._progress.pop(entity, None)

    async def _sync(self, spec: EntitySpec) -> SyncOutcome:
        state = await self._cache.state(spec.name)
        ceiling = iso(self._clock.now() + FARTHEST_AHEAD)
        run = _Run(spec, state, ceiling, resumed=state.checkpoint is not None and spec.watermark)
        started = self._clock.monotonic()
        while True:
            checkpoint = run.checkpoint
            try:
                page = await self._source.page(spec, checkpoint.page, checkpoint.since)
            except SourceUnavailable as error:
                return replace(run.outcome(complete=False, reason=error.reason), unavailable=True)
            judgement = run.judged(page)
            if judgement.verdict is Verdict.RETRY:
                if run.attempts >= PROOF_ATTEMPTS:
                    await self._give_up(run, page, judgement.reason)
                    return run.outcome(complete=False, reason=judgement.reason)
                continue
            elapsed = None if run.resumed else self._clock.monotonic() - started
            await self._keep(run, page, judgement, elapsed)
            if judgement.verdict is Verdict.DONE:
                return run.outcome(complete=True)

    async def _keep(self, run: "_Run", page: SourcePage, judgement: Judgement, elapsed: float | None) -> None:
        at = iso(self._clock.now())
        done = judgement.verdict is Verdict.DONE
        state = (
            advanced(run.state, run.checkpoint, elapsed, at)
            if done
            else replace(run.state, checkpoint=run.checkpoint, incomplete=None)
        )
        removed = await self._gone(run) if done and not run.spec.watermark else ()
        await self._apply(run, page, at, (state, removed))
        self._tell(Progress(run.spec.name, run.seen, run.checkpoint.total))

    async def _give_up(self, run: "_Run", page: SourcePage, reason: str) -> None:
        """Store what came and say that the listing is incomplete; cursor and checkpoint stay."""
        kept = run.checkpoint if run.checkpoint.page > 1 else None
        state = replace(run.state, checkpoint=kept, incomplete=reason)
        await self._apply(run, page, iso(self._clock.now()), (state, ()))

    async def _apply(self, run: "_Run", page: SourcePage, at: str, end: tuple[SyncState, Sequence[RecordId]]) -> None:
        async with self._writing:
            await self._apply_alone(run, page, at, end)

    async def _apply_alone(
        self, run: "_Run", page: SourcePage, at: str, end: tuple[SyncState, Sequence[RecordId]]
    ) -> None:
        spec = run.spec
        prepared = await prepare(spec, page.records, self._cache)
        # Dependants first: killed in between, the page comes again and is still seen to be a change.
        await self._reindex(spec, prepared)
        state, removed = end
        applied = await self._cache.apply(
            Batch(
                entity=spec.name,
                at=at,
                upserts=prepared.rows,
                quarantine=(*prepared.quarantine, *page.invalid),
                removed=removed,
                state=state,
            )
        )
        run.changed += len(applied.changed)
        run.quarantined += len(prepared.quarantine) + len(page.invalid)

    async def _gone(self, run: "_Run") -> tuple[RecordId, ...]:
        """Return the cached ids that a complete whole listing no longer holds."""
        return tuple([each for each in await every_id(run.spec, self._cache) if each not in run.ids])

    async def _reindex(self, parent: EntitySpec, prepared: Prepared) -> None:
        """Bring the rows that borrow from parents about to change up to date, 1,000 at a time."""
        borrowers = [
            spec for spec in self.specs.values() if parent.name in spec.parents and spec.name in self._cache.entities
        ]
        if not borrowers:
            return
        found = await self._cache.get_many(parent.name, [row.id for row in prepared.rows])
        before = {row.id: row for row in found.rows}
        newer = [row for row in prepared.rows if _is_newer(row, before.get(row.id))]
        for spec in borrowers:
            changed = _changed_parents(spec, parent.name, newer, before)
            ids = await dependants(spec, parent.name, list(changed), self._cache) if changed else []
            lent: Parents = {(parent.name, row_id): record for row_id, record in changed.items()}
            for start in range(0, len(ids), REINDEX_STEP):
                await self._reindex_step(spec, ids[start : start + REINDEX_STEP], lent)

    async def _reindex_step(self, spec: EntitySpec, ids: Sequence[RecordId], lent: Parents) -> None:
        found = await self._cache.get_many(spec.name, ids)
        parents = await parents_of(spec, [row.record for row in found.rows], self._cache) | lent
        rows = [row_of(spec, row.record, parents) for row in found.rows]
        await self._cache.apply(Batch(entity=spec.name, at=iso(self._clock.now()), reindexed=rows))

    def _tell(self, progress: Progress) -> None:
        self._progress[progress.entity] = progress
        for listener in tuple(self._listeners):
            listener(progress)


class _Run:
    """One listing under way."""

    def __init__(self, spec: EntitySpec, state: SyncState, ceiling: str, *, resumed: bool) -> None:
        self.spec = spec
        self.ceiling = ceiling
        self.state = state
        self.resumed = resumed
        start = since(state) if spec.watermark else None
        fresh = Checkpoint(page=1, total=0, since=start, first=None, newest=None)
        self.checkpoint = state.checkpoint if resumed and state.checkpoint is not None else fresh
        self.ids: set[RecordId] = set()
        self.seen = (self.checkpoint.page - 1) * PAGE_SIZE
        self.attempts = 0
        self.steps_back = 0
        self.requests = 0
        self.changed = 0
        self.quarantined = 0

    def judged(self, page: SourcePage) -> Judgement:
        """Judge the page and move on when it proves something."""
        self.requests += 1
        judgement = judge(self.checkpoint, page, self._distinct(page))
        stepped_back = judgement.checkpoint.page <= self.checkpoint.page and judgement.verdict is Verdict.NEXT
        self.steps_back += stepped_back
        if self.steps_back > STEPS_BACK:
            judgement = replace(judgement, verdict=Verdict.RETRY, reason="the total that Katana reports keeps changing")
            self.attempts = PROOF_ATTEMPTS
        if judgement.verdict is Verdict.RETRY:
            self.attempts += 1
            return judgement
        self.attempts = 0
        self.seen += page.size
        if not self.spec.watermark:
            ids = [*map(self.spec.id_of, page.records), *(each.id for each in page.invalid)]
            self.ids.update(each for each in ids if each is not None)
        versions = [
            version
            for each in page.records
            if (version := self.spec.version_of(each)) is not None and version < self.ceiling
        ]
        top = max(versions, default=None)
        known = self.checkpoint.newest
        newest = max((each for each in (known, top) if each is not None), default=None)
        first = top if self.checkpoint.page == 1 else self.checkpoint.first
        self.checkpoint = replace(judgement.checkpoint, newest=newest, first=first)
        return judgement

    def _distinct(self, page: SourcePage) -> int:
        """Count the page's records by id; those without a usable one each count as one."""
        ids = [*map(self.spec.id_of, page.records), *(each.id for each in page.invalid)]
        return len({each for each in ids if each is not None}) + ids.count(None)

    def outcome(self, *, complete: bool, reason: str | None = None) -> SyncOutcome:
        """Return what this run did."""
        return SyncOutcome(self.spec.name, complete, self.requests, self.changed, self.quarantined, reason)


def _is_newer(row: Row, stored: Stored | None) -> bool:
    """Return whether a listed row is not older than what is stored."""
    return stored is None or row.version is None or stored.version is None or row.version >= stored.version


def _changed_parents(
    spec: EntitySpec, parent: str, rows: Sequence[Row], before: Mapping[RecordId, Stored]
) -> dict[RecordId, Record]:
    """Return the records that lend something else than the stored ones do."""
    lookups = [each for each in (*spec.searchable.lookups(), *spec.inherits) if each.entity == parent]
    stored = {row_id: row.record for row_id, row in before.items()}
    return {
        row.id: row.record
        for row in rows
        if any(lends_differently(stored.get(row.id), row.record, lookup) for lookup in lookups)
    }
