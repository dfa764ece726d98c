"""A delta over several pages while rows are deleted and others enter further down: nothing slips through."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from sync_world import World

from cache_core.spec import Listed
from cache_core.states import Checkpoint
from cache_core.sync.listing import Verdict, judge, window_of
from cache_core.sync.source import PAGE_SIZE, SourcePage
from cache_core.testing import START


def delta(read: int = 0, total: int = 0) -> Checkpoint:
    return Checkpoint(page=1, total=total, since="2026-03-02T07:00:00.000Z", first=None, newest=None, read=read)


@pytest.mark.parametrize("read", [1, 250, 499, 745, 990, 5_000, 24_999, 100_001])
def test_every_window_holds_a_row_that_was_read_and_reaches_far_beyond(read: int) -> None:
    window = window_of(delta(read))
    assert window.start < read <= window.end
    assert window.size <= PAGE_SIZE
    assert window.end - read >= PAGE_SIZE - 30 or read == 1


def test_a_hundred_pages_of_a_delta_cost_at_most_eight_requests_more() -> None:
    checkpoint, requests = delta(), 0
    while checkpoint.read < 25_000:
        window = window_of(checkpoint)
        page = SourcePage([{"id": index} for index in range(window.start, min(window.end, 25_000))], 25_000)
        checkpoint = judge(checkpoint, page, page.size).checkpoint
        requests += 1
    assert requests <= 108


def test_a_page_without_a_known_row_steps_back_by_a_page() -> None:
    page = SourcePage([{"id": index} for index in range(249)], 900)
    judgement = judge(delta(250), page, 249, overlaps=False)
    assert (judgement.verdict, judgement.back, judgement.checkpoint.read) == (Verdict.NEXT, True, 0)


def edited(world: World, count: int) -> None:
    """Make a cached account in which this many gadgets were edited since."""
    for number in range(1, count * 2 + 1):
        world.source.put("gadget", {"id": number, "sku": f"G-{number}"}, START - timedelta(days=1))


def touch(world: World, number: int) -> None:
    world.source.put("gadget", {"id": number, "sku": f"E-{number}"}, world.clock.now())


async def test_a_row_that_is_deleted_and_one_that_enters_further_down_hide_no_third() -> None:
    world = World()
    edited(world, 600)
    await world.syncer.start("gadget")
    world.clock.advance(3000)
    for number in range(2, 1_201, 2):
        touch(world, number)

    def swap(listed: Listed, number: int) -> None:
        if number == 2 and 1_190 in world.source.rows("gadget"):
            for gone, entering in ((1_190, 1), (1_188, 3)):
                world.source.drop("gadget", gone)
                touch(world, entering)

    world.source.before = swap
    outcome = await world.syncer.start("gadget")
    assert outcome.complete
    assert world.truth().items() <= (await world.cached()).items()


@pytest.mark.parametrize("seed", range(10))
async def test_nothing_slips_through_a_delta_in_which_rows_go_and_come(seed: int) -> None:
    world, random = World(), Random(seed)
    edited(world, 500)
    await world.syncer.start("gadget")
    world.clock.advance(3000)
    for number in random.sample(range(1, 1_001), 700):
        touch(world, number)

    def disturb(listed: Listed, number: int) -> None:
        """Between two pages, let as many rows enter as go, so that the total keeps quiet."""
        world.clock.advance(1)
        shown = [key for key, row in world.source.rows("gadget").items() if str(row["updated_at"]) > START.isoformat()]
        others = [key for key in world.source.rows("gadget") if key not in shown]
        for gone, entering in zip(random.sample(shown, 3), random.sample(others, 3), strict=True):
            world.source.drop("gadget", gone)
            touch(world, int(entering))

    before = world.truth()
    world.source.before = disturb
    outcome = await world.syncer.start("gadget")
    assert outcome.complete
    cached = await world.cached()
    untouched = {key: version for key, version in world.truth().items() if before.get(key) == version}
    assert untouched.items() <= cached.items()
    world.source.before = lambda listed, number: None
    await world.syncer.start("gadget")
    assert world.truth().items() <= (await world.cached()).items()


@pytest.mark.parametrize("cut", [2, 3])
async def test_a_delta_that_is_cut_goes_on_behind_what_it_read(cut: int) -> None:
    world = World()
    edited(world, 400)
    await world.syncer.start("gadget")
    world.clock.advance(3000)
    for number in range(1, 801):
        touch(world, number)
    world.asked()

    def fail(listed: Listed, number: int) -> None:
        world.source.down = "cut" if number == cut and len(world.source.requests) == cut - 1 else None

    world.source.before = fail
    assert not (await world.syncer.start("gadget")).complete
    world.start()
    assert (await world.syncer.start("gadget")).complete
    assert [number for _, number in world.asked()] == [*range(1, cut + 1), *range(cut, 5)]
    assert await world.cached() == world.truth()


async def test_a_delta_whose_every_page_moves_ends_as_incomplete_and_not_never() -> None:
    world = World()
    edited(world, 400)
    await world.syncer.start("gadget")
    world.clock.advance(3000)
    for number in range(1, 801):
        touch(world, number)
    strangers = [{"id": 9_000 + index} for index in range(250)]
    world.source.tamper = lambda listed, number, page: replace(page, records=strangers) if number == 2 else page
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.reason) == (False, "the total that Katana reports keeps changing")
    assert (await world.cache.state("gadget")).cursor == "2026-03-01T08:00:00.000Z"
