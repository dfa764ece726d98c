"""One listing under way: which page comes next, what was seen so far, and what it cost."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime

from cache_core.clock import Clock
from cache_core.records import RecordId, iso
from cache_core.spec import Listed
from cache_core.states import Checkpoint, SyncState
from cache_core.sync.cursor import FARTHEST_AHEAD, moment_of, since
from cache_core.sync.listed_ids import ListedIds
from cache_core.sync.listing import Judgement, Verdict, judge, window_of
from cache_core.sync.source import PAGE_SIZE, Source, SourcePage

STEPS_BACK = 20
"""How often a listing may step back for deletions before it is given up as incomplete."""

PASSES = 3
"""How often a listing is read through for records that its pages hid before it is given up as incomplete."""

PROOF_ATTEMPTS = 3
"""How often a page that proves nothing is asked for before the listing is given up as incomplete."""

_TAIL = 10


class Run:
    """One listing of an entity or of a feed.

    Attributes:
        listed: what is listed.
        checkpoint: how far it has come.
        ids: the ids that it has seen.
        requests: pages asked for, repeats included.
        resumed: whether it was begun before, so that `ids` lacks those of its first pages.

    Args:
        listed: what is listed.
        begin: where it goes on.
        clock: where time comes from.
        before: the ids that earlier runs of it brought in; None where nobody knows them.
    """

    def __init__(
        self, listed: Listed, begin: Checkpoint, clock: Clock, before: Collection[RecordId] | None = None
    ) -> None:
        self.listed = listed
        self.checkpoint = begin
        self.resumed = begin.total > 0 or begin.page > 1
        self.ids = ListedIds(begin.tail)
        self.requests = 0
        self._before = before or ()
        self._distinct = len(self._before)
        self._counts = before is not None or not self.resumed
        self._passes = 1
        self._clock = clock
        self._started = clock.monotonic()
        self._ceiling = iso(clock.now() + FARTHEST_AHEAD)
        self._seen = (begin.page - 1) * PAGE_SIZE
        self._attempts = 0
        self._steps_back = 0

    @property
    def elapsed(self) -> float | None:
        """Seconds since it began; None when nobody timed its beginning."""
        return None if self.resumed else self._clock.monotonic() - self._started

    @property
    def done(self) -> int:
        """How many records it has seen, repeats included."""
        return self._seen if self.checkpoint.since is None else self.checkpoint.read

    async def turn(self, source: Source) -> tuple[SourcePage, Judgement]:
        """Ask for the next page until it proves something, or often enough to give up (`Verdict.RETRY`).

        Raises:
            SourceUnavailable: the source did not answer.
        """
        while True:
            self.requests += 1
            page = await source.page(self.listed, window_of(self.checkpoint), self.checkpoint.since)
            judgement = self._judged(page)
            if judgement.verdict is not Verdict.RETRY or self._attempts >= PROOF_ATTEMPTS:
                return page, judgement

    def _judged(self, page: SourcePage) -> Judgement:
        """Judge the page and move on when it proves something."""
        ids = [*map(self.listed.id_of, page.records), *(invalid_value.id for invalid_value in page.invalid)]
        listed_ids = [record_id for record_id in ids if record_id is not None]
        listed = set(listed_ids)
        new = {record_id for record_id in listed if record_id not in self.ids}
        distinct = len(listed) + ids.count(None)
        judgement = judge(self.checkpoint, page, distinct, overlaps=len(new) < len(listed))
        self._steps_back += judgement.back
        if self._steps_back > STEPS_BACK:
            judgement = replace(judgement, verdict=Verdict.RETRY, reason="the total that Katana reports keeps changing")
            self._attempts = PROOF_ATTEMPTS
        if judgement.verdict is Verdict.RETRY:
            self._attempts += 1
            return judgement
        self._attempts = 0
        self._seen += page.size
        if not judgement.back:
            self._distinct += ids.count(None) + sum(record_id not in self._before for record_id in new)
            self.ids.add(new)
        self.checkpoint = self._noted(judgement.checkpoint, page, listed_ids)
        return judgement if page.bare or not self._counts else self._counted(judgement)

    def _counted(self, judgement: Judgement) -> Judgement:
        """Judge all pages together: rows that come twice must not stand in for others that never came."""
        least = self.checkpoint.least or 0
        if self._distinct >= least:
            return replace(judgement, verdict=Verdict.DONE) if self._passes > 1 else judgement
        if judgement.verdict is not Verdict.DONE:
            return judgement
        self.checkpoint = replace(self.checkpoint, page=1, read=0)
        self._passes += 1
        if self._passes <= PASSES:
            return replace(judgement, verdict=Verdict.NEXT)
        self._attempts = PROOF_ATTEMPTS
        return replace(
            judgement,
            verdict=Verdict.RETRY,
            reason=f"all pages together held {self._distinct} different records of {least}",
        )

    def _noted(self, checkpoint: Checkpoint, page: SourcePage, ids: Sequence[RecordId]) -> Checkpoint:
        """Return the checkpoint with the greatest versions, the smallest total and the last ids of the page."""
        versions = [version for record in page.records if (version := self.listed.version_of(record)) is not None]
        top = max((version for version in versions if version < self._ceiling and moment_of(version)), default=None)
        newest = max((stamp for stamp in (self.checkpoint.newest, top) if stamp is not None), default=None)
        # A first page that is read again after others does not vouch for them.
        is_first = self.checkpoint.page == 1 and self.checkpoint.total == 0
        first = top if is_first else self.checkpoint.first
        tail = tuple(ids[-_TAIL:]) if checkpoint.since is not None else ()
        totals = [number for number in (checkpoint.least, page.total) if number is not None]
        return replace(checkpoint, newest=newest, first=first, tail=tail, least=min(totals, default=None))


def begun(listed: Listed, state: SyncState, now: datetime) -> Checkpoint:
    """Return the beginning of the listing that is due now."""
    start = since(state, now) if listed.watermark else None
    return Checkpoint(page=1, total=0, since=start, first=None, newest=None, begun=iso(now))


type Keep = Callable[[SourcePage, Verdict], Awaitable[None]]
"""Stores a page; after it the run's checkpoint stands behind the page, unless the verdict is `RETRY`."""


async def read_through(source: Source, run: Run, keep: Keep) -> str | None:
    """Read a listing to its end; return why it could not be proved complete, or None.

    Raises:
        SourceUnavailable: the source did not answer.
    """
    while True:
        page, judgement = await run.turn(source)
        await keep(page, judgement.verdict)
        if judgement.verdict is Verdict.DONE:
            return None
        if judgement.verdict is Verdict.RETRY:
            return judgement.reason
