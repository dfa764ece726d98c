"""Fakes that ship with the ports: a clock that is moved by hand, and a source that pages like Katana."""

import asyncio
import heapq
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import quote_plus

from cache_core.clock import Clock
from cache_core.errors import SourceUnavailable
from cache_core.records import Record, RecordId, iso, values_at
from cache_core.spec import EntitySpec, Listed
from cache_core.sync.source import PAGE_SIZE, SourcePage, Window

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


type Tamper = Callable[[Listed, int, SourcePage], SourcePage]


LONGEST_FILTER = 4_000
"""Bytes that one filter takes in a query."""


def fitting[V: RecordId](name: str, values: Sequence[V], most: int, longest: int = LONGEST_FILTER) -> list[list[V]]:
    """Cut the values of a filter by both limits of a request: their number, and the bytes that they take."""
    runs: list[list[V]] = []
    room = 0
    for value in values:
        size = len(f"{name}={quote_plus(str(value), errors='replace')}&")
        if not runs or len(runs[-1]) == most or size > room:
            runs.append([])
            room = longest
        runs[-1].append(value)
        room -= size
    return runs


class FakeSource:
    """Records per entity, listed newest created first, with a journal and hooks for what can go wrong.

    Attributes:
        requests: `(entity or feed, page, since)` of every page asked for; page 0 is a reading by ids.
        down: while set, every request fails with this reason.
        broken: collections of which every request fails, with the reason.
        clock: the server's clock.
        lag: seconds by which the replica that answers the next request is behind.
        before: called before each page is made, so that a test can edit while a listing runs.
        tamper: replaces a page by another: without its total, shorter, delayed.
        longest_filter: bytes that the ids or keys of one request take in its query at most.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self.requests: list[tuple[str, int, str | None]] = []
        self.down: str | None = None
        self.broken: dict[str, str] = {}
        self.clock: Clock = clock or ManualClock()
        self.lag: Callable[[], float] = lambda: 0
        self.before: Callable[[Listed, int], None] = lambda spec, number: None
        self.tamper: Tamper = lambda spec, number, page: page
        self.longest_filter = LONGEST_FILTER
        self._rows: dict[str, dict[RecordId, dict[str, object]]] = {}
        self._history: dict[str, list[tuple[str, RecordId, dict[str, object] | None]]] = {}

    def put(self, entity: str, record: Record, at: datetime) -> None:
        """Create or change a record at a moment of the server's clock."""
        rows = self._rows.setdefault(entity, {})
        key = record["id"]
        assert isinstance(key, int | str)
        rows[key] = {**rows.get(key, {"deleted_at": None}), **record, "updated_at": iso(at)}
        self._note(entity, key, at)

    def alter(self, entity: str, record: Record) -> None:
        """Change a record without a new version, as Katana does when only its children change."""
        key = record["id"]
        assert isinstance(key, int | str)
        self._rows[entity][key] = {**self._rows[entity][key], **record}
        self._note(entity, key, self.clock.now())

    def drop(self, entity: str, record_id: RecordId) -> None:
        """Delete a record without a tombstone."""
        del self._rows[entity][record_id]
        self._note(entity, record_id, self.clock.now())

    def _note(self, entity: str, key: RecordId, at: datetime) -> None:
        row = self._rows[entity].get(key)
        self._history.setdefault(entity, []).append((iso(at), key, row))

    def rows(self, entity: str) -> dict[RecordId, dict[str, object]]:
        """Return what the server holds."""
        return self._rows.get(entity, {})

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        """Return one page, as Katana would."""
        self.before(listed, window.number)
        self.requests.append((listed.name, window.number, since))
        await asyncio.sleep(0)
        self._answer(listed.collection)
        rows = self._visible_rows(listed.name)
        matching = [row for row in rows.values() if since is None or str(row["updated_at"]) >= since]
        matching.sort(key=lambda row: str(row["id"]).zfill(12), reverse=True)
        shown: Sequence[Record] = [dict(row) for row in matching[window.start : window.end]]
        return self.tamper(listed, window.number, SourcePage(shown, len(matching)))

    def batches(self, spec: EntitySpec, ids: Sequence[RecordId]) -> Sequence[Sequence[RecordId]]:
        """Cut ids into what one request names."""
        return fitting("ids", ids, PAGE_SIZE, self.longest_filter)

    def key_batches(self, spec: EntitySpec, keys: Sequence[str]) -> Sequence[Sequence[str]]:
        """Cut business keys into what one request names."""
        return fitting(spec.key_path or "", keys, spec.keys_at_once, self.longest_filter)

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        """Return records by their ids, as many as one request names."""
        assert len(self.batches(spec, ids)) <= 1, f"{len(ids)} ids in one request"
        rows = await self._singled(spec)
        shown: Sequence[Record] = [dict(rows[record_id]) for record_id in ids if record_id in rows]
        return self.tamper(spec, 0, SourcePage(shown, len(shown)))

    async def with_keys(self, spec: EntitySpec, keys: Sequence[str], field: str | None = None) -> SourcePage:
        """Return records by their business keys, as many as one request names."""
        assert len(self.key_batches(spec, keys)) <= 1, f"{len(keys)} keys in one request"
        rows = await self._singled(spec)
        shown: Sequence[Record] = [
            dict(row) for row in rows.values() if {*values_at(row, field or spec.key_path or "")} & {*keys}
        ]
        return self.tamper(spec, 0, SourcePage(shown, len(shown)))

    async def _singled(self, spec: EntitySpec) -> dict[RecordId, dict[str, object]]:
        self.before(spec, 0)
        self.requests.append((spec.name, 0, None))
        await asyncio.sleep(0)
        self._answer(spec.collection)
        return self._visible_rows(spec.name)

    def _answer(self, collection: str) -> None:
        if self.down is not None:
            raise SourceUnavailable(self.down)
        if collection in self.broken:
            raise SourceUnavailable(self.broken[collection], everywhere=False)

    def _visible_rows(self, name: str) -> dict[RecordId, dict[str, object]]:
        """Return the rows as the replica that answers knows them."""
        lag = self.lag()
        if not lag:
            return self.rows(name)
        return self._past(name, iso(self.clock.now() - timedelta(seconds=lag)))

    def _past(self, name: str, moment: str) -> dict[RecordId, dict[str, object]]:
        rows: dict[RecordId, dict[str, object]] = {}
        for at, key, row in self._history.get(name, []):
            if at > moment:
                continue
            if row is None:
                rows.pop(key, None)
            else:
                rows[key] = row
        return rows
