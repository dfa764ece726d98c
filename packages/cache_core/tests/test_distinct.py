"""A listing is judged by the different ids on all its pages: rows that come twice stand in for no others."""

from datetime import timedelta
from random import Random

import pytest
from sync_world import World

from cache_core.spec import Listed
from cache_core.sync import SourcePage


def swapped(world: World, count: int, *, pages: tuple[int, ...] = (2,), times: int = 1) -> None:
    """Let pages repeat rows of the first page instead of as many of their own, so that all counts agree."""
    seen: dict[int, int] = {}
    first: list[SourcePage] = []

    def swap(listed: Listed, number: int, page: SourcePage) -> SourcePage:
        if number == 1:
            first.append(page)
        seen[number] = seen.get(number, 0) + 1
        if number not in pages or seen[number] > times:
            return page
        return SourcePage([*first[0].records[:count], *page.records[count:]], page.total)

    world.source.tamper = swap


@pytest.mark.parametrize("count", [1, 7, 249])
async def test_rows_that_come_twice_do_not_hide_as_many_that_never_came(count: int) -> None:
    world = World()
    world.gadgets(700)
    swapped(world, count)
    outcome = await world.syncer.start("gadget")
    assert outcome.complete
    assert await world.cached() == world.truth()
    assert [number for _, number in world.asked()] == [1, 2, 3, 1, 2]


async def test_a_listing_that_never_shows_all_rows_is_incomplete_and_says_by_how_many() -> None:
    world = World()
    world.gadgets(700)
    swapped(world, 7, times=99)
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.reason) == (False, "all pages together held 693 different records of 700")
    state = await world.cache.state("gadget")
    assert (state.cursor, state.completed_at, state.checkpoint, outcome.requests) == (None, None, None, 9)
    assert len(await world.cached()) == 693


async def test_what_earlier_tries_brought_in_counts() -> None:
    world = World()
    world.gadgets(700)
    swapped(world, 7, times=3)
    assert not (await world.syncer.start("gadget")).complete
    world.source.tamper = lambda listed, number, page: page
    world.asked()
    assert (await world.syncer.start("gadget")).complete
    assert len(world.asked()) == 3
    assert await world.cached() == world.truth()


@pytest.mark.parametrize("page", [2, 3])
async def test_pages_read_before_a_kill_count_with_those_after_it(page: int) -> None:
    world = World()
    world.gadgets(700)
    swapped(world, 7)

    def kill(listed: Listed, number: int) -> None:
        world.source.down = "cut" if number == page and len(world.source.requests) == page - 1 else None

    world.source.before = kill
    assert not (await world.syncer.start("gadget")).complete
    world.start()
    assert (await world.syncer.start("gadget")).complete
    assert await world.cached() == world.truth()


async def test_rows_of_a_delta_are_counted_too() -> None:
    world = World()
    world.gadgets(1_000)
    await world.syncer.start("gadget")
    world.clock.advance(3_000)
    for number in range(1, 701):
        world.source.put("gadget", {"id": number, "sku": f"E-{number}"}, world.clock.now())
    swapped(world, 100)
    assert (await world.syncer.start("gadget")).complete
    assert await world.cached() == world.truth()


@pytest.mark.parametrize("seed", range(5))
async def test_rows_created_and_deleted_while_a_listing_runs_cost_little(seed: int) -> None:
    world, random = World(), Random(seed)
    world.gadgets(1_000)
    last = 1_000

    def work(listed: Listed, number: int) -> None:
        nonlocal last
        world.clock.advance(1)
        for gone in random.sample(sorted(map(int, world.source.rows("gadget"))), 3):
            world.source.drop("gadget", gone)
            last += 1
            world.source.put("gadget", {"id": last, "sku": f"N-{last}"}, world.clock.now())

    before = world.truth()
    world.source.before = work
    outcome = await world.syncer.start("gadget")
    assert outcome.complete
    assert outcome.requests <= 6
    stayed = {key: version for key, version in world.truth().items() if before.get(key) == version}
    assert stayed.items() <= (await world.cached()).items()
    world.source.before = lambda listed, number: None
    await world.syncer.start("gadget")
    assert world.truth().items() <= (await world.cached()).items()


async def test_a_first_page_that_is_read_again_vouches_for_no_page_read_before_it() -> None:
    world = World()
    world.gadgets(700)
    swapped(world, 7)

    def edit(listed: Listed, number: int) -> None:
        world.clock.advance(3_000)
        if len(world.source.requests) == 3:
            world.source.put("gadget", {"id": 1, "sku": "EDITED"}, world.clock.now() - timedelta(seconds=1_500))
            world.source.put("gadget", {"id": 700, "sku": "LATER"}, world.clock.now())

    world.source.before = edit
    await world.syncer.start("gadget")
    world.source.before = lambda listed, number: None
    assert [number for _, number in world.asked()] == [1, 2, 3, 1, 2]
    await world.syncer.start("gadget")
    assert (await world.cache.find_by_key("gadget", "EDITED")).row is not None
