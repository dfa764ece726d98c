import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from cache_core.compared import ComparedBackend, Comparison, Mismatch
from cache_core.conditions import LIVE, Visibility, Where
from cache_core.errors import CacheUnavailable, WrongCacheUse
from cache_core.indexing import prepare
from cache_core.leases import Claim
from cache_core.memory import MemoryBackend
from cache_core.migrate import Migration, needs_filling
from cache_core.protocol import Applied, Batch, Found, Origin, Search, Selection, SyncState
from cache_core.records import RecordId, iso
from cache_core.spec import EntitySpec, Searchable
from cache_core.states import Checkpoint
from cache_core.testing import ManualClock

PART = EntitySpec(name="part", collection="parts", searchable=Searchable(keys=("sku",)), key_path="sku")
AT = "2026-03-02T08:00:00.000Z"
LATER = "2026-03-02T09:00:00.000Z"


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

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        if self.failing:
            raise CacheUnavailable("sick")
        return await super().get_many(entity, ids, fields)

    async def apply(self, batch: Batch) -> Applied:
        if self.failing:
            raise CacheUnavailable("sick")
        return await super().apply(batch)

    async def state(self, entity: str) -> SyncState:
        if self.failing:
            raise CacheUnavailable("sick")
        return await super().state(entity)

    async def open(self) -> None:
        if self.failing:
            raise CacheUnavailable("sick")


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

    async def list_one(self, at: str) -> None:
        """Complete a listing of one page at this moment, as sync does: from the state, under the lease."""
        claim = Claim("part", "this process", at, 10)
        await self.both.claim(claim)
        state = await self.both.state("part")
        await self.both.apply(Batch(entity="part", at=at, state=replace(state, cursor=at, completed_at=at)))
        await self.both.claim(replace(claim, seconds=0))

    async def mismatches(self) -> list[str | None]:
        await self.both.settle()
        return [comparison.mismatch for comparison in self.kept.comparisons if comparison.mismatch]


async def test_equal_backends_agree_on_every_read() -> None:
    pair = Pair(strict=True)
    await pair.put(pair.both)
    await pair.both.get_many("part", [1, 2])
    await pair.both.find_by_key("part", "A-1")
    await pair.both.select("part", Selection())
    await pair.both.count("part")
    await pair.both.search("part", Search("a-1"))
    assert [comparison.operation for comparison in pair.kept.comparisons] == [
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
    (error,) = [comparison.error or "" for comparison in pair.kept.comparisons]
    assert error.startswith("CacheUnavailable at test_compared.py:")


async def test_a_trial_that_could_not_be_written_once_holds_the_cursor_back() -> None:
    pair = Pair()
    await pair.put(pair.both)
    pair.trial.failing = True
    await pair.both.apply(Batch(entity="part", at=LATER, state=SyncState(cursor=LATER, completed_at=LATER)))
    pair.trial.failing = False
    await pair.both.apply(Batch(entity="part", at=LATER))
    assert (await pair.both.state("part")).cursor == AT


async def test_a_write_between_the_two_reads_makes_no_comparison() -> None:
    pair = Pair()
    await pair.put(pair.answering)
    await pair.both.count("part")
    await pair.both.apply(Batch(entity="part", at=AT))
    await pair.both.settle()
    assert pair.kept.comparisons == []


class Shared(MemoryBackend):
    """A trial to which another process writes after its next read, or before it."""

    writes: tuple[MemoryBackend, ...] = ()

    async def count(self, entity: str, where: Where = (), visibility: Visibility = LIVE) -> int:
        counted = await super().count(entity, where, visibility)
        writes, self.writes = self.writes, ()
        for write in writes:
            rows = (await prepare(PART, [{"id": 7, "sku": "B-7", "updated_at": LATER}], write)).rows
            await write.apply(Batch(entity="part", at=LATER, upserts=rows))
        return counted


@pytest.mark.parametrize("sides", ["both", "answering"])
async def test_what_another_process_writes_between_the_two_reads_is_no_difference(sides: str) -> None:
    pair = Pair()
    trial = Shared((PART,))
    both = ComparedBackend(pair.answering, trial, pair.kept, pair.clock)
    await pair.put(both)
    answering = Shared((PART,))
    both.answering = answering
    await pair.put(answering)
    answering.writes = (answering, trial) if sides == "both" else (answering,)
    assert await both.count("part") == 1
    assert await both.count("part") == 2
    await both.settle()
    assert [comparison.mismatch for comparison in pair.kept.comparisons] == [None, None]
    assert [comparison.cut for comparison in pair.kept.comparisons] == [False, sides == "answering"]


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

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        await self.through.wait()
        return await super().get_many(entity, ids, fields)

    async def close(self) -> None:
        self.is_open = False


class SlowDoor(Door):
    """The same, which takes a while to close."""

    async def close(self) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        await super().close()


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

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        self._clock.advance(self._seconds)
        return await super().get_many(entity, ids, fields)


async def test_each_side_is_timed_by_itself() -> None:
    clock, kept = ManualClock(), Kept()
    compared = ComparedBackend(Timed(clock, 2), Timed(clock, 5), kept, clock)
    await compared.open()
    await compared.get_many("part", [1])
    await compared.settle()
    assert [comparison.seconds for comparison in kept.comparisons] == [(2, 5)]
    await compared.close()


class Blocked(MemoryBackend):
    """A trial that does not answer while it is told to hang."""

    def __init__(self) -> None:
        super().__init__((PART,))
        self.goes_on = asyncio.Event()
        self.goes_on.set()

    async def apply(self, batch: Batch) -> Applied:
        await self.goes_on.wait()
        return await super().apply(batch)

    async def count(self, entity: str, where: Where = (), visibility: Visibility = LIVE) -> int:
        await self.goes_on.wait()
        return await super().count(entity, where, visibility)

    async def state(self, entity: str) -> SyncState:
        await self.goes_on.wait()
        return await super().state(entity)

    async def close(self) -> None:
        await self.goes_on.wait()


async def test_a_trial_whose_state_cannot_be_read_is_recorded_and_left_out_of_account() -> None:
    pair = Pair()
    await pair.put(pair.both)
    pair.trial.failing = True
    assert (await pair.both.state("part")).cursor == AT
    ((operation, error),) = [(comparison.operation, comparison.error or "") for comparison in pair.kept.comparisons]
    assert (operation, error.partition(":")[0]) == ("state", "CacheUnavailable at test_compared.py")


async def test_a_trial_that_cannot_be_opened_leaves_the_answering_side_open() -> None:
    pair = Pair()
    pair.trial.failing = True
    await pair.both.open()
    await pair.put(pair.both)
    assert await pair.both.count("part") == 1
    await pair.both.close()


async def test_a_trial_that_keeps_failing_makes_nothing_look_old() -> None:
    pair = Pair()
    await pair.put(pair.both)
    pair.trial.failing = True
    await pair.list_one(LATER)
    assert (await pair.both.state("part")).completed_at == LATER


async def test_a_trial_that_was_never_complete_makes_nothing_look_cold() -> None:
    pair = Pair()
    await pair.put(pair.answering)
    assert (await pair.both.state("part")).completed_at == AT


async def test_a_trial_that_missed_a_page_is_not_told_that_the_listing_is_complete() -> None:
    pair = Pair()
    await pair.put(pair.both)
    pair.trial.failing = True
    await pair.both.apply(Batch(entity="part", at=LATER))
    pair.trial.failing = False
    await pair.list_one(LATER)
    assert (await pair.trial.state("part")).cursor == AT


async def test_a_trial_that_is_well_again_gets_the_next_listing_from_its_own_cursor() -> None:
    pair = Pair()
    await pair.put(pair.both)
    pair.trial.failing = True
    await pair.list_one(LATER)
    pair.trial.failing = False
    await pair.list_one(LATER)
    assert (await pair.both.state("part")).cursor == AT
    await pair.list_one(LATER)
    assert (await pair.trial.state("part")).cursor == LATER


async def test_of_two_listings_broken_off_the_trial_s_is_gone_on_with() -> None:
    pair = Pair()
    for backend, page in ((pair.answering, 3), (pair.trial, 2)):
        checkpoint = Checkpoint(page=page, total=700, since=None, first=None, newest=None)
        await backend.apply(Batch(entity="part", at=AT, state=SyncState(checkpoint=checkpoint)))
    begun = (await pair.both.state("part")).checkpoint
    assert begun is not None
    assert begun.page == 2


async def test_a_trial_that_hangs_holds_up_neither_writes_nor_reads_nor_the_end() -> None:
    answering, trial, kept = MemoryBackend((PART,)), Blocked(), Kept()
    both = ComparedBackend(answering, trial, kept, ManualClock())
    both.patience = 0.001
    trial.goes_on.clear()
    async with asyncio.timeout(30):
        for _ in range(2):
            await both.apply(Batch(entity="part", at=AT, state=SyncState(cursor=AT, completed_at=AT)))
        assert (await both.state("part")).cursor == AT
        assert await both.count("part") == 0
        await both.close()
    assert [comparison.operation for comparison in kept.comparisons] == ["apply", "apply", "state", "count"]
    assert {(comparison.error or "").partition(" ")[0] for comparison in kept.comparisons} == {"TrialSilent"}


async def test_a_trial_that_answers_again_is_asked_again() -> None:
    trial, kept = Blocked(), Kept()
    both = ComparedBackend(MemoryBackend((PART,)), trial, kept, ManualClock())
    both.patience = 0.001
    trial.goes_on.clear()
    await both.count("part")
    await both.settle()
    trial.goes_on.set()
    await asyncio.sleep(0)
    await both.count("part")
    await both.settle()
    assert [comparison.error is None for comparison in kept.comparisons] == [False, True]


async def test_no_write_overtakes_one_that_hangs_because_a_read_that_hung_too_has_ended() -> None:
    trial, kept = Blocked(), Kept()
    both = ComparedBackend(MemoryBackend((PART,)), trial, kept, ManualClock())
    both.patience = 0.001
    writing = trial.goes_on = asyncio.Event()
    write = asyncio.create_task(both.apply(Batch(entity="part", at=AT)))
    for _ in range(10):
        await asyncio.sleep(0)
    reading = trial.goes_on = asyncio.Event()
    await both.count("part")
    await both.settle()
    await write
    reading.set()
    await asyncio.sleep(0)
    await both.apply(Batch(entity="part", at=LATER, state=SyncState(cursor=LATER)))
    writing.set()
    await asyncio.sleep(0)
    assert [comparison.operation for comparison in kept.comparisons] == ["apply", "apply"]
    assert (await trial.state("part")).cursor is None


async def test_answers_that_were_cut_short_are_told_apart() -> None:
    pair = Pair(strict=True)
    await pair.put(pair.both)
    for text in ("a-1", "a " * 300):
        await pair.both.search("part", Search(text))
    assert [comparison.cut for comparison in pair.kept.comparisons] == [False, True]


async def test_who_is_cancelled_again_and_again_has_closed_both() -> None:
    answering, trial = SlowDoor(), SlowDoor()
    both = ComparedBackend(answering, trial, Kept(), ManualClock())
    closing = asyncio.create_task(both.close())
    for _ in range(4):
        await asyncio.sleep(0)
        closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    assert (answering.is_open, trial.is_open) == (False, False)
