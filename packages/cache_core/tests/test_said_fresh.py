"""What is said of fresh entities is said again without looking at each, and never where it no longer holds."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random

import pytest
from sync_world import World, settled

from cache_core.protocol import Batch, Standing, SyncState
from cache_core.records import iso
from cache_core.spec import Listed
from cache_core.sync import Freshness, Progress, SourcePage, Syncer, Window, freshness
from cache_core.sync.said_fresh import SaidFresh
from cache_core.testing import START, FakeSource, ManualClock

GROUPS: Sequence[list[str]] = (["colour"], ["gadget"], ["colour", "gadget"], ["recipe", "part"], [])


class _Forgets(SaidFresh):
    """Keeps nothing of what was said."""

    def again(
        self, names: tuple[str, ...], standings: Mapping[str, Standing], now: datetime
    ) -> dict[str, Freshness] | None:
        del names, standings, now


async def _told(world: World, chance: Random) -> list[dict[str, Freshness]]:
    """Return what reads are told while clocks go on and back, writes expire rows, others sync, and Katana goes away."""
    told: list[dict[str, Freshness]] = []
    for _ in range(80):
        match chance.randrange(9):
            case 0:
                world.clock.advance(chance.choice((1, 14, 119, 121, 600)))
            case 1:
                world.clock.jump(chance.choice((-30, 30)))
            case 2:
                world.fresh.expire(chance.choice(("colour", "gadget")))
            case 3 if chance.random() < 0.5:
                keeping = asyncio.create_task(world.fresh.keep_fresh(chance.choice(GROUPS)))
                await settled()
                await keeping
            case 3:
                world.source.down = chance.choice((None, None, "no"))
            case 4:
                seen = SyncState(completed_at=iso(world.clock.now()), failing_since=chance.choice((None, iso(START))))
                await world.cache.apply(Batch(entity="gadget", at=iso(world.clock.now()), state=seen))
            case _:
                told.append(await world.fresh.ensure(chance.choice(GROUPS), wait=chance.choice((None, 0))))
    await world.fresh.close()
    return told


@pytest.mark.parametrize("seed", range(30))
async def test_a_read_is_told_what_it_would_be_told_if_nothing_were_kept(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = await _told(World(), Random(seed))
    monkeypatch.setattr(freshness, "SaidFresh", _Forgets)
    assert kept == await _told(World(), Random(seed))


async def test_entities_that_stand_as_they_stood_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    world, looked_at, look = World(), list[str](), Syncer.warming
    await world.fresh.ensure(["colour", "gadget"])

    def noted(syncer: Syncer, entity: str, state: SyncState) -> Progress | None:
        looked_at.append(entity)
        return look(syncer, entity, state)

    monkeypatch.setattr(Syncer, "warming", noted)
    world.source.broken["parts"] = "no parts today"
    await world.fresh.ensure(["part"])
    world.fresh.expire("recipe")
    for seconds, expected in ((0, []), (120, []), (1, ["maker", "gadget", "colour"]), (0, [])):
        world.clock.advance(seconds)
        looked_at.clear()
        told = await world.fresh.ensure(["colour", "gadget"])
        assert looked_at == expected
        assert list(told) == ["maker", "gadget", "colour"]
        told.clear()


async def test_it_holds_from_the_latest_listing_until_the_first_is_old() -> None:
    said, minutes = SaidFresh(), {"a": 0, "b": 10}
    listed = {name: START + timedelta(minutes=each) for name, each in minutes.items()}
    stand = {name: Standing(SyncState(completed_at=iso(at)), quarantined=False) for name, at in listed.items()}
    told = {name: Freshness(name, iso(at)) for name, at in listed.items()}
    said.keep(("a", "b"), stand, {"a": timedelta(minutes=15), "b": timedelta(minutes=1)}, told)
    holds = [said.again(("a", "b"), stand, START + timedelta(seconds=each)) for each in (599, 600, 660, 661)]
    assert holds == [None, told, told, None]
    assert said.again(("b", "a"), stand, START + timedelta(minutes=10)) is None


class _Held(FakeSource):
    """A source that gives the second page of a listing once it may."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.may = asyncio.Event()

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        if window.number > 1:
            await self.may.wait()
        return await super().page(listed, window, since)


@pytest.mark.parametrize("breaks_off", [False, True])
async def test_a_listing_is_told_of_while_it_runs(breaks_off: bool) -> None:
    world, held = World(), _Held(ManualClock())
    world.source = held
    world.start()
    told = [(await world.fresh.ensure(["gadget"]))["gadget"] for _ in range(2)]
    world.gadgets(300)
    listing = world.syncer.start("gadget")
    await settled()
    told.append((await world.fresh.ensure(["gadget"]))["gadget"])
    if breaks_off:
        listing.cancel()
    held.may.set()
    await asyncio.wait({listing})
    told.append((await world.fresh.ensure(["gadget"]))["gadget"])
    assert [(each.done, each.total) for each in told] == [(None, None), (None, None), (250, 300), (None, None)]


async def test_a_failure_is_told_of_what_is_still_fresh() -> None:
    world = World()
    await world.fresh.ensure(["maker"])
    world.clock.advance(60)
    assert not (await world.fresh.ensure(["recipe"]))["recipe"].failed
    world.clock.advance(61)
    world.source.down = "no"
    await world.fresh.keep_fresh(["maker", "recipe"])
    told = (await world.fresh.ensure(["recipe"]))["recipe"]
    assert (told.stale, told.failed) == (False, True)
