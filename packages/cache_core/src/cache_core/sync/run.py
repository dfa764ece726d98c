"""One listing under way: which page comes next, what was seen so far, and what it cost."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime

from cache_core.clock import Clock
from cache_core.records import Record, RecordId, iso
from cache_core.spec import Listed
from cache_core.states import Checkpoint, SyncState
from cache_core.sync.cursor import FARTHEST_AHEAD, moment_of, since
from cache_core.sync.listing import Judgement, Verdict, judge, window_of
from cache_core.sync.source import PAGE_SIZE, Source, SourcePage

STEPS_BACK = 20
"""How often a listing may step back for deletions before it is given up as incomplete."""

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
    """

    def __init__(self, listed: Listed, begin: Checkpoint, clock: Clock, *, resumed: bool = False) -> None:
        self.listed = listed
        self.checkpoint = begin
        # A dict, for a set of half a million ids is looked through in every full garbage collection.
        self.ids: dict[RecordId, None] = dict.fromkeys(begin.tail)
        self.requests = 0
        self._resumed = resumed
        self._clock = clock
        self._started = clock.monotonic()
        self._ceiling = iso(clock.now() + FARTHEST_AHEAD)
        self._seen = (begin.page - 1) * PAGE_SIZE
        self._attempts = 0
        self._steps_back = 0

    @property
    def elapsed(self) -> float | None:
        """Seconds since it began; None when nobody timed its beginning."""
        return None if self._resumed else self._clock.monotonic() - self._started

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
        ids = [*map(self.listed.id_of, page.records), *(each.id for each in page.invalid)]
        known = [each for each in ids if each is not None]
        distinct = len(set(known)) + ids.count(None)
        judgement = judge(self.checkpoint, page, distinct, overlaps=not self.ids.keys().isdisjoint(known))
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
            self.ids.update(dict.fromkeys(known))
        self.checkpoint = self._noted(judgement.checkpoint, page.records, known)
        return judgement

    def _noted(self, checkpoint: Checkpoint, records: Sequence[Record], ids: Sequence[RecordId]) -> Checkpoint:
        """Return the checkpoint with the greatest versions and the last ids of the page."""
        versions = [version for each in records if (version := self.listed.version_of(each)) is not None]
        top = max((each for each in versions if each < self._ceiling and moment_of(each)), default=None)
        newest = max((each for each in (self.checkpoint.newest, top) if each is not None), default=None)
        is_first = self.checkpoint.page == 1 and self.checkpoint.read == 0
        first = top if is_first else self.checkpoint.first
        tail = tuple(ids[-_TAIL:]) if checkpoint.since is not None else ()
        return replace(checkpoint, newest=newest, first=first, tail=tail)


def begun(listed: Listed, state: SyncState, now: datetime) -> Checkpoint:
    """Return the beginning of the listing that is due now."""
    start = since(state, now) if listed.watermark else None
    return Checkpoint(page=1, total=0, since=start, first=None, newest=None)


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
