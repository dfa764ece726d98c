"""Reads ask here first: fresh rows cost nothing, older ones one shared delta, and no wait is unbounded.

Refuses to fail a read while rows exist: what cannot be refreshed in time is answered from the cache, marked.
"""

import asyncio
import copy
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Self

from cache_core.clock import Clock
from cache_core.errors import CacheUnavailable
from cache_core.protocol import CacheBackend, Standing, SyncState
from cache_core.records import RecordId
from cache_core.sync.engine import Syncer, SyncOutcome
from cache_core.sync.expiries import Expiries
from cache_core.sync.patience import Freshness, OnDue, Patience, Round, age_of
from cache_core.sync.said_fresh import SaidFresh
from cache_core.sync.waiting import finished

_FAILED_FOR = 15.0
_EARLY = 0.8
"""The part of `fresh_for` after which rows are refreshed ahead of the reads that would find them old."""
_REST = 60.0
_SHORTEST = 1.0
_PER_REQUEST = 2.0
"""Seconds per request of a refresh ahead of reads, its rest included: it leaves half of 60 a minute to others."""
_LONGEST = 900.0
"""Seconds after which a refused key is tried again ahead of reads, at most: each time twice as long as before."""
_DOUBLED = 10
_LONG = timedelta(days=365)
_UNDER_WAY = "a refresh is under way"
_TOO_SLOW = "Katana took longer to answer than these rows stay fresh"
_MEANWHILE = "these rows grew old while others were read"


class FreshReads:
    """Decides per entity whether a read needs the source, and waits for it within bounds.

    Args:
        syncer: brings entities up to date.
        cache: what is read.
        clock: where time comes from.
        patience: how long a read waits.
        closed: why the source is never asked, one sentence; None where it is.
        late: says why no answer could come in time, one sentence; None where the source could be asked.
    """

    def __init__(  # noqa: PLR0913 - the optional ones are named
        self,
        syncer: Syncer,
        cache: CacheBackend,
        clock: Clock,
        patience: Patience | None = None,
        *,
        closed: str | None = None,
        late: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._syncer = syncer
        self._cache = cache
        self._clock = clock
        self._patience = patience or Patience()
        self._waits: Callable[[], float] | None = None
        self._closed = closed
        self._late = late
        self._failed: dict[str, tuple[float, str]] = {}
        self._expiries = Expiries()
        self._refusals = 0
        self._with_parents: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._said = SaidFresh()
        self._refreshing: set[asyncio.Task[Any]] = set()

    def waiting(self, seconds: Callable[[], float]) -> Self:
        """Return the same reads for one who waits so long without rows, or for single ones; asked when it does."""
        patient = copy.copy(self)
        patient._waits = seconds  # noqa: SLF001 - a copy of itself
        return patient

    def after(self, seconds: float) -> Self:
        """Return the same reads for a caller who has waited so long already."""
        patient, usual = copy.copy(self), self._patience
        warm, cold, by_id = (max(0.0, limit - seconds) for limit in (usual.warm, usual.cold, usual.by_id))
        patient._patience = replace(usual, warm=warm, cold=cold, by_id=by_id)  # noqa: SLF001 - a copy of itself
        if (waits := self._waits) is not None:
            patient._waits = lambda: max(0.0, waits() - seconds)  # noqa: SLF001 - a copy of itself
        return patient

    def with_parents(self, entities: Iterable[str]) -> tuple[str, ...]:
        """Return the entities and all that they borrow from, parents first."""
        asked = tuple(entities)
        if asked not in self._with_parents:
            needed: set[str] = set()
            queue = list(asked)
            while queue:
                name = queue.pop()
                if name not in needed:
                    needed.add(name)
                    queue.extend(self._syncer.specs[name].parents)
            self._with_parents[asked] = tuple(name for name in self._syncer.specs if name in needed)
        return self._with_parents[asked]

    async def ensure(
        self,
        entities: Iterable[str],
        *,
        wait: float | None = None,
        on_due: OnDue | None = None,
        without: Collection[str] = (),
    ) -> dict[str, Freshness]:
        """Bring the entities up to date as far as the patience goes, and say how current each is.

        Args:
            entities: the entities that the read needs; what they borrow from is added.
            wait: seconds to wait at most, instead of the usual patience; 0 does not wait at all.
            on_due: told what is waited for, before it is.
            without: entities that are neither refreshed nor waited for: the reader has what it needs of them.
        """
        names = self.with_parents(entities)
        standings = await self._cache.standings(names)
        said = self._said.again(names, standings, self._clock.now()) if self._is_quiet(names) else None
        if said is not None:
            return said
        old = at_first = self._old(standings)
        due = [name for name in old if name not in without and not self._is_left_alone(name)]
        if due:
            cold = [name for name in due if standings[name].state.completed_at is None]
            if on_due is not None:
                on_due(due, cold)
            usual = self._borne(self._patience.cold) if cold else self._patience.warm
            await self._wait(self._started(due), usual if wait is None else wait)
            standings |= await self._cache.standings(due)
            old = self._old(standings)
        late = {name: _TOO_SLOW if name in at_first else _MEANWHILE for name in old}
        freshness = {name: self._freshness(name, standing, late.get(name)) for name, standing in standings.items()}
        if names and not old and self._is_quiet(names):
            self._said.keep(names, standings, {name: self._fresh_for(name) for name in names}, freshness)
        return freshness

    def _borne(self, usual: float) -> float:
        """Return how many seconds a read waits where nothing can be said without the source."""
        return usual if self._waits is None else self._waits()

    def _is_quiet(self, names: Sequence[str]) -> bool:
        """Return whether how entities stand is all that there is to say of them, as long as none is old."""
        return (self._failed.keys() | self._expiries.entities).isdisjoint(names) and not self._syncer.is_listing

    def _old(self, standings: Mapping[str, Standing]) -> list[str]:
        """Return which of these entities are older than they should be, now."""
        now = self._clock.now()
        return [name for name, standing in standings.items() if self._is_old(name, standing.state, now)]

    def expire(self, entity: str) -> None:
        """Let the next read of the entity ask for what is newer: a write of ours changed records as it was answered."""
        self._expiries.begin(entity, self._clock.now())

    async def read_missing(self, entity: str, ids: Sequence[RecordId]) -> bool:
        """Read what a first listing has not brought yet by its ids, where one request reads more than one record.

        Returns False where that was tried and did not work within the patience.
        """
        spec = self._syncer.specs[entity]
        if spec.fetch_by == "full_list" or not await self._is_first(entity):
            return True
        missing = (await self._cache.get_many(entity, ids)).missing
        if missing and (len(missing) == 1 or spec.fetch_by == "list_ids"):
            return await self.read_again(entity, missing)
        return True

    async def read_again(
        self,
        entity: str,
        ids: Sequence[RecordId],
        *,
        remove_absent: bool = False,
        taken_back: Collection[RecordId] = (),
    ) -> bool:
        """Read records by their ids whatever is cached of them; return whether that worked within the patience.

        With `remove_absent`, those that Katana no longer gives leave the cache, unless they are very young; those of
        `taken_back`, which a write of ours may have deleted, are marked as deleted however young they are.
        """
        if self._is_left_alone(entity):
            return False
        return await self._fetched(
            entity, self._syncer.fetch(entity, ids, remove_absent=remove_absent, taken_back=taken_back)
        )

    async def read_keys_again(self, entity: str, keys: Sequence[str]) -> bool:
        """Read records by their business keys whatever is cached; return whether that worked within the patience."""
        if self._is_left_alone(entity):
            return False
        return await self._fetched(entity, self._syncer.fetch_keys(entity, keys))

    async def read_newest(self, entity: str) -> bool:
        """Read what is newer than the last sync; return whether that worked within the patience."""
        if self._is_left_alone(entity):
            return False
        return await self._fetched(entity, self._syncer.fetch_newest(entity))

    @property
    def closed(self) -> str | None:
        """Why nothing is asked of the source at all, one sentence; None where it is asked."""
        return self._closed

    def why_unread(self, entity: str) -> str:
        """Return why single records of the entity could not be read just now, one sentence."""
        failed = self._failed[entity][1] if self._held_off(entity) > 0 else None
        late = self._late() or f"Katana did not answer within {self._borne(self._patience.by_id):g} s"
        return self._closed or failed or self._syncer.why_unread(entity) or late

    async def read_missing_keys(self, entity: str, keys: Sequence[str]) -> bool:
        """Read what a first listing has not brought yet by its business keys, where one request takes more than one.

        Returns False where that was tried and did not work within the patience.
        """
        most = self._syncer.specs[entity].keys_at_once
        if not most or not await self._is_first(entity):
            return True
        matches = {key: await self._cache.find_by_key(entity, key) for key in dict.fromkeys(keys)}
        missing = [key for key, match in matches.items() if match.row is None and not match.ambiguous]
        if missing and (len(missing) == 1 or most > 1):
            return await self._fetched(entity, self._syncer.fetch_keys(entity, missing))
        return True

    async def read_missing_code(self, entity: str, code: str) -> bool:
        """Read what a first listing has not brought yet by its business key or a code of another field.

        Returns False where its key was asked for, and no answer came within the patience.
        """
        spec = self._syncer.specs[entity]
        if not spec.keys_at_once or not await self._is_first(entity):
            return True
        reads = [self._syncer.fetch_keys(entity, [code], field) for field in (None, *spec.codes)]
        by_key, *_ = await asyncio.gather(*[self._fetched(entity, read) for read in reads])
        return by_key

    async def _is_first(self, entity: str) -> bool:
        """Return whether the first listing is not complete and the source may be asked for single records."""
        state = await self._cache.state(entity)
        return state.completed_at is None and not self._is_left_alone(entity)

    async def _fetched(self, entity: str, reading: Coroutine[Any, Any, bool]) -> bool:
        fetch = asyncio.create_task(reading, name=f"fetch {entity}")
        self._refreshing.add(fetch)
        fetch.add_done_callback(self._refreshing.discard)
        return await finished(fetch, self._borne(self._patience.by_id), self._clock) and fetch.result()

    async def keep_fresh(self, entities: Iterable[str]) -> Round:
        """Refresh what reads would soon find old, one after the other.

        Raises:
            CacheError: the cache cannot be used.
        """
        names = self.with_parents(entities)
        part = _EARLY * self._stretch(names)
        began = self._clock.monotonic()
        refresh = self._started(list(names), part)
        await asyncio.wait({refresh})
        outcomes = () if refresh.cancelled() else refresh.result()
        standings = await self._cache.standings(names)
        left = [self._left(name, standing.state, part) for name, standing in standings.items()]
        asked = sum(outcome.requests for outcome in outcomes)
        paced = _PER_REQUEST * asked - (self._clock.monotonic() - began)
        rest = max(_SHORTEST, min(max(paced, min(left, default=_REST)), _REST))
        return Round(outcomes, max(rest, self._held_back(outcomes)))

    def _held_back(self, outcomes: Iterable[SyncOutcome]) -> float:
        """Return for how many seconds a refused key is left alone ahead of reads."""
        refusals = [outcome.refused for outcome in outcomes]
        if refusals:
            self._refusals = min(self._refusals + 1, _DOUBLED) if any(refusals) else 0
        return min(_FAILED_FOR * 2**self._refusals, _LONGEST) if self._refusals else 0.0

    def _stretch(self, names: Iterable[str]) -> float:
        """Return how many times longer all are left alone where many are kept fresh.

        It follows from the entities alone, so that any number of processes asks what one does.
        """
        asked = {name: 1 + len(self._syncer.specs[name].feeds) for name in names}
        rate = sum(requests / (_EARLY * self._fresh_for(name).total_seconds()) for name, requests in asked.items())
        return max(1.0, _PER_REQUEST * rate)

    def _left(self, name: str, state: SyncState, part: float) -> float:
        """Return in how many seconds the entity is to be refreshed ahead of reads."""
        age = min(age_of(state, self._clock.now()), _LONG)
        fresh = (part * self._fresh_for(name) - age).total_seconds()
        return max(fresh, self._held_off(name))

    def _held_off(self, name: str) -> float:
        """Return for how many seconds an entity is left alone after a failure."""
        failed = self._failed.get(name)
        return 0.0 if failed is None else failed[0] - self._clock.monotonic()

    def _is_due(self, name: str, state: SyncState, part: float) -> bool:
        return not self._is_left_alone(name) and self._is_old(name, state, self._clock.now(), part)

    def _is_left_alone(self, name: str) -> bool:
        """Return whether the source is not asked for the entity, or not just now."""
        return self._closed is not None or self._held_off(name) > 0

    def _is_old(self, name: str, state: SyncState, now: datetime, part: float = 1.0) -> bool:
        return self._expiries.holds(name, state, now) or age_of(state, now) > part * self._fresh_for(name)

    def _fresh_for(self, name: str) -> timedelta:
        return self._patience.fresh_for or self._syncer.specs[name].fresh_for

    async def close(self) -> None:
        """Stop every refresh under way; what was applied stays."""
        tasks = list(self._refreshing)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _started(self, names: list[str], part: float = 1.0) -> "asyncio.Task[tuple[SyncOutcome, ...]]":
        task = asyncio.create_task(self._refresh(names, part), name="refresh")
        self._refreshing.add(task)
        task.add_done_callback(self._refreshing.discard)
        return task

    async def _refresh(self, names: list[str], part: float) -> tuple[SyncOutcome, ...]:
        """Sync the entities that are due one after the other, parents before their children, and audits after them."""
        with self._syncer.before_audits():
            return await self._refresh_each(names, part)

    async def _refresh_each(self, names: list[str], part: float) -> tuple[SyncOutcome, ...]:
        silent, outcomes = False, list[SyncOutcome]()
        for index, name in enumerate(names):
            # Another read may have refreshed it while this one waited for an earlier entity.
            state = await self._cache.state(name)
            if self._is_due(name, state, part):
                outcome = await self._noted(name, state, outcomes)
                if outcome.complete and state.completed_at is None and await self._has_newer(name, part):
                    # A first listing is as old as its first page: what was edited since comes with one delta.
                    outcome = await self._noted(name, await self._cache.state(name), outcomes)
                if outcome.everywhere or (silent and outcome.unavailable):
                    self._failed |= dict.fromkeys(names[index:], self._failed[name])
                    break
                silent = outcome.unavailable
        return tuple(outcomes)

    async def _noted(self, name: str, seen: SyncState, outcomes: list[SyncOutcome]) -> SyncOutcome:
        outcome = await self._synced(name, seen)
        self._remember(outcome)
        if outcome.complete and name in self._expiries.entities:
            self._expiries.end(name, await self._cache.state(name))
        outcomes.append(outcome)
        return outcome

    async def _has_newer(self, name: str, part: float) -> bool:
        """Return whether a delta would help: the rows are old, and the collection has deltas."""
        return self._syncer.specs[name].watermark and self._is_due(name, await self._cache.state(name), part)

    async def _synced(self, name: str, seen: SyncState) -> SyncOutcome:
        try:
            return await asyncio.shield(self._syncer.start(name, seen))
        except CacheUnavailable as error:
            reason = f"the cache cannot be written: {error}"
            return SyncOutcome(name, complete=False, reason=reason, unavailable=True, everywhere=True)

    def _remember(self, outcome: SyncOutcome) -> None:
        """Note how a refresh ended, under the entity's own name unless all others fail likewise."""
        if outcome.complete:
            self._failed.pop(outcome.entity, None)
            return
        reason = outcome.reason or "the listing could not be completed"
        message = reason if outcome.everywhere else f"{outcome.entity}: {reason}"
        self._failed[outcome.entity] = (self._clock.monotonic() + _FAILED_FOR, message)

    async def _wait(self, refresh: "asyncio.Task[tuple[SyncOutcome, ...]]", seconds: float) -> None:
        if await finished(refresh, seconds, self._clock):
            await refresh
        else:
            refresh.add_done_callback(_seen)

    def _freshness(self, name: str, standing: Standing, late: str | None) -> Freshness:
        state, quarantined = standing
        progress = self._syncer.warming(name, state)
        failed = self._failed.get(name)
        reason = self._closed or (failed[1] if failed is not None else state.incomplete)
        return Freshness(
            entity=name,
            as_of=state.completed_at,
            stale=late is not None,
            reason=(reason or (_UNDER_WAY if self._refreshing else late)) if late is not None else None,
            failed=failed is not None or self._closed is not None,
            failing_since=state.failing_since,
            done=progress.done if progress is not None else None,
            total=progress.total if progress is not None else None,
            quarantined=quarantined,
            unread=state.unread,
        )


def _seen(refresh: "asyncio.Task[tuple[SyncOutcome, ...]]") -> None:
    """Take note of a failure that nobody waits for any more; the next read meets its cause itself."""
    if not refresh.cancelled():
        refresh.exception()
