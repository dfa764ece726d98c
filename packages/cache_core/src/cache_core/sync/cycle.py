"""One sync of one entity: its listing, its child feeds, then what is in quarantine."""

import contextlib
from dataclasses import replace
from datetime import datetime

from cache_core.errors import SourceUnavailable
from cache_core.protocol import SyncState
from cache_core.records import RecordId, iso
from cache_core.spec import EntitySpec
from cache_core.states import Checkpoint
from cache_core.sync.absences import brought_in, look_for_absent
from cache_core.sync.counters import Tally
from cache_core.sync.cursor import advanced, lateness
from cache_core.sync.feeds import Feeds, with_feeds
from cache_core.sync.listing import Verdict
from cache_core.sync.progress import Progress, Progresses
from cache_core.sync.quarantine import retry
from cache_core.sync.run import Run, begun, read_through
from cache_core.sync.source import Source, SourcePage
from cache_core.sync.storing import Extra, Store, WriteCounts
from cache_core.sync.suspected_deletions import doubting, unlisted
from cache_core.sync.unread import counted

_STUCK = 2
"""Failures in a row after which new edits are brought in before a broken-off listing is tried again."""


class Cycle:
    """Syncs entities that this process holds the lease of."""

    def __init__(self, source: Source, store: Store, progress: Progresses) -> None:
        self._source = source
        self._store = store
        self._progress = progress
        self._feeds = Feeds(source, store)

    async def run(self, spec: EntitySpec, tally: Tally) -> str | None:
        """Bring the entity up to date; return why that could not be completed, or None.

        Raises:
            SourceUnavailable: the source did not answer.
            LeaseLost: another process syncs the entity now.
        """
        state = await self._store.cache.state(spec.name)
        if state.checkpoint is not None and spec.watermark and state.failures >= _STUCK:
            reason = await self._head(spec, state, state.checkpoint, tally)
            if reason is None and state.feeds:
                await self._store.remember(spec, lambda now: with_feeds(spec, now, now))
                reason = await self._feeds.follow(spec, tally)
            if reason is not None:
                return reason
        state = await self._store.cache.state(spec.name)
        listing = _Listing(self._store, spec, state, await self._begun(spec, state))
        reason = await self._read(listing, tally)
        if reason is None and listing.follows_feeds:
            reason = await self._feeds.follow(spec, tally)
            if reason is None:
                await self._store.remember(spec, listing.completed_with_feeds)
        if reason is None:
            await look_for_absent(spec, self._store, listing.run)
        if reason is None and listing.run.checkpoint.since is not None:
            # Those records wait anyway: a source that fails now shows at the next listing.
            with contextlib.suppress(SourceUnavailable):
                await retry(spec, state.deltas, (self._source, self._store), tally)
        return reason

    async def _begun(self, spec: EntitySpec, state: SyncState) -> Run:
        """Return the listing that is due, whole or a delta, resumed where one was broken off."""
        begin = state.checkpoint if spec.watermark else None
        # Nobody knows how old the first pages of one without its beginning are: it starts anew.
        if begin is None or begin.begun is None:
            begin = begun(spec, state, self._store.clock.now())
        first = begin.since is None and spec.watermark
        return Run(spec, begin, self._store.clock, await brought_in(spec, self._store) if first else None)

    async def _read(self, listing: "_Listing", tally: Tally) -> str | None:
        run = listing.run

        async def keep(page: SourcePage, verdict: Verdict) -> None:
            tally.add(await listing.keep(page, verdict))
            self._progress.tell(Progress(listing.spec.name, run.done, run.checkpoint.total))

        try:
            return await read_through(self._source, run, keep)
        finally:
            tally.requests += run.requests

    async def _head(self, spec: EntitySpec, state: SyncState, broken: Checkpoint, tally: Tally) -> str | None:
        """Bring in what was edited since the first page of a listing that does not get on."""
        at_first = SyncState(cursor=broken.first or state.cursor, sure=broken.first or state.cursor, lag=state.lag)
        if at_first.cursor is None:
            return None
        run = Run(spec, begun(spec, at_first, self._store.clock.now()), self._store.clock)
        # Until children are followed, only the pages of the listing itself tell of theirs.
        vouches = bool(state.feeds) or not spec.feeds

        async def keep(page: SourcePage, verdict: Verdict) -> None:
            def change(state: SyncState) -> SyncState:
                if verdict is not Verdict.DONE or state.checkpoint is None or not vouches:
                    return state
                seen = advanced(at_first, run.checkpoint, run.elapsed).cursor
                return replace(state, checkpoint=replace(state.checkpoint, first=seen, begun=run.checkpoint.begun))

            tally.add(await self._store.keep(spec, page, Extra(change)))

        try:
            return await read_through(self._source, run, keep)
        finally:
            tally.requests += run.requests


class _Listing:
    """The listing of an entity that is under way: what its pages and its end mean for the cache."""

    def __init__(self, store: Store, spec: EntitySpec, state: SyncState, run: Run) -> None:
        self.spec = spec
        self.run = run
        self._store = store
        self._state = state
        self._late = 0.0
        self._left: list[RecordId] | None = None
        self.follows_feeds = bool(spec.feeds) and run.checkpoint.since is not None

    async def keep(self, page: SourcePage, verdict: Verdict) -> WriteCounts:
        """Store a page with what it proves."""
        removed: list[RecordId] = []
        if verdict is Verdict.DONE and not self.spec.watermark:
            removed, self._left = await unlisted(self.spec, self._store, self.run)
        self._late = max(self._late, await self._lateness(page))
        return await self._store.keep(self.spec, page, Extra(lambda state: self._after(state, verdict), removed))

    def completed_with_feeds(self, state: SyncState) -> SyncState:
        """Return the state after the feeds were followed too: as old as the oldest page of any of them."""
        moments = [self.run.checkpoint.begun, *(feed.completed_at for feed in state.feeds.values())]
        return completed(state, min((moment for moment in moments if moment is not None), default=None))

    def _after(self, state: SyncState, verdict: Verdict) -> SyncState:
        if verdict is Verdict.NEXT:
            return replace(state, checkpoint=self.run.checkpoint, incomplete=None)
        if verdict is Verdict.RETRY:
            begun_well = self.run.checkpoint.page > 1 or self.run.checkpoint.read > 0
            return replace(state, checkpoint=self.run.checkpoint if begun_well else None)
        after = advanced(state, self.run.checkpoint, self.run.elapsed, self._late)
        now = self._store.clock.now()
        left = self._left
        if left is None:
            left = [doubt.id for doubt in after.audit.doubted if doubt.id not in self.run.ids]
        after = replace(after, audit=doubting(after.audit, left, now))
        if self.follows_feeds:
            return with_feeds(self.spec, after, state)
        after = completed(after, self.run.checkpoint.begun)
        if self.run.checkpoint.since is None:
            audit = replace(after.audit, completed_at=iso(now), checked_at=iso(now))
            return counted(replace(with_feeds(self.spec, after, after), audit=audit))
        return after

    async def _lateness(self, page: SourcePage) -> float:
        """Return by how many seconds a row of the page, unknown so far, appears behind the cursor."""
        behind = {
            row_id: (seconds, version)
            for record in page.records
            if (seconds := lateness(self._state.cursor, version := self.spec.version_of(record)))
            and (row_id := self.spec.id_of(record)) is not None
        }
        found = await self._store.cache.get_many(self.spec.name, list(behind))
        stored = {row.id: row.version or "" for row in found.rows}
        return max(
            (late for record_id, (late, version) in behind.items() if stored.get(record_id, "") < (version or "")),
            default=0,
        )


def completed(state: SyncState, at: str | None) -> SyncState:
    """Return the state after rows and children proved complete as of a moment."""
    return replace(state, completed_at=at, incomplete=None, failures=0, failing_since=None)


def failed(state: SyncState, reason: str, now: datetime) -> SyncState:
    """Return the state after a sync that could not be completed."""
    since = state.failing_since or iso(now)
    return replace(state, incomplete=reason, failures=state.failures + 1, failing_since=since)
