"""Fakes that ship with the ports: a clock that is moved by hand, and a source that pages like Katana."""

import asyncio
import heapq
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from cache_core.errors import SourceUnavailable
from cache_core.records import Record, RecordId, iso
from cache_core.spec import EntitySpec
from cache_core.sync.source import PAGE_SIZE, SourcePage

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


class ManualClock:
    """Time that stands still until it is advanced; sleepers wake when it passes them."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds advanced so far."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock was advanced by this much."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, id(waiting), waiting))
        await waiting

    def advance(self, seconds: float) -> None:
        """Move time forward and wake who slept until then."""
        self._elapsed += seconds
        while self._sleepers and self._sleepers[0][0] <= self._elapsed:
            _, _, waiting = heapq.heappop(self._sleepers)
            if not waiting.done():
                waiting.set_result(None)

    def jump(self, seconds: float) -> None:
        """Set the wall clock forward or back; monotonic time does not notice."""
        self._start += timedelta(seconds=seconds)


type Tamper = Callable[[EntitySpec, int, SourcePage], SourcePage]


class FakeSource:
    """Records per entity, listed newest created first, with a journal and hooks for what can go wrong.

    Attributes:
        requests: `(entity, page, since)` of every page asked for.
        down: while set, every request fails with this reason.
        before: called before each page is made, so that a test can edit while a listing runs.
        tamper: replaces a page by another: without its total, shorter, delayed.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, int, str | None]] = []
        self.down: str | None = None
        self.before: Callable[[EntitySpec, int], None] = lambda spec, number: None
        self.tamper: Tamper = lambda spec, number, page: page
        self._rows: dict[str, dict[RecordId, dict[str, object]]] = {}

    def put(self, entity: str, record: dict[str, object], at: datetime) -> None:
        """Create or change a record at a moment of the server's clock."""
        rows = self._rows.setdefault(entity, {})
        key = record["id"]
        assert isinstance(key, int | str)
        rows[key] = {**rows.get(key, {"deleted_at": None}), **record, "updated_at": iso(at)}

    def drop(self, entity: str, record_id: RecordId) -> None:
        """Delete a record without a tombstone."""
        del self._rows[entity][record_id]

    def rows(self, entity: str) -> dict[RecordId, dict[str, object]]:
        """Return what the server holds."""
        return self._rows.get(entity, {})

    async def page(self, spec: EntitySpec, number: int, since: str | None) -> SourcePage:
        """Return one page, as Katana would."""
        self.before(spec, number)
        self.requests.append((spec.name, number, since))
        await asyncio.sleep(0)
        if self.down is not None:
            raise SourceUnavailable(self.down)
        matching = [row for row in self.rows(spec.name).values() if since is None or str(row["updated_at"]) >= since]
        matching.sort(key=lambda row: str(row["id"]).zfill(12), reverse=True)
        start = (number - 1) * PAGE_SIZE
        shown: Sequence[Record] = [dict(row) for row in matching[start : start + PAGE_SIZE]]
        return self.tamper(spec, number, SourcePage(shown, len(matching)))
