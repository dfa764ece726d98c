"""`as_of` is no younger than the oldest page behind it, and the delta that follows covers what was edited since."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sync_world import COLOUR, World, settled

from cache_core.conditions import EVERYTHING
from cache_core.errors import SourceUnavailable
from cache_core.protocol import Batch, Selection
from cache_core.records import iso
from cache_core.spec import Listed
from cache_core.sync import SourcePage, Window
from cache_core.sync.patience import Freshness
from cache_core.testing import START


def makers(world: World, count: int = 1_000) -> None:
    for number in range(1, count + 1):
        age = timedelta(hours=1 if number == count else 48)
        world.source.put("maker", {"id": number, "name": f"old {number}"}, START - age)


def rename(world: World, *numbers: int) -> None:
    for number in numbers:
        world.source.put("maker", {"id": number, "name": f"new {number}"}, world.clock.now())


def cut_at(world: World, page: int) -> None:
    """Let this page of whole listings fail from now on."""

    def cut(listed: Listed, number: int) -> None:
        world.source.down = "cut" if number == page else None

    world.source.before = cut


def go_on(world: World, seconds_a_page: float = 0) -> None:
    """Let every page be answered again, after this long."""
    world.source.down = None
    world.source.before = lambda listed, number: world.clock.advance(seconds_a_page)


async def old_names(world: World, numbers: range) -> int:
    found = (await world.cache.get_many("maker", list(numbers))).rows
    return sum(str(row.record["name"]).startswith("old") for row in found)


async def read(world: World, wait: float | None = None) -> Freshness:
    return (await world.fresh.ensure(["maker"], wait=wait))["maker"]


async def completed_at(world: World, entity: str = "maker") -> str | None:
    return (await world.cache.state(entity)).completed_at


@pytest.mark.parametrize("gap", [60, 3 * 86_400])
async def test_no_old_name_is_shown_as_newer_than_its_change_after_a_listing_that_was_killed(gap: float) -> None:
    world = World()
    makers(world)
    cut_at(world, 3)
    await world.syncer.start("maker")
    go_on(world, 1)
    world.clock.advance(gap)
    changed = world.clock.now()
    rename(world, *range(901, 1_001))
    world.clock.advance(60)
    world.start()
    old = 100
    for _ in range(200):
        answer = await read(world)
        old = await old_names(world, range(901, 1_001))
        assert not old or answer.as_of is None or answer.stale or datetime.fromisoformat(answer.as_of) <= changed
        world.clock.advance(1)
    assert not old


async def test_the_first_read_after_a_listing_that_was_killed_is_answered_with_what_changed_since() -> None:
    world = World()
    makers(world)
    cut_at(world, 3)
    await world.syncer.start("maker")
    go_on(world)
    world.clock.advance(86_400)
    rename(world, *range(901, 1_001))
    world.start()
    world.asked()
    answer = await read(world)
    assert world.asked() == [("maker", 3), ("maker", 4), ("maker", 1)]
    assert (await old_names(world, range(901, 1_001)), answer.as_of) == (0, iso(world.clock.now()))
    await read(world)
    assert world.asked() == []


async def test_a_listing_that_took_an_hour_is_as_old_as_its_start_and_one_delta_covers_the_hour() -> None:
    world = World()
    makers(world)

    def edit(listed: Listed, number: int) -> None:
        world.clock.advance(900)
        if number > 1:
            rename(world, 1_000 - number)

    world.source.before = edit
    await world.syncer.start("maker")
    assert await completed_at(world) == iso(START)
    assert await old_names(world, range(996, 999)) == 3
    go_on(world)
    world.asked()
    answer = await read(world)
    assert (answer.as_of, answer.stale, world.asked()) == (iso(world.clock.now()), False, [("maker", 1)])
    assert await world.cached("maker") == world.truth("maker")


async def test_a_first_listing_that_was_quick_is_followed_by_nothing() -> None:
    world = World()
    makers(world)
    go_on(world, 10)
    await read(world)
    await settled()
    assert [number for _, number in world.asked()] == [1, 2, 3, 4]


async def test_a_delta_is_as_old_as_its_first_page() -> None:
    world = World()
    makers(world, 3)
    await world.syncer.start("maker")
    world.clock.advance(600)
    asked = world.clock.now()
    go_on(world, 50)
    await world.syncer.start("maker")
    assert await completed_at(world) == iso(asked)


async def test_rows_that_grow_old_while_others_are_read_do_not_blame_katana() -> None:
    world = World()
    makers(world, 3)
    await world.syncer.start("colour")
    world.clock.advance(COLOUR.fresh_for.total_seconds() - 0.5)
    go_on(world, 1)
    answer = await world.fresh.ensure(["colour", "maker"], wait=1_000)
    assert (answer["maker"].stale, answer["maker"].reason) == (False, None)
    assert (answer["colour"].stale, answer["colour"].reason) == (True, "these rows grew old while others were read")


async def test_rows_that_are_old_because_katana_was_slow_say_so() -> None:
    world = World()
    makers(world, 3)
    await world.syncer.start("maker")
    world.clock.advance(600)
    go_on(world, 150)
    answer = await read(world, wait=1_000)
    assert (answer.stale, answer.reason) == (True, "Katana took longer to answer than these rows stay fresh")


async def test_a_feed_that_goes_on_makes_its_documents_as_old_as_its_first_page() -> None:
    world = World()
    for number in range(1, 301):
        world.source.put("part", {"id": number, "rows": []}, START - timedelta(hours=1))
    await world.syncer.start("part")
    world.clock.advance(60)
    for number in range(1, 301):
        row = {"id": number, "part_id": number, "variant_id": 1}
        world.source.put("part_rows", row, world.clock.now())
        world.source.alter("part", {"id": number, "rows": [world.source.rows("part_rows")[number]]})
    asked = world.clock.now()
    world.source.before = lambda listed, number: world.source.broken.update(
        {"part_rows": "cut"} if listed.name == "part_rows" and number == 2 else {}
    )
    assert not (await world.syncer.start("part")).complete
    world.source.broken.clear()
    go_on(world)
    world.clock.advance(3_600)
    assert (await world.syncer.start("part")).complete
    assert await completed_at(world, "part") == iso(asked)
    await world.syncer.start("part")
    assert await completed_at(world, "part") == iso(world.clock.now())


def bad_page(world: World) -> None:
    """Let the second page of whole listings fail for ever, and no other."""
    inner = world.source.page

    async def failing(listed: Listed, window: Window, since: str | None) -> SourcePage:
        if since is None and window.number == 2:
            raise SourceUnavailable("a bad page", everywhere=False)
        return await inner(listed, window, since)

    world.source.page = failing


async def test_edits_let_in_before_a_page_that_fails_make_the_pages_before_it_younger() -> None:
    world = World()
    makers(world, 400)
    good = world.source.page
    bad_page(world)
    for _ in range(3):
        await world.syncer.start("maker")
        world.clock.advance(60)
    let_in = world.clock.now() - timedelta(seconds=60)
    world.source.page = good
    cut_at(world, 2)
    rename(world, 400)
    world.source.before = lambda listed, number: None
    assert (await world.cache.state("maker")).checkpoint is not None
    listing = (await world.cache.state("maker")).checkpoint
    assert listing is not None
    assert listing.begun == iso(let_in)


async def test_rows_of_a_document_that_change_while_its_first_listing_fails_are_not_lost() -> None:
    world = World()
    for number in range(1, 401):
        world.source.put("part", {"id": number, "rows": []}, START - timedelta(hours=1))
    good = world.source.page
    bad_page(world)
    for _ in range(2):
        await world.syncer.start("part")
        world.clock.advance(300)
    row = {"id": 1, "part_id": 400, "variant_id": 5}
    world.source.put("part_rows", row, world.clock.now())
    world.source.alter("part", {"id": 400, "rows": [world.source.rows("part_rows")[1]]})
    world.clock.advance(300)
    world.source.put("part", {"id": 399, "n": 1}, world.clock.now())
    await world.syncer.start("part")
    world.source.page = good
    await world.syncer.start("part")
    await world.syncer.start("part")
    (document,) = (await world.cache.get_many("part", [400])).rows
    assert document.record["rows"] == [world.source.rows("part_rows")[1]]


async def test_a_listing_whose_beginning_nobody_noted_starts_anew() -> None:
    world = World()
    makers(world, 400)
    cut_at(world, 2)
    await world.syncer.start("maker")
    go_on(world)
    state = await world.cache.state("maker")
    assert state.checkpoint is not None
    older = replace(state, checkpoint=replace(state.checkpoint, begun=None))
    await world.cache.apply(Batch(entity="maker", at=iso(START), state=older))
    world.clock.advance(60)
    world.asked()
    await world.syncer.start("maker")
    assert (world.asked(), await completed_at(world)) == ([("maker", 1), ("maker", 2)], iso(world.clock.now()))


async def test_a_reader_who_waits_for_a_long_first_listing_gets_what_was_edited_meanwhile() -> None:
    world = World()
    makers(world)
    go_on(world, 60)
    reading = asyncio.create_task(read(world, wait=1_000))
    await settled()
    answer = await reading
    assert (answer.stale, world.asked()[-1]) == (False, ("maker", 1))
    rows = await world.cache.select("maker", Selection(limit=2_000, visibility=EVERYTHING))
    assert len(rows) == 1_000


async def test_how_far_a_listing_is_can_be_asked_while_it_runs_and_not_afterwards() -> None:
    world, seen = World(), list[tuple[int, int | None] | None]()
    makers(world)

    def asked() -> None:
        running = world.syncer.progress("maker")
        seen.append(None if running is None else (running.done, running.total))

    world.syncer.listen(lambda progress: asked())
    await world.syncer.start("maker")
    assert seen == [(250, 1_000), (500, 1_000), (750, 1_000), (1_000, 1_000)]
    assert world.syncer.progress("maker") is None
