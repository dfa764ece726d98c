import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from cache_core.compared import ComparedBackend, Comparison, Mismatch
from cache_core.errors import CacheUnavailable, WrongCacheUse
from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.migrate import Migration, needs_filling
from cache_core.protocol import Applied, Batch, Found, Origin, Search, Selection, SyncState
from cache_core.records import RecordId, iso
from cache_core.spec import EntitySpec, Searchable
from cache_core.testing import ManualClock

PART = EntitySpec(name="part", collection="parts", searchable=Searchable(keys=("sku",)), key_path="sku")
AT = "2026-03-02T08:00:00.000Z"


def _quiet(entity: str, done: int, total: int) -> None:
    del entity, done, total


class Kept:
    """A recorder that keeps everything."""

    def __init__(self) -> None:
        self.comparisons: list[Comparison] = []

    def record(self, comparison: Comparison) -> None:
        self.comparisons.append(comparison)


class Sick(MemoryBackend):
    """A trial that fails as it is told."""

    failing = False

    async def get_many(self, entity: str, ids: Sequence[RecordId]) -> Found:
        if self.failing:
            raise CacheUnavailable("sick")
        return await super().get_many(entity, ids)

    async def apply(self, batch: Batch) -> Applied:
        if self.failing:
            raise CacheUnavailable("sick")
        return await super().apply(batch)


class Pair:
    def __init__(self, *, strict: bool = False) -> None:
        self.answering, self.trial, self.kept = MemoryBackend((PART,)), Sick((PART,)), Kept()
        self.clock = ManualClock()
        self.both = ComparedBackend(self.answering, self.trial, self.kept, self.clock, strict=strict)

    async def put(self, *backends: MemoryBackend | ComparedBackend, sku: str = "A-1") -> None:
        for backend in backends:
            prepared = await prepare(PART, [{"id": 1, "sku": sku, "updated_at": AT}], backend)
            state = SyncState(cursor=AT, completed_at=AT)
            await backend.apply(Batch(entity="part", at=AT, upserts=prepared.rows, state=state))

    async def mismatches(self) -> list[str | None]:
        await self.both.settle()
        return [each.mismatch for each in self.kept.comparisons if each.mismatch]


async def test_equal_backends_agree_on_every_read() -> None:
    pair = Pair(strict=True)
    await pair.put(pair.both)
    await pair.both.get_many("part", [1, 2])
    await pair.both.find_by_key("part", "A-1")
    await pair.both.select("part", Selection())
    await pair.both.count("part")
    await pair.both.search("part", Search("a-1"))
    assert [each.operation for each in pair.kept.comparisons] == [
        "get_many",
        "find_by_key",
        "select",
        "count",
        "search",
    ]
    assert await pair.mismatches() == []


async def test_the_caller_gets_the_answering_side_and_the_difference_is_recorded() -> None:
    pair = Pair()
    await pair.put(pair.answering)
    assert (await pair.both.get_many("part", [1])).missing == ()
    assert await pair.mismatches() == ["ids [1] against []"]


async def test_another_field_is_a_difference_too() -> None:
    pair = Pair()
    await pair.put(pair.answering)
    await pair.put(pair.trial, sku="B-2")
    await pair.both.select("part", Selection())
    assert await pair.mismatches() == ["same ids, other fields"]


async def test_under_strict_a_difference_is_raised() -> None:
    pair = Pair(strict=True)
    await pair.put(pair.answering)
    with pytest.raises(Mismatch, match="count part: 1 against 0"):
        await pair.both.count("part")


async def test_a_trial_that_raises_never_reaches_the_caller() -> None:
    pair = Pair()
    await pair.put(pair.both)
    pair.trial.failing = True
    assert (await pair.both.get_many("part", [1])).missing == ()
    await pair.both.settle()
    (error,) = [each.error or "" for each in pair.kept.comparisons]
    assert error.startswith("CacheUnavailable at test_compared.py:")


async def test_a_trial_that_cannot_be_written_falls_behind_and_holds_the_cursor_back() -> None:
    pair = Pair()
    await pair.put(pair.both)
    pair.trial.failing = True
    later = "2026-03-02T09:00:00.000Z"
    state = SyncState(cursor=later, completed_at=later)
    await pair.both.apply(Batch(entity="part", at=later, state=state))
    assert (await pair.both.state("part")).cursor == AT


async def test_a_write_between_the_two_reads_makes_no_comparison() -> None:
    pair = Pair()
    await pair.put(pair.answering)
    await pair.both.count("part")
    await pair.both.apply(Batch(entity="part", at=AT))
    await pair.both.settle()
    assert pair.kept.comparisons == []


class Slow(MemoryBackend):
    """A trial that lets others in between before it writes."""

    async def apply(self, batch: Batch) -> Applied:
        for _ in range(5 - len(batch.upserts)):
            await asyncio.sleep(0)
        return await super().apply(batch)


async def test_a_caller_that_goes_away_leaves_no_batch_with_one_side_alone() -> None:
    answering, trial = MemoryBackend((PART,)), Slow((PART,))
    both = ComparedBackend(answering, trial, Kept(), ManualClock(), strict=True)
    for steps in range(8):
        rows = (await prepare(PART, [{"id": 1, "sku": f"S-{steps}", "updated_at": AT}], both)).rows
        task = asyncio.create_task(both.apply(Batch(entity="part", at=AT, upserts=rows)))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await both.settle()
        assert await both.count("part") == bool(steps)


async def test_both_sides_get_writes_that_overlap_in_the_same_order() -> None:
    both = ComparedBackend(MemoryBackend((PART,)), Slow((PART,)), Kept(), ManualClock(), strict=True)
    first = (await prepare(PART, [{"id": 1, "sku": "first", "updated_at": AT}], both)).rows
    second = (await prepare(PART, [{"id": nr, "sku": "second", "updated_at": AT} for nr in (1, 2, 3)], both)).rows
    await asyncio.gather(*(both.apply(Batch(entity="part", at=AT, upserts=rows)) for rows in (first, second)))
    assert (await both.select("part", Selection()))[-1].record["sku"] == "second"


async def test_an_entity_of_neither_is_refused() -> None:
    with pytest.raises(WrongCacheUse):
        await Pair().both.count("nothing")


async def test_filling_copies_rows_state_and_removes_what_is_no_longer_there() -> None:
    pair = Pair()
    await pair.put(pair.answering)
    prepared = await prepare(PART, [{"id": 9, "sku": "GONE"}], pair.trial)
    await pair.trial.apply(Batch(entity="part", at=AT, upserts=prepared.rows))
    steps: list[tuple[str, int, int]] = []
    migration = Migration(pair.answering, pair.clock, lambda entity, done, total: steps.append((entity, done, total)))
    assert await needs_filling(PART, pair.answering, pair.trial)
    assert await migration.fill(PART, pair.answering, pair.trial) == 1
    assert steps == [("part", 1, 1)]
    assert not await needs_filling(PART, pair.answering, pair.trial)
    verified = await migration.verify(PART, pair.answering, pair.trial)
    assert (verified.compared, verified.differences) == (1, 0)


async def test_filling_writes_over_an_own_write_of_the_same_version() -> None:
    source, target = MemoryBackend((PART,)), MemoryBackend((PART,))
    clock = ManualClock()
    for backend, sku, origin in ((source, "listed", Origin.LISTING), (target, "own", Origin.OWN_WRITE)):
        prepared = await prepare(PART, [{"id": 1, "sku": sku, "updated_at": AT}], backend)
        await backend.apply(Batch(entity="part", at=iso(clock.now()), upserts=prepared.rows, origin=origin))
    migration = Migration(source, clock, _quiet)
    await migration.fill(PART, source, target)
    assert (await migration.verify(PART, source, target)).differences == 0
    assert (await target.search("part", Search("listed"))).total == 1


async def test_verifying_names_what_is_missing_surplus_and_different() -> None:
    pair = Pair()
    await pair.put(pair.answering)
    await pair.put(pair.trial, sku="B-2")
    for backend, row_id in ((pair.answering, 2), (pair.trial, 3)):
        prepared = await prepare(PART, [{"id": row_id}], backend)
        await backend.apply(Batch(entity="part", at=AT, upserts=prepared.rows))
    verified = await Migration(pair.answering, pair.clock, _quiet).verify(PART, pair.answering, pair.trial)
    assert replace(verified, compared=0).different == (1,)
    assert (verified.missing, verified.surplus, verified.differences) == ((2,), (3,), 3)


class Door(MemoryBackend):
    """A trial of which one can tell whether it is open, and whose reads wait until they are let through."""

    def __init__(self) -> None:
        super().__init__((PART,))
        self.is_open = True
        self.through = asyncio.Event()

    async def get_many(self, entity: str, ids: Sequence[RecordId]) -> Found:
        await self.through.wait()
        return await super().get_many(entity, ids)

    async def close(self) -> None:
        self.is_open = False


async def test_who_is_cancelled_while_the_last_comparison_runs_has_closed_both() -> None:
    trial = Door()
    both = ComparedBackend(MemoryBackend((PART,)), trial, Kept(), ManualClock())
    await both.get_many("part", [1])
    closing = asyncio.create_task(both.close())
    await asyncio.sleep(0)
    assert trial.is_open
    closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    assert not trial.is_open
    trial.through.set()
    await both.settle()


class Timed(MemoryBackend):
    """A backend whose reads take time."""

    def __init__(self, clock: ManualClock, seconds: float) -> None:
        super().__init__((PART,))
        self._clock = clock
        self._seconds = seconds

    async def get_many(self, entity: str, ids: Sequence[RecordId]) -> Found:
        self._clock.advance(self._seconds)
        return await super().get_many(entity, ids)


async def test_each_side_is_timed_by_itself() -> None:
    clock, kept = ManualClock(), Kept()
    compared = ComparedBackend(Timed(clock, 2), Timed(clock, 5), kept, clock)
    await compared.open()
    await compared.get_many("part", [1])
    await compared.settle()
    assert [each.seconds for each in kept.comparisons] == [(2, 5)]
    await compared.close()
