"""A parallel run: one backend answers, the other is on trial; their answers are compared and never mixed.

The caller gets the answering backend's result or error, at its speed. What the trial does differently, what it raises,
and that it does not answer, is recorded; under `strict` (tests) it is raised.
"""

import asyncio
import contextlib
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from cache_core.clock import Clock
from cache_core.conditions import LIVE, Visibility, Where
from cache_core.differences import difference, is_cut
from cache_core.errors import WrongCacheUse
from cache_core.leases import Claim, Lease
from cache_core.protocol import (
    Applied,
    Batch,
    CacheBackend,
    Capability,
    EntityStatus,
    Found,
    KeyMatch,
    Quarantined,
    Read,
    Search,
    SearchResult,
    Selection,
    Standing,
    Stored,
    SyncState,
    one_by_one,
)
from cache_core.records import RecordId
from cache_core.waiting import to_the_end

PATIENCE = 10.0
"""Real seconds for a call: the storage of a backend waits for another process for 5 at most."""

_LOOKS = 3
"""How often both are asked again, at most, before a difference that they show is not compared."""

type _Revision = tuple[str | None, str | None, str | None]

UPKEEP = frozenset({"apply", "state"})
"""Calls that a trial gets for the sake of the run; they are recorded when they fail, and compare nothing."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One read, answered by both, or a call of `UPKEEP` that failed.

    Attributes:
        entity: whose rows.
        operation: `search`, `select`, `get_many` …
        question: what was asked, for people.
        mismatch: how the answers differ, or None.
        error: what the trial raised and where, without its message, which may hold data; or None.
        seconds: how long the answering backend and the trial took.
        sides: the names of the answering backend and of the trial.
        cut: whether an answer was cut short by a bound or a deadline, or one side
            is ahead of the other, so that nothing was compared.
    """

    entity: str
    operation: str
    question: str
    mismatch: str | None
    error: str | None
    seconds: tuple[float, float]
    sides: tuple[str, str]
    cut: bool = False


class Recorder(Protocol):
    """Where comparisons are kept."""

    def record(self, comparison: Comparison) -> None:
        """Keep one comparison; must not raise."""
        ...


class Mismatch(AssertionError):
    """The trial answered otherwise; raised only under `strict`."""


class TrialSilent(Exception):
    """The trial did not answer in time, now or to an earlier call that it has not ended yet."""


class ComparedBackend:
    """Two backends that hold the same entities, one of them on trial.

    A trial that missed a write is given no sync state until the listing under way has ended, so that its cursor never
    passes what it lacks; the next listing starts from there.

    Attributes:
        patience: real seconds that the trial gets for a call.
    """

    name = "compared"

    def __init__(
        self, answering: CacheBackend, trial: CacheBackend, recorder: Recorder, clock: Clock, *, strict: bool = False
    ) -> None:
        self.answering = answering
        self.trial = trial
        self.entities = answering.entities & trial.entities
        self.patience = PATIENCE
        self._sides = (answering.name, trial.name)
        self._recorder = recorder
        self._clock = clock
        self._strict = strict
        self._hanging: set[asyncio.Future[Any]] = set()
        self._failing: set[str] = set()
        """Entities of which the trial failed at the last write, or to tell its sync state."""
        self._missed: set[str] = set()
        """Entities of which the trial lacks something that the listing under way has brought."""
        self._revision = 0
        self._comparing: set[asyncio.Task[None]] = set()
        self._writing: set[asyncio.Task[Applied]] = set()
        self._turn = asyncio.Lock()

    def capabilities(self, entity: str) -> frozenset[Capability]:
        """Return what the answering backend can do."""
        self._held(entity)
        return self.answering.capabilities(entity)

    async def open(self) -> None:
        """Open both; a trial that cannot be opened fails at every call, which is recorded there."""
        await self.answering.open()
        try:
            await self.trial.open()
        except Exception:  # noqa: BLE001 - whatever the trial raises must not reach the caller
            return
        except BaseException:
            await self.answering.close()
            raise

    async def close(self) -> None:
        """Finish the comparisons under way, then close both; a trial that hangs is left."""
        try:
            await self.settle()
        finally:
            await to_the_end(self._end())

    async def _end(self) -> None:
        await asyncio.gather(self.answering.close(), self._leave())

    async def _leave(self) -> None:
        while self._hanging:
            self._hanging.pop().cancel()
        with contextlib.suppress(Exception):
            await self._in_time(self.trial.close)

    async def settle(self) -> None:
        """Wait for the writes and the comparisons under way."""
        while running := [task for task in (*self._comparing, *self._writing) if not task.done()]:
            await asyncio.wait(running)

    async def apply(self, batch: Batch) -> Applied:
        """Write to both; a trial that fails falls behind, and is fed again from its own, older cursor when it is well.

        Both get the batches in the same order, and a caller that goes away leaves no batch with one of them alone.
        """
        self._held(batch.entity)
        self._revision += 1
        task = asyncio.create_task(self._apply(batch))
        self._writing.add(task)
        task.add_done_callback(self._written)
        return await asyncio.shield(task)

    async def _apply(self, batch: Batch) -> Applied:
        async with self._turn:
            applied = await self.answering.apply(batch)
            await self._feed(batch)
        return applied

    def _written(self, task: asyncio.Task[Applied]) -> None:
        self._writing.discard(task)
        _ended(task)

    async def _feed(self, batch: Batch) -> None:
        entity = batch.entity
        fed = replace(batch, lease=None, state=None if entity in self._missed else batch.state)
        try:
            await self._in_time(lambda: self.trial.apply(fed))
        except Exception as error:  # noqa: BLE001 - whatever the trial raises must not reach the caller
            self._fails(entity, "apply", f"{len(batch.upserts)} rows", error)
        else:
            self._failing.discard(entity)

    def _fails(self, entity: str, operation: str, question: str, error: Exception) -> None:
        self._failing.add(entity)
        self._missed.add(entity)
        self._note(Comparison(entity, operation, question, None, fault(error), (0.0, 0.0), self._sides))

    async def _in_time[T](self, call: Callable[[], Awaitable[T]]) -> T:
        """Return what a call of the trial gives.

        Raises:
            TrialSilent: it takes too long, or an earlier one still does; writes must not overtake each other.
        """
        if self._hanging:
            raise TrialSilent
        task = asyncio.ensure_future(call())
        try:
            await asyncio.wait({task}, timeout=self.patience)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not task.done():
            self._hanging.add(task)
            task.add_done_callback(self._answered)
            raise TrialSilent
        return task.result()

    def _answered(self, task: "asyncio.Future[Any]") -> None:
        self._hanging.discard(task)
        _ended(task)

    async def claim(self, claim: Claim) -> Lease:
        """Return the answering backend's lease after a claim; it fences the writes to both."""
        self._held(claim.entity)
        if not claim.seconds:
            self._missed.discard(claim.entity)
        return await self.answering.claim(claim)

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        """Return rows by id in any soft state, in the order asked."""
        return await self._both(
            entity,
            "get_many",
            f"{len(ids)} ids{_describe_fields(fields)}",
            lambda one: one.get_many(entity, ids, fields),
        )

    async def find_by_key(self, entity: str, key: str) -> KeyMatch:
        """Return the row whose business key is exactly this text."""
        return await self._both(entity, "find_by_key", "a key", lambda one: one.find_by_key(entity, key))

    async def select(self, entity: str, selection: Selection) -> tuple[Stored, ...]:
        """Return the window of rows that meet the conditions, in order."""
        return await self._both(
            entity, "select", _describe_selection(selection), lambda one: one.select(entity, selection)
        )

    async def read(self, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
        """Return the rows of each of these reads, each compared by itself."""
        return await one_by_one(self, reads)

    async def count(self, entity: str, where: Where = (), visibility: Visibility = LIVE) -> int:
        """Return how many rows meet the conditions."""
        return await self._both(
            entity, "count", f"{len(where)} filters", lambda one: one.count(entity, where, visibility)
        )

    async def search(self, entity: str, search: Search) -> SearchResult:
        """Return the best rows for a text that a person typed."""
        asked = f"{len(search.text)} characters, limit {search.limit}"
        return await self._both(entity, "search", asked, lambda one: one.search(entity, search))

    async def suggest(self, entity: str, text: str, limit: int = 5) -> tuple[str, ...]:
        """Return the answering backend's suggestions; they are hints and are not compared."""
        self._held(entity)
        return await self.answering.suggest(entity, text, limit)

    async def state(self, entity: str) -> SyncState:
        """Return the older of the two sync states, so that one listing feeds both.

        A trial that fails, or that was never complete while the other is, is not waited for: it stays behind until it
        is well, or filled.
        """
        self._held(entity)
        ours = await self.answering.state(entity)
        try:
            theirs = await self._in_time(lambda: self.trial.state(entity))
        except Exception as error:  # noqa: BLE001 - whatever the trial raises must not reach the caller
            self._fails(entity, "state", "the sync state", error)
            return ours
        if entity in self._failing or (ours.completed_at and not theirs.completed_at):
            self._missed.add(entity)
            return ours
        return min((theirs, ours), key=lambda state: (state.completed_at is not None, state.cursor or ""))

    async def standings(self, entities: Sequence[str]) -> dict[str, Standing]:
        """Return the older of the two sync states of each of these entities, and the answering backend's quarantine."""
        ours = await self.answering.standings(entities)
        return {entity: Standing(await self.state(entity), ours[entity].quarantined) for entity in entities}

    async def status(self, entity: str) -> EntityStatus:
        """Return how the entity stands in the answering backend."""
        self._held(entity)
        return await self.answering.status(entity)

    async def quarantined(self, entity: str, limit: int = 20) -> tuple[Quarantined, ...]:
        """Return the answering backend's quarantine."""
        self._held(entity)
        return await self.answering.quarantined(entity, limit)

    def _held(self, entity: str) -> None:
        if entity not in self.entities:
            raise WrongCacheUse(f"{entity!r} is not held by both {self.answering.name} and {self.trial.name}")

    async def _both[T](
        self, entity: str, operation: str, question: str, read: Callable[[CacheBackend], Awaitable[T]]
    ) -> T:
        self._held(entity)
        revision, started = None if self._writing else self._revision, self._clock.monotonic()
        answer = await read(self.answering)
        seconds = self._clock.monotonic() - started
        asked = Comparison(entity, operation, question, None, None, (seconds, 0.0), self._sides)
        trial = self._try(asked, revision, answer, read)
        if self._strict:
            await trial
        else:
            task = asyncio.create_task(trial)
            self._comparing.add(task)
            task.add_done_callback(self._comparing.discard)
        return answer

    async def _try[T](
        self, comparison: Comparison, revision: int | None, answer: T, read: Callable[[CacheBackend], Awaitable[T]]
    ) -> None:
        """Ask the trial the same and record the difference, unless something was written in between."""
        started = self._clock.monotonic()
        mismatch = error = None
        cut = False
        try:
            other = await self._in_time(lambda: read(self.trial))
        except Exception as raised:  # noqa: BLE001 - whatever the trial raises must not reach the caller
            error = fault(raised)
        else:
            cut = is_cut(answer) or is_cut(other)
            mismatch = None if cut else difference(answer, other)
        if mismatch is not None and revision == self._revision:
            mismatch, error, cut = await self._again(comparison.entity, read)
        seconds = (comparison.seconds[0], self._clock.monotonic() - started)
        if revision == self._revision:
            self._note(replace(comparison, mismatch=mismatch, error=error, seconds=seconds, cut=cut))

    async def _again[T](
        self, entity: str, read: Callable[[CacheBackend], Awaitable[T]]
    ) -> tuple[str | None, str | None, bool]:
        """Return how the sides differ at the same revision, what the trial raised, or that nothing can be compared.

        Another process may have written between the two reads, or to one side alone, as its own flags say.
        """
        try:
            for _ in range(_LOOKS):
                before = await self._revisions(entity)
                answer, other = await read(self.answering), await self._in_time(lambda: read(self.trial))
                if before[0] == before[1] and await self._revisions(entity) == before:
                    cut = is_cut(answer) or is_cut(other)
                    return None if cut else difference(answer, other), None, cut
        except Exception as raised:  # noqa: BLE001 - whatever the trial raises must not reach the caller
            return None, fault(raised), False
        return None, None, True

    async def _revisions(self, entity: str) -> list[_Revision]:
        """Return how far each side has come; that tells only where both have rows."""
        sides = [await self.answering.status(entity), await self._in_time(lambda: self.trial.status(entity))]
        if any(side.newest is None for side in sides):
            return [(None, None, None)] * len(sides)
        return [(side.state.cursor, side.state.completed_at, side.newest) for side in sides]

    def _note(self, comparison: Comparison) -> None:
        self._recorder.record(comparison)
        if self._strict and (comparison.mismatch or comparison.error):
            raise Mismatch(f"{comparison.operation} {comparison.entity}: {comparison.mismatch or comparison.error}")


def _ended(task: "asyncio.Future[Any]") -> None:
    """Look at how a task ended that nobody waits for any more, or asyncio reports it as never looked at."""
    if not task.cancelled():
        task.exception()


def fault(error: Exception) -> str:
    """Return the kind of an error and the line that raised it: its message may hold data of the account."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def _describe_selection(selection: Selection) -> str:
    filters = ", ".join(condition.field for condition in selection.where) or "no filter"
    window = f"{selection.offset}+{selection.limit}"
    return f"{filters}; by {selection.order.field}; {window}{_describe_fields(selection.fields)}"


def _describe_fields(fields: frozenset[str] | None) -> str:
    return "" if fields is None else f"; {len(fields)} fields"
