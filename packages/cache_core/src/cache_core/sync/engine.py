"""Runs syncs: one at a time per entity in this process, and one at a time over all processes by its lease.

Refuses to hold a transaction over a request, and to move a cursor without proof.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from cache_core.clock import Clock
from cache_core.conditions import EVERYTHING
from cache_core.errors import CacheError, LeaseLost, SourceUnavailable
from cache_core.protocol import CacheBackend, SyncState
from cache_core.records import Record, RecordId
from cache_core.spec import EntitySpec
from cache_core.sync.audits import STEPS_AT_ONCE, Audits
from cache_core.sync.counters import Tally
from cache_core.sync.cursor import since
from cache_core.sync.cycle import Cycle, failed
from cache_core.sync.leasing import Leases
from cache_core.sync.progress import OnProgress, Progress, Progresses, reached
from cache_core.sync.quarantine import absent
from cache_core.sync.source import PAGE_SIZE, Source, SourcePage, Window
from cache_core.sync.storing import Extra, Store
from cache_core.sync.suspected_deletions import deleted
from cache_core.sync.writes import Part, Writes

_LOOKS_EVERY = 0.25
"""Seconds between two looks at the progress of another process."""


@dataclass(frozen=True, slots=True)
class SyncOutcome:
    """What one sync of an entity did.

    Attributes:
        entity: whose rows.
        complete: whether rows and children are provably complete and the cursor moved.
        requests: requests sent, repeats included; 0 when another process synced, or tried to.
        changed: rows that are new, differ or are gone.
        quarantined: records that could not be kept.
        reason: why it is not complete, one sentence.
        unavailable: whether the source did not answer.
        everywhere: whether it would not answer for other entities either.
        refused: whether it refused the key.
    """

    entity: str
    complete: bool
    requests: int = 0
    changed: int = 0
    quarantined: int = 0
    reason: str | None = None
    unavailable: bool = False
    everywhere: bool = False
    refused: bool = False


class Syncer:
    """Brings entities of one tenant up to date from a source into a cache.

    `specs` must hold every entity and `cache` must reach them all, so that parents are found anywhere. `live` is asked
    instead of `source` for records that somebody waits for.
    """

    def __init__(
        self,
        specs: Sequence[EntitySpec],
        source: Source,
        cache: CacheBackend,
        clock: Clock,
        live: Source | None = None,
    ) -> None:
        self.specs = {spec.name: spec for spec in specs}
        self._cache = cache
        self._clock = clock
        self._leases = Leases(cache, clock)
        self._store = Store(self.specs, cache, clock, self._leases)
        self._live = live or source
        self._progress = Progresses()
        self._cycle = Cycle(source, self._store, self._progress)
        self._audits = Audits(source, self._store)
        self._writes = Writes(source, self._live, self._store)
        self._running: dict[str, asyncio.Task[SyncOutcome]] = {}
        self._unread: dict[str, str] = {}
        self._auditing: asyncio.Task[None] | None = None
        self._due_audits: dict[str, EntitySpec] = {}
        self._refreshes = 0

    def progress(self, entity: str) -> Progress | None:
        """Return how far the running listing of the entity is, or None when none runs."""
        return self._progress.of(entity)

    @property
    def is_listing(self) -> bool:
        """Whether a listing of any entity runs."""
        return bool(self._progress)

    def warming(self, entity: str, state: SyncState) -> Progress | None:
        """Return the same, or how far a first listing came that was broken off."""
        running = self.progress(entity)
        return reached(entity, state) if running is None and state.completed_at is None else running

    def listen(self, listener: OnProgress) -> Callable[[], None]:
        """Call `listener` after each page of any listing, until the returned function is called."""
        return self._progress.listen(listener)

    def start(self, entity: str, seen: SyncState | None = None) -> asyncio.Task[SyncOutcome]:
        """Return the running sync of the entity, starting one if there is none; awaiting callers share it.

        Cancelling a caller must not cancel the others: await it through `asyncio.shield`.

        Args:
            entity: what to sync.
            seen: the state that made the caller wish for a sync; where another process has synced since, nothing is
                asked. As it is now by default.
        """
        task = self._running.get(entity)
        if task is None:
            task = asyncio.create_task(self._sync(self.specs[entity], seen), name=f"sync {entity}")
            self._running[entity] = task
            task.add_done_callback(lambda _: self._ended(entity))
        return task

    @contextlib.contextmanager
    def before_audits(self) -> Generator[None]:
        """Let no audit begin while the block runs: its syncs, which somebody may wait for, come first."""
        self._refreshes += 1
        try:
            yield
        finally:
            self._refreshes -= 1
        self._begin_audits()

    async def write_through(
        self, entity: str, record: Record, *, knows: Collection[str] | None = None, is_new: bool = False
    ) -> bool:
        """Store what Katana answered to our own write; return whether the cache shows it now.

        It is read at once, and stands for 15 minutes against listings of the same version, or until one shows it.

        Args:
            entity: whose record.
            record: the answer, wire quirks already normalised.
            knows: the child paths of the spec that the answer is right about; None where it is the whole record.
                The others, and fields that it does not name, are kept as they are stored; a document that is not
                stored is read first.
            is_new: whether we made it: where Katana does not list it yet, it is shown without what is not known.

        Raises:
            SourceUnavailable: the rest of a document that is not cached could not be read.
        """
        return await self._writes.put(self.specs[entity], record, knows, is_new=is_new)

    def wrote(self, entity: str, record_id: RecordId) -> bool:
        """Return whether we wrote a record in the last 15 minutes: a listing that lacks it may lag."""
        return self._writes.wrote(entity, record_id)

    async def delete_through(self, entity: str, record_id: RecordId) -> bool:
        """Mark a record that we deleted; return whether it was cached."""
        return await self._writes.delete(self.specs[entity], record_id)

    async def put_part(self, entity: str, record_id: RecordId, part: Part) -> bool:
        """Show what we wrote to a part of a document in the document; return whether that is cached."""
        return await self._writes.put_part(self.specs[entity], record_id, part)

    async def read_back(self, entity: str, record_id: RecordId, parts: Sequence[Part]) -> bool:
        """Read a document that we wrote to; return whether Katana shows these parts and it is stored.

        Raises:
            SourceUnavailable: Katana did not answer.
        """
        return await self._writes.read_back(self.specs[entity], record_id, parts)

    async def fetch(
        self,
        entity: str,
        ids: Sequence[RecordId],
        *,
        remove_absent: bool = False,
        taken_back: Collection[RecordId] = (),
    ) -> bool:
        """Read these records by their ids and store them; return whether that worked. It moves no cursor.

        Args:
            entity: whose records.
            ids: the records to read.
            remove_absent: whether those that Katana no longer gives leave the cache, as in an audit; ones so young that
                a replica may not know them yet stay.
            taken_back: those that a write of ours may have deleted: what Katana no longer gives of them is marked as
                what we deleted, however young it is.
        """
        spec = self.specs[entity]
        for batch in self._live.batches(spec, ids):
            reading = self._live.records(spec, batch)
            mine = [record_id for record_id in batch if record_id in taken_back]
            if not await self._fetched(spec, reading, batch if remove_absent else (), mine):
                return False
        return True

    async def fetch_keys(self, entity: str, keys: Sequence[str], field: str | None = None) -> bool:
        """Read the records with these business keys, or codes in a field, and store them, as `fetch` does."""
        spec = self.specs[entity]
        for batch in self._live.key_batches(spec, keys):
            if not await self._fetched(spec, self._live.with_keys(spec, batch, field)):
                return False
        return True

    async def fetch_newest(self, entity: str) -> bool:
        """Read what changed since the last sync, as far as one page shows it, and store it, as `fetch` does.

        A collection that fits into one page is read whole.
        """
        spec, state = self.specs[entity], await self._cache.state(entity)
        small = await self._cache.count(entity, (), EVERYTHING) < PAGE_SIZE
        start = since(state, self._clock.now()) if spec.watermark and not small else None
        return await self._fetched(spec, self._live.page(spec, Window(1), start))

    def why_unread(self, entity: str) -> str | None:
        """Return why the last `fetch…` of the entity failed, one sentence; None where it did not, or goes on."""
        return self._unread.get(entity)

    async def audit(self, entity: str) -> SyncOutcome:
        """Find hard deletions and missing records now, to the end, instead of a few requests after each sync.

        Raises:
            SourceUnavailable: the source did not answer; the next call goes on there.
        """
        spec, tally = self.specs[entity], Tally()
        async with self._leases.held(entity) as mine:
            if not mine:
                return SyncOutcome(entity, complete=False, reason="another process syncs it now")
            await self._audits.begin(spec)
            while await self._audits.step(spec, tally):
                pass
        return SyncOutcome(entity, True, tally.requests, tally.changed, tally.quarantined)

    async def close(self) -> None:
        """Stop every running sync; what was applied stays, and its checkpoint with it."""
        tasks: list[asyncio.Task[Any]] = [*self._running.values(), *([self._auditing] if self._auditing else ())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _fetched(
        self,
        spec: EntitySpec,
        reading: Awaitable[SourcePage],
        removable: Sequence[RecordId] = (),
        taken_back: Sequence[RecordId] = (),
    ) -> bool:
        self._unread.pop(spec.name, None)
        try:
            page = await reading
            gone = await deleted(spec, self._store, absent(spec, removable, page))
            await self._store.keep(spec, page, Extra(removed=gone))
            for record_id in absent(spec, taken_back, page):
                await self._writes.delete(spec, record_id)
        except SourceUnavailable as error:
            self._unread[spec.name] = error.reason
        except CacheError as error:
            self._unread[spec.name] = f"the cache cannot be written: {error}"
        return spec.name not in self._unread

    def _ended(self, entity: str) -> None:
        self._running.pop(entity, None)
        self._progress.end(entity)

    async def _sync(self, spec: EntitySpec, seen: SyncState | None) -> SyncOutcome:
        before = seen or await self._cache.state(spec.name)
        while True:
            async with self._leases.held(spec.name) as mine:
                state = await self._cache.state(spec.name)
                if state.completed_at != before.completed_at:
                    return SyncOutcome(spec.name, complete=True)
                if state.failures > before.failures:
                    return SyncOutcome(spec.name, complete=False, reason=state.incomplete, unavailable=True)
                if mine:
                    with contextlib.suppress(LeaseLost):
                        return await self._sync_alone(spec)
            self._watch(spec, state)
            await self._clock.sleep(_LOOKS_EVERY)

    async def _sync_alone(self, spec: EntitySpec) -> SyncOutcome:
        tally, silence = Tally(), None
        try:
            reason = await self._cycle.run(spec, tally)
        except SourceUnavailable as error:
            reason, silence = error.reason, error
        if reason is not None:
            await self._store.remember(spec, lambda state: failed(state, reason, self._clock.now()))
        elif await self._audits.is_due(spec):
            self._audit_on(spec)
        return SyncOutcome(
            spec.name,
            reason is None,
            tally.requests,
            tally.changed,
            tally.quarantined,
            reason,
            silence is not None,
            silence is not None and silence.everywhere,
            silence is not None and silence.refused,
        )

    def _watch(self, spec: EntitySpec, state: SyncState) -> None:
        """Tell how far another process is."""
        progress = reached(spec.name, state)
        if progress is not None:
            self._progress.tell(progress)

    @property
    def _is_auditing(self) -> bool:
        return self._auditing is not None and not self._auditing.done()

    def _audit_on(self, spec: EntitySpec) -> None:
        """Go on with the audit of the entity, after the refreshes under way, unless another one is audited."""
        if self._refreshes or not self._is_auditing:
            self._due_audits[spec.name] = spec
        self._begin_audits()

    def _begin_audits(self) -> None:
        """Go on with the audits that are due, one after the other: nobody waits for them."""
        if self._due_audits and not self._refreshes and not self._is_auditing:
            self._auditing = asyncio.create_task(self._audit_due(), name="audits")

    async def _audit_due(self) -> None:
        while self._due_audits and not self._refreshes:
            await self._audit_some(self._due_audits.pop(next(iter(self._due_audits))))

    async def _audit_some(self, spec: EntitySpec) -> None:
        tally = Tally()
        try:
            async with self._leases.held(spec.name) as mine:
                while mine and tally.requests < STEPS_AT_ONCE and await self._audits.step(spec, tally):
                    pass
        except (SourceUnavailable, CacheError):
            return  # it goes on after another sync; what fails for good shows in that sync
