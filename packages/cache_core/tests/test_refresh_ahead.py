"""What a refresh ahead of reads asks for, and in how many seconds it looks again."""

import asyncio
from datetime import timedelta

import pytest
from sync_world import SPECS, World, settled

from cache_core.protocol import SyncState
from cache_core.sync import FreshReads, Patience, Round, Syncer, SyncOutcome


def fresh_for(seconds: float) -> Patience:
    """Return a patience with rows of this age."""
    return Patience(fresh_for=timedelta(seconds=seconds))


def reads_of(world: World, patience: Patience | None = None, closed: str | None = None) -> FreshReads:
    """Return reads of a world that bear this."""
    return FreshReads(world.syncer, world.cache, world.clock, patience, closed=closed)


def done(entity: str, requests: int = 1) -> SyncOutcome:
    """Return the outcome of a sync that found nothing new."""
    return SyncOutcome(entity, complete=True, requests=requests)


class Scripted(Syncer):
    """A syncer whose syncs end as they are told, each after so many seconds."""

    def __init__(self, world: World, outcomes: list[SyncOutcome], seconds: float = 0.0) -> None:
        super().__init__(SPECS, world.source, world.cache, world.clock)
        self.outcomes, self.time, self.seconds = outcomes, world.clock, seconds

    def start(self, entity: str, seen: SyncState | None = None) -> asyncio.Task[SyncOutcome]:
        return asyncio.create_task(self._next())

    async def _next(self) -> SyncOutcome:
        self.time.advance(self.seconds / 2)
        return self.outcomes.pop(0)


@pytest.mark.parametrize(
    ("names", "seconds", "rest"),
    [
        # A minute at most, whatever is fresh for longer.
        (["maker", "gadget"], 120.0, 60.0),
        (["maker", "gadget"], 74.0, 59.2),
        # What is left of four fifths of the time; two requests want four seconds.
        (["maker", "gadget"], 10.0, 8.0),
        (["maker", "gadget"], 5.0, 4.0),
        (["colour"], 2.5, 2.0),
        # Many are refreshed more seldom: two requests each four seconds, feeds counted.
        (["maker", "gadget"], 4.0, 4.0),
        (["part"], 4.0, 4.0),
        (["maker", "gadget", "colour"], 4.0, 6.0),
    ],
)
async def test_it_looks_again_when_the_first_rows_are_about_to_be_old(
    names: list[str], seconds: float, rest: float
) -> None:
    outcome = await reads_of(World(), fresh_for(seconds)).keep_fresh(names)
    assert (outcome.outcomes, round(outcome.rest, 6)) == (tuple(map(done, names)), rest)


async def test_nothing_to_refresh_rests_a_minute() -> None:
    assert await reads_of(World()).keep_fresh([]) == Round((), 60.0)


async def test_a_closed_source_is_looked_at_each_second() -> None:
    assert await reads_of(World(), closed="no key").keep_fresh(["colour"]) == Round((), 1.0)


async def test_what_was_refreshed_early_is_due_after_four_fifths_of_its_time() -> None:
    world = World()
    reads = reads_of(world, fresh_for(100))
    await reads.ensure(["colour"])
    rounds: list[Round] = []
    for seconds in (30, 50, 0.5):
        world.clock.advance(seconds)
        rounds.append(await reads.keep_fresh(["colour"]))
    assert rounds == [Round((), 50.0), Round((), 1.0), Round((done("colour"),), 60.0)]


@pytest.mark.parametrize(
    ("requests", "seconds", "rest"),
    [(20, 0.0, 40.0), (20, 7.5, 32.5), (20, 39.5, 1.0), (29, 0.0, 58.0), (31, 0.0, 60.0), (31, 5.0, 57.0)],
)
async def test_each_request_wants_two_seconds_less_those_that_all_took(
    requests: int, seconds: float, rest: float
) -> None:
    world = World()
    world.clock.advance(1_000)
    syncer = Scripted(world, [done("colour"), done("stock", requests - 1)], seconds)
    reads = FreshReads(syncer, world.cache, world.clock)
    assert await reads.keep_fresh(["colour", "stock"]) == Round((done("colour"), done("stock", requests - 1)), rest)


def failing(*, refused: bool) -> SyncOutcome:
    """Return the outcome of a sync that got no answer."""
    return SyncOutcome("colour", complete=False, reason="no", unavailable=True, refused=refused)


async def test_a_refused_key_is_left_alone_twice_as_long_each_time_up_to_a_quarter_of_an_hour() -> None:
    world = World()
    refused, served, silent = failing(refused=True), done("colour"), failing(refused=False)
    outcomes = [silent, refused, refused, served, refused, silent, *[refused] * 6]
    reads = FreshReads(Scripted(world, [*outcomes]), world.cache, world.clock)
    rests: list[float] = []
    for outcome in outcomes:
        found = await reads.keep_fresh(["colour"])
        assert found.outcomes == (outcome,)
        rests.append(found.rest)
        world.clock.advance(found.rest)
    assert rests == [15.0, 30.0, 60.0, 2.0, 30.0, 15.0, 30.0, 60.0, 120.0, 240.0, 480.0, 900.0]


async def test_a_refused_key_stays_so_while_nothing_was_due_and_one_refusal_of_several_counts() -> None:
    world = World()
    reads = FreshReads(Scripted(world, [done("maker"), done("maker"), failing(refused=True)]), world.cache, world.clock)
    rests = [(await reads.keep_fresh(names)).rest for names in (["maker", "colour"], ["colour"], ["colour"])]
    assert rests == [30.0, 30.0, 30.0]


async def test_a_refresh_that_is_stopped_did_nothing() -> None:
    world = World()
    reads = FreshReads(Scripted(world, []), world.cache, world.clock)
    working = asyncio.create_task(reads.keep_fresh(["colour"]))
    await asyncio.sleep(0)
    await reads.close()
    await settled()
    assert await working == Round((), 1.0)
