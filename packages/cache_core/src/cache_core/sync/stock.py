"""Stock on demand: `/inventory` has no delta, so levels are fetched for the variants asked, and kept briefly.

Refuses to call a variant empty that was never asked for: unknown is not zero.
"""

import asyncio
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol, Self

from cache_core.clock import Clock
from cache_core.errors import CacheUnavailable, SourceUnavailable
from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, Stored
from cache_core.records import Record, RecordId, iso
from cache_core.specs.stock import STOCK
from cache_core.sync.patience import Patience
from cache_core.sync.progress import OnProgress, Progress
from cache_core.sync.stock_invalidation import dirty_at
from cache_core.sync.stock_records import stock_record
from cache_core.sync.waiting import finished

_LEAST = 0.15
"""Seconds that levels are waited for even where the rest of a read has used its patience up."""


class StockSource(Protocol):
    """The origin of stock levels."""

    def stock_batches(self, variant_ids: Sequence[int]) -> Sequence[Sequence[int]]:
        """Cut ids into what `stock` takes at once, in order, each batch as long as one request allows."""
        ...

    async def stock(self, variant_ids: Sequence[int]) -> Sequence[Record]:
        """Return the `/inventory` rows of these variants, one of `stock_batches`, at every location, archived included.

        Raises:
            SourceUnavailable: after the retries that are lawful for a read.
        """
        ...


@dataclass(frozen=True, slots=True)
class StockAnswer:
    """Stock of the variants asked.

    Attributes:
        stored: per variant `{variant_id, fetched_at, levels: [inventory rows]}`, in the order asked.
        unknown: variants whose stock was never fetched and could not be now.
        moved: variants whose stock may have moved since it was fetched.
        as_of: when the oldest of them was fetched, ISO-8601 UTC; None without any.
        stale: whether some are older than stock stays fresh, or were moved since.
        reason: why it could not be refreshed, one sentence.
    """

    stored: tuple[Stored, ...]
    unknown: tuple[RecordId, ...]
    as_of: str | None
    moved: frozenset[RecordId] = frozenset()
    stale: bool = False
    reason: str | None = None


class StockReads:
    """Reads stock levels through the cache: as few listings as name those that are not fresh.

    Args:
        source: where levels come from.
        cache: where they are kept.
        clock: where time comes from.
        patience: how long a read waits for them.
        closed: why the source is never asked, one sentence; None where it is.
        late: says why no answer could come in time, one sentence; None where the source could be asked.
    """

    def __init__(  # noqa: PLR0913 - the optional ones are named
        self,
        source: StockSource,
        cache: CacheBackend,
        clock: Clock,
        patience: Patience | None = None,
        *,
        closed: str | None = None,
        late: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._source = source
        self._cache = cache
        self._clock = clock
        self._patience = patience or Patience()
        self._waits: Callable[[], float] | None = None
        self._closed = closed
        self._late = late
        self._turn, self._turn_of_plans = asyncio.Lock(), asyncio.Lock()
        self._fetches: set[asyncio.Task[str | None]] = set()
        self._tell: OnProgress | None = None

    def waiting(self, seconds: Callable[[], float], tell: OnProgress) -> Self:
        """Return the same reads for a caller who waits so long for what was never read, and is told how far it is.

        How long is asked when it comes to that.
        """
        patient = copy.copy(self)
        patient._waits = seconds  # noqa: SLF001 - a copy of itself
        patient._tell = tell  # noqa: SLF001 - a copy of itself
        return patient

    def planning(self, seconds: float) -> Self:
        """Return the same reads for a plan: it waits so long, and never behind reads, which have another share."""
        patient = copy.copy(self)
        patient._patience = replace(self._patience, warm=seconds, cold=seconds)  # noqa: SLF001 - a copy of itself
        patient._waits = None  # noqa: SLF001 - a copy of itself
        patient._turn = self._turn_of_plans  # noqa: SLF001 - a copy of itself
        return patient

    def _borne(self) -> float:
        """Return how many seconds a read waits for what was never read."""
        return self._patience.cold if self._waits is None else self._waits()

    async def read_moved(self, variant_ids: Sequence[int]) -> bool:
        """Read cached levels anew of which a change was seen since; return whether none is left."""
        found = await self._cache.get_many(STOCK.name, variant_ids, _AGE)
        moved = [row.id for row in found.rows if _is_dirty(row) and isinstance(row.id, int)]
        return not moved or not (await self.ensure(moved)).moved

    async def read_again(self, variant_ids: Sequence[int]) -> StockAnswer:
        """Return the stock of these variants, fetched now however fresh it is."""
        return await self.ensure(variant_ids, _NEVER)

    async def ensure(
        self,
        variant_ids: Sequence[int],
        fresh_for: timedelta = STOCK.fresh_for,
        spent: float = 0.0,
        fields: frozenset[str] | None = None,
    ) -> StockAnswer:
        """Return the stock of these variants, fetched now where it is not fresh.

        Args:
            variant_ids: whose stock.
            fresh_for: how old it may be where the patience does not say; what asks for very many allows them more.
            spent: seconds that the read has waited already; they are taken from its patience where levels are cached.
            fields: what of each record is returned besides its age, as in `Selection`; None for all of it.
        """
        fields = None if fields is None else fields | _AGE
        reason = None
        fresh_for = fresh_for if fresh_for is _NEVER else self._patience.fresh_for or fresh_for
        found = await self._cache.get_many(STOCK.name, variant_ids, fields)
        if found.missing or any(map(self._is_due(fresh_for), found.rows)):
            wait = self._borne() if found.missing else max(_LEAST, self._patience.warm - spent)
            reason = self._closed or await self._bounded(variant_ids, fresh_for, wait)
            found = await self._cache.get_many(STOCK.name, variant_ids, fields)
        fetched = [_fetched_at(row) for row in found.rows]
        stale = any(map(self._is_due(fresh_for), found.rows))
        moved = frozenset(row.id for row in found.rows if _is_dirty(row))
        return StockAnswer(found.rows, found.missing, min(fetched, default=None), moved, stale, reason)

    async def known(self, variant_ids: Sequence[int], fields: frozenset[str] | None = None) -> StockAnswer:
        """Return the cached stock of these variants however old it is, fetched now where a change was seen since."""
        found = await self._cache.get_many(STOCK.name, variant_ids, None if fields is None else fields | _AGE)
        cached = [row.id for row in found.rows if isinstance(row.id, int)]
        if any(map(_is_dirty, found.rows)):
            return await self.ensure(cached, _ANY_AGE, fields=fields)
        return StockAnswer(found.rows, found.missing, min(map(_fetched_at, found.rows), default=None))

    async def cached(
        self, variant_ids: Sequence[int], fresh_for: timedelta, fields: frozenset[str]
    ) -> tuple[Stored, ...]:
        """Return the cached stock of these variants that is no older than this and was not seen to move since.

        Nothing is fetched.
        """
        found = await self._cache.get_many(STOCK.name, variant_ids, fields | _AGE)
        is_due = self._is_due(fresh_for)
        return tuple(row for row in found.rows if not is_due(row))

    async def close(self) -> None:
        """Stop what is being fetched."""
        fetches = list(self._fetches)
        for fetch in fetches:
            fetch.cancel()
        await asyncio.gather(*fetches, return_exceptions=True)

    async def _bounded(self, variant_ids: Sequence[int], fresh_for: timedelta, seconds: float) -> str | None:
        """Wait this long for the levels, which may still come for a later read; return why they are old, or None."""
        fetch = asyncio.create_task(self._fetch(variant_ids, fresh_for), name="fetch stock")
        self._fetches.add(fetch)
        fetch.add_done_callback(self._fetches.discard)
        done = await finished(fetch, seconds, self._clock)
        return await fetch if done else self._late() or "Katana took too long to answer"

    async def _fetch(self, variant_ids: Sequence[int], fresh_for: timedelta) -> str | None:
        async with self._turn:  # a second reader of the same variants finds them fresh
            due = await self._due(variant_ids, fresh_for)
            done = 0
            try:
                for batch in self._source.stock_batches(due):
                    await self._keep(batch)
                    done += len(batch)
                    if self._tell is not None:
                        self._tell(Progress(STOCK.name, done, len(due)))
            except SourceUnavailable as error:
                return error.reason
            except CacheUnavailable as error:
                return f"the cache cannot be written: {error}"
            return None

    async def _keep(self, variant_ids: Sequence[int]) -> None:
        levels: dict[object, list[Record]] = {variant_id: [] for variant_id in variant_ids}
        # What is marked while the request runs stays marked: its answer may be older than the mark.
        at, before = iso(self._clock.now()), await self._marks(variant_ids)
        for row in await self._source.stock(variant_ids):
            levels.setdefault(row.get("variant_id"), []).append(row)
        marks = {
            variant_id: mark
            for variant_id, mark in (await self._marks(variant_ids)).items()
            if mark != before.get(variant_id)
        }
        records = [
            stock_record(variant_id, at, marks.get(variant_id), levels[variant_id]) for variant_id in variant_ids
        ]
        prepared = await prepare(STOCK, records, self._cache)
        await self._cache.apply(Batch(entity=STOCK.name, at=at, upserts=prepared.rows, quarantine=prepared.quarantine))

    async def _marks(self, variant_ids: Sequence[int]) -> dict[RecordId, str | None]:
        found = await self._cache.get_many(STOCK.name, variant_ids, _AGE)
        return {row.id: dirty_at(row) for row in found.rows}

    async def _due(self, variant_ids: Sequence[int], fresh_for: timedelta) -> list[int]:
        """Return the variants to fetch: unknown and moved ones first, then the oldest, so that many calls reach all."""
        rows = {row.id: row for row in (await self._cache.get_many(STOCK.name, variant_ids, _AGE)).rows}
        is_due = self._is_due(fresh_for)
        due = [
            variant_id
            for variant_id in dict.fromkeys(variant_ids)
            if variant_id not in rows or is_due(rows[variant_id])
        ]
        return sorted(
            due,
            key=lambda variant_id: (
                "" if variant_id not in rows or _is_dirty(rows[variant_id]) else _fetched_at(rows[variant_id])
            ),
        )

    def _is_due(self, fresh_for: timedelta) -> Callable[[Stored], bool]:
        """Return what says whether levels have to be fetched by now: they are old, of later than now, or moved."""
        now = self._clock.now()
        first, last = iso(now - fresh_for), iso(now)
        return lambda row: not first <= _fetched_at(row) <= last or _is_dirty(row)


_AGE = frozenset(("fetched_at", "dirty_at"))
"""What says how old a record is."""
_NEVER = timedelta(-1)
"""For so long nothing stays fresh."""
_ANY_AGE = timedelta(days=365)
"""For so long all that is cached stays fresh."""


def _is_dirty(row: Stored) -> bool:
    """Return whether a change was seen after the levels were asked for."""
    marked = dirty_at(row)
    return marked is not None and marked >= _fetched_at(row)


def _fetched_at(row: Stored) -> str:
    value = row.record.get("fetched_at")
    return value if isinstance(value, str) else "1970-01-01T00:00:00.000Z"
