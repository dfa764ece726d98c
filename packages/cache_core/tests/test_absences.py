"""Records deleted without a tombstone: what a complete listing does not hold is asked for, long before an audit."""

from dataclasses import replace
from datetime import timedelta
from typing import Literal

import pytest
from sync_world import SPECS, World, settled

from cache_core.protocol import Batch
from cache_core.records import iso
from cache_core.spec import Listed
from cache_core.sync import SourcePage, Syncer, Window
from cache_core.testing import START


def old_gadgets(world: World, count: int) -> None:
    """Make an account of this many old gadgets and one a day younger."""
    for number in range(1, count + 1):
        world.source.put("gadget", {"id": number, "sku": f"G-{number}"}, START - timedelta(days=2))
    world.source.put("gadget", {"id": count, "sku": "newest"}, START - timedelta(days=1))


async def followed(world: World, count: int = 600) -> None:
    """Make such an account and sync it."""
    old_gadgets(world, count)
    await world.syncer.start("gadget")
    await settled()
    world.asked()


async def sync_each(world: World, seconds: float, times: int) -> None:
    for _ in range(times):
        world.clock.advance(seconds)
        await world.syncer.start("gadget")
        await settled()


def edit(world: World, number: int) -> None:
    world.source.put("gadget", {"id": number, "sku": f"E-{number}"}, world.clock.now())


async def test_a_row_that_a_delta_should_hold_and_does_not_is_gone_within_twenty_minutes() -> None:
    world = World()
    await followed(world)
    world.clock.advance(60)
    edit(world, 9_000)
    edit(world, 300)
    await sync_each(world, 30, 1)
    world.source.drop("gadget", 9_000)
    world.source.drop("gadget", 300)
    world.asked()
    await sync_each(world, 30, 41)
    assert await world.cached() == world.truth()
    assert world.asked().count(("gadget", 0)) == 1


async def test_a_row_that_only_lags_is_doubted_until_a_delta_shows_it_and_costs_no_request() -> None:
    world = World()
    await followed(world)
    world.clock.advance(60)
    edit(world, 9_000)
    world.source.lag = lambda: 600
    await world.syncer.write_through("gadget", world.source.rows("gadget")[9_000])
    await sync_each(world, 30, 2)
    assert [doubt.id for doubt in (await world.cache.state("gadget")).audit.doubted] == [9_000]
    world.source.lag = lambda: 0
    world.asked()
    await sync_each(world, 30, 45)
    assert ((await world.cache.state("gadget")).audit.doubted, world.asked()) == ((), [("gadget", 1)] * 45)
    assert await world.cached() == world.truth()


async def test_a_delta_of_pages_that_were_deleted_doubts_every_row() -> None:
    world = World()
    await followed(world)
    world.clock.advance(60)
    for number in range(1, 581):
        edit(world, number)
    await sync_each(world, 5, 1)
    for number in range(1, 571):
        world.source.drop("gadget", number)
    await sync_each(world, 5, 1)
    assert len((await world.cache.state("gadget")).audit.doubted) == 570
    await sync_each(world, 1_200, 2)
    assert await world.cached() == world.truth()


async def test_a_row_that_was_read_alone_and_vanished_before_the_first_listing_is_not_kept_for_a_day() -> None:
    world = World()
    for number in (1, 2, 3):
        world.source.put("gadget", {"id": number, "sku": f"G-{number}"}, START - timedelta(days=2))
    assert await world.syncer.fetch("gadget", [2])
    world.source.drop("gadget", 2)
    await world.syncer.start("gadget")
    assert 2 in await world.cached()
    await sync_each(world, 1_200, 1)
    assert await world.cached() == world.truth()


async def test_rows_that_vanished_before_a_listing_went_on_are_looked_for_at_once() -> None:
    world = World()
    old_gadgets(world, 1_000)

    def cut(listed: Listed, number: int) -> None:
        world.source.down = "cut" if number == 4 else None

    world.source.before = cut
    await world.syncer.start("gadget")
    world.source.before = lambda listed, number: None
    world.source.down = None
    for number in (900, 950):
        world.source.drop("gadget", number)
    world.clock.advance(86_400)
    world.source.put("gadget", {"id": 1, "sku": "newest"}, world.clock.now())
    world.start()
    await sync_each(world, 1, 3)
    assert await world.cached() == world.truth()


async def test_a_listing_that_went_on_and_counts_what_is_cached_looks_for_nothing() -> None:
    world = World()
    world.gadgets(700)
    world.source.before = lambda listed, number: setattr(world.source, "down", "cut" if number == 3 else None)
    await world.syncer.start("gadget")
    world.source.before = lambda listed, number: None
    world.source.down = None
    await sync_each(world, 10, 1)
    assert not (await world.cache.state("gadget")).audit.running
    assert [number for _, number in world.asked()] == [1, 2, 3, 3]


async def test_an_audit_that_had_to_list_all_drops_what_it_did_not_see() -> None:
    world = World()
    await followed(world)
    world.source.drop("gadget", 10)
    await world.cache.apply(Batch(entity="gadget", at=iso(world.clock.now()), removed=[7]))

    asked = 0

    def drop_late(listed: Listed, number: int) -> None:
        nonlocal asked
        asked += number == 1
        if asked == 2:
            world.source.rows("gadget").pop(500, None)

    world.source.before = drop_late
    await world.syncer.audit("gadget")
    assert await world.cached() == world.truth()


@pytest.mark.parametrize("way", ["get", "full_list"])
async def test_a_row_made_while_a_slow_audit_lists_all_is_not_taken_for_gone(way: Literal["get", "full_list"]) -> None:
    world = World()
    await followed(world)
    specs = [replace(spec, fetch_by=way) for spec in SPECS]
    world.syncer = Syncer(specs, world.source, world.cache, world.clock)
    inner, made = world.source.page, iter((9_001, 9_002))

    async def slow(listed: Listed, window: Window, since: str | None) -> SourcePage:
        page = await inner(listed, window, since)
        if since is None and window.number == 3:
            for number in made:
                edit(world, number)
                await world.syncer.start("gadget")
                world.clock.advance(1_500)
        return page

    world.source.page = slow
    await world.syncer.audit("gadget")
    assert next(made, None) is None
    assert {9_001, 9_002} <= set(await world.cached())
    assert await world.cached() == world.truth()
