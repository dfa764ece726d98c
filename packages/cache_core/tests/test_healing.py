"""What went wrong once gets right: quarantined records, pages that always fail, rows that appear late."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from random import Random

import pytest
from sync_world import World, settled

from cache_core.errors import SourceUnavailable
from cache_core.protocol import Quarantined
from cache_core.records import iso
from cache_core.spec import Listed
from cache_core.sync import SourcePage, Window
from cache_core.testing import START


def poisoned(world: World, *ids: int) -> None:
    """Make these gadgets unreadable from now on."""

    def spoil(listed: Listed, number: int, page: SourcePage) -> SourcePage:
        bad = [
            Quarantined(record_id, "no such colour", "{}")
            for record_id in ids
            if record_id in {r["id"] for r in page.records}
        ]
        return SourcePage([record for record in page.records if record["id"] not in ids], page.total, bad)

    world.source.tamper = spoil


async def test_a_quarantined_record_is_retried_by_each_sync_and_heals_without_a_new_version() -> None:
    world = World()
    world.gadgets(300)
    poisoned(world, 7, 8)
    await world.syncer.start("gadget")
    world.source.put("gadget", {"id": 300, "sku": "later"}, START)
    await world.syncer.start("gadget")
    world.asked()
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.quarantined) == (True, 2)
    assert world.asked() == [("gadget", 1), ("gadget", 0)]
    poisoned(world, 8)
    await world.syncer.start("gadget")
    assert [bad_record.id for bad_record in await world.cache.quarantined("gadget")] == [8]
    poisoned(world)
    await world.syncer.start("gadget")
    assert await world.cached() == world.truth()
    world.asked()
    await world.syncer.start("gadget")
    assert world.asked() == [("gadget", 1)]


BAD: tuple[dict[str, object], ...] = ({"id": None}, {"id": True}, {"id": 1.5}, {"sku": object()}, {"n": Decimal("NaN")})


@pytest.mark.parametrize("seed", range(5))
async def test_however_many_records_are_bad_all_others_are_cached_by_the_same_sync(seed: int) -> None:
    world, random = World(), Random(seed)
    world.gadgets(1_000)
    bad = random.sample(range(1, 1_001), random.randrange(1, 51))

    def spoil(listed: Listed, number: int, page: SourcePage) -> SourcePage:
        spoilt = [{**record, **random.choice(BAD)} if record["id"] in bad else record for record in page.records]
        return replace(page, records=spoilt)

    world.source.tamper = spoil
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.requests, outcome.quarantined) == (True, 4, len(bad))
    good = {key: version for key, version in world.truth().items() if key not in bad}
    assert good.items() <= (await world.cached()).items()
    assert (await world.cache.state("gadget")).cursor is not None


async def test_a_quarantined_record_that_is_gone_leaves_the_quarantine() -> None:
    world = World()
    world.gadgets(3)
    poisoned(world, 2)
    await world.syncer.start("gadget")
    world.source.drop("gadget", 2)
    await world.syncer.start("gadget")
    assert await world.cache.quarantined("gadget") == ()


async def test_six_hundred_quarantined_records_are_tried_in_turns() -> None:
    world = World()
    for number in range(1, 602):
        world.source.put(
            "gadget", {"id": number, "sku": f"G-{number}"}, START - timedelta(days=2 if number < 601 else 1)
        )
    poisoned(world, *range(1, 601))
    await world.syncer.start("gadget")
    poisoned(world)
    world.asked()
    counts: list[int] = []
    for _ in range(4):
        await world.syncer.start("gadget")
        counts.append(len(await world.cache.quarantined("gadget", 1_000)))
    assert counts == [350, 100, 0, 0]
    assert len([request for request in world.asked() if request == ("gadget", 0)]) == 3


def spread(world: World) -> None:
    """Make 700 gadgets, each edited a minute after the one before."""
    for number in range(1, 701):
        world.source.put("gadget", {"id": number, "sku": f"G-{number}"}, START - timedelta(minutes=1_000 - number))


def breaks(world: World, page: int, *, whole: bool = True) -> None:
    """Let a page of whole listings (or of deltas) fail for ever, and no other."""
    inner = world.source.page

    async def failing(listed: Listed, window: Window, since: str | None) -> SourcePage:
        if (since is None) is whole and window.number == page:
            world.source.requests.append((listed.name, page, since))
            raise SourceUnavailable("a bad page", everywhere=False)
        return await inner(listed, window, since)

    world.source.page = failing


async def test_a_page_that_always_fails_keeps_its_progress_and_lets_new_edits_in() -> None:
    world = World()
    spread(world)
    breaks(world, 2)
    for _ in range(2):
        assert not (await world.syncer.start("gadget")).complete
        world.clock.advance(60)
    world.source.put("gadget", {"id": 700, "sku": "EDITED"}, world.clock.now())
    world.source.put("gadget", {"id": 900, "sku": "NEW"}, world.clock.now())
    world.source.put("gadget", {"id": 1, "sku": "OLD ONE"}, world.clock.now())
    world.asked()
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.reason) == (False, "a bad page")
    assert [number for _, number in world.asked()] == [1, 2]
    for sku in ("EDITED", "NEW", "OLD ONE"):
        assert (await world.cache.find_by_key("gadget", sku)).row is not None
    state = await world.cache.state("gadget")
    assert (state.cursor, state.completed_at) == (None, None)
    assert state.checkpoint is not None
    assert state.checkpoint.page == 2


async def test_when_the_page_is_well_again_only_what_is_left_is_read() -> None:
    world = World()
    spread(world)
    good = world.source.page
    breaks(world, 2)
    for _ in range(3):
        await world.syncer.start("gadget")
        world.clock.advance(60)
    world.source.put("gadget", {"id": 699, "sku": "EDITED"}, world.clock.now())
    await world.syncer.start("gadget")
    world.source.page = good
    world.asked()
    assert (await world.syncer.start("gadget")).complete
    assert [number for _, number in world.asked()] == [1, 2, 3]
    assert await world.cached() == world.truth()
    state = await world.cache.state("gadget")
    assert (state.failures, state.failing_since, state.incomplete) == (0, None, None)


async def test_a_delta_that_does_not_get_on_still_lets_edits_and_changed_rows_in() -> None:
    world = World()
    for number in range(1, 701):
        world.source.put("part", {"id": number, "rows": []}, START - timedelta(days=1))
    await world.syncer.start("part")
    world.clock.advance(3_000)
    for number in range(1, 601):
        world.source.put("part", {"id": number, "n": 1}, world.clock.now() - timedelta(seconds=3_000 - 2 * number))
    breaks(world, 2, whole=False)
    for _ in range(2):
        assert not (await world.syncer.start("part")).complete
        world.clock.advance(60)
    row = {"id": 1, "part_id": 700, "variant_id": 5}
    world.source.put("part_rows", row, world.clock.now())
    world.source.alter("part", {"id": 700, "rows": [world.source.rows("part_rows")[1]]})
    world.source.put("part", {"id": 1, "n": 2}, world.clock.now())
    assert not (await world.syncer.start("part")).complete
    found = (await world.cache.get_many("part", [1, 700])).rows
    assert [found[0].record["n"], found[1].record["rows"]] == [2, [world.source.rows("part_rows")[1]]]


async def test_a_first_listing_that_broke_off_says_how_far_it_came() -> None:
    world = World()
    spread(world)
    good = world.source.page
    breaks(world, 3)
    broken = (await world.fresh.ensure(["gadget"]))["gadget"]
    assert (broken.warming, broken.done, broken.total) == (True, 500, 700)
    world.source.page = good
    world.clock.advance(60)
    whole = (await world.fresh.ensure(["gadget"]))["gadget"]
    assert (whole.warming, whole.done, whole.total) == (False, None, None)


async def test_what_was_edited_while_a_listing_lay_broken_off_is_read_after_it() -> None:
    world = World()
    spread(world)
    good = world.source.page
    breaks(world, 3)
    assert not (await world.syncer.start("gadget")).complete
    world.clock.advance(3_600)
    world.source.put("gadget", {"id": 700, "sku": "EDITED"}, world.clock.now())
    world.clock.advance(7_200)
    world.source.put("gadget", {"id": 1, "sku": "EDITED LATER"}, world.clock.now())
    world.source.page = good
    world.asked()
    assert (await world.syncer.start("gadget")).complete
    assert [number for _, number in world.asked()] == [3]
    world.clock.advance(60)
    await world.syncer.start("gadget")
    assert await world.cached() == world.truth()


async def test_a_listing_counts_its_own_seconds_however_long_its_process_runs() -> None:
    world = World()
    spread(world)
    world.source.put("gadget", {"id": 300, "sku": "EDITED"}, START)
    world.clock.advance(50_000)
    world.source.before = lambda listed, number: world.clock.advance(20)
    await world.syncer.start("gadget")
    assert (await world.cache.state("gadget")).cursor == iso(START - timedelta(seconds=60))


async def test_freshness_says_since_when_a_listing_fails() -> None:
    world = World()
    spread(world)
    breaks(world, 2)
    begun = iso(world.clock.now())
    await world.fresh.ensure(["gadget"])
    world.clock.advance(600)
    answer = (await world.fresh.ensure(["gadget"]))["gadget"]
    assert (answer.warming, answer.failing_since, answer.reason) == (True, begun, "gadget: a bad page")


async def test_a_failing_parent_is_told_under_its_own_name_and_stops_no_child() -> None:
    world = World()
    world.gadgets(3)
    world.source.broken["makers"] = "no makers today"
    answer = await world.fresh.ensure(["gadget"])
    assert (answer["maker"].failed, answer["maker"].reason) == (True, "maker: no makers today")
    assert (answer["gadget"].failed, answer["gadget"].stale) == (False, False)
    assert len(await world.cached()) == 3


async def test_two_failures_in_a_row_spare_the_rest() -> None:
    world = World()
    world.source.broken |= {"makers": "500", "gadgets": "500"}
    answer = await world.fresh.ensure(["maker", "gadget", "colour", "part"])
    assert [name for name, _ in world.asked()] == ["maker", "gadget"]
    assert all(freshness.failed for freshness in answer.values())


async def test_a_row_that_appeared_late_makes_the_next_deltas_look_back_farther() -> None:
    world = World()
    world.gadgets(3)
    await world.syncer.start("gadget")
    world.clock.advance(300)
    world.source.put("gadget", {"id": 3, "sku": "seen"}, world.clock.now())
    await world.syncer.start("gadget")
    late = world.clock.now() - timedelta(seconds=50)
    world.source.put("gadget", {"id": 2, "sku": "late"}, late)
    await world.syncer.start("gadget")
    assert (await world.cache.state("gadget")).lag == 50
    world.source.put("gadget", {"id": 1, "sku": "later"}, world.clock.now() - timedelta(seconds=105))
    await world.syncer.start("gadget")
    assert await world.cached() == world.truth()


async def test_a_row_that_appears_within_twenty_minutes_is_found_by_the_tenth_delta_at_the_latest() -> None:
    world = World()
    world.gadgets(3)
    for number in range(40):
        world.clock.advance(200)
        world.source.put("gadget", {"id": 3, "sku": f"busy {number}"}, world.clock.now())
        await world.syncer.start("gadget")
        world.source.put("gadget", {"id": 100 + number, "sku": "late"}, world.clock.now() - timedelta(minutes=19))
    for _ in range(10):
        await world.syncer.start("gadget")
    assert await world.cached() == world.truth()


async def test_after_a_pause_the_first_delta_looks_back_far() -> None:
    world = World()
    world.gadgets(3)
    await world.syncer.start("gadget")
    world.source.put("gadget", {"id": 9, "sku": "late"}, START - timedelta(hours=1, minutes=19))
    world.clock.advance(601)
    await world.syncer.start("gadget")
    assert await world.cached() == world.truth()


@pytest.mark.parametrize("jump", [-300, 300])
async def test_a_clock_that_is_wrong_costs_at_most_a_longer_look_back(jump: float) -> None:
    world = World()
    world.gadgets(3)
    await world.syncer.start("gadget")
    cursor = (await world.cache.state("gadget")).cursor
    world.clock.jump(jump)
    await world.syncer.start("gadget")
    await settled()
    state = await world.cache.state("gadget")
    assert state.cursor == cursor
    assert replace(state, cursor=None) != state
