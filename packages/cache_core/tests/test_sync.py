import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sync_world import World, settled

from cache_core.clock import Clock
from cache_core.conditions import EVERYTHING
from cache_core.protocol import Search
from cache_core.spec import Listed
from cache_core.sync import SourcePage, Window
from cache_core.testing import START, FakeSource


async def test_a_cold_sync_of_n_records_takes_one_request_per_250() -> None:
    world = World()
    world.gadgets(700)
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.requests) == (True, 3)
    assert await world.cached() == world.truth()


async def test_an_empty_collection_takes_one_request() -> None:
    world = World()
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.requests) == (True, 1)


async def test_more_than_a_hundred_pages_come_whole() -> None:
    world = World()
    world.gadgets(25_300)
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.requests) == (True, 102)
    assert len(await world.cached()) == 25_300


async def test_a_delta_asks_from_the_cursor_less_the_look_back() -> None:
    world = World()
    world.gadgets(3)
    await world.syncer.start("gadget")
    await world.syncer.start("gadget")
    assert [since for _, _, since in world.source.requests] == [None, "2026-03-02T06:59:00.000Z"]


async def test_a_skewed_local_clock_does_not_move_the_cursor() -> None:
    world = World()
    world.gadgets(3)
    world.clock.jump(3600 * 24 * 365)
    await world.syncer.start("gadget")
    assert (await world.cache.state("gadget")).cursor == "2026-03-02T07:00:00.000Z"


async def test_an_edit_upstream_arrives_with_the_next_delta() -> None:
    world = World()
    world.gadgets(300)
    await world.syncer.start("gadget")
    world.source.put("gadget", {"id": 5, "sku": "NEW"}, START)
    await world.syncer.start("gadget")
    assert (await world.cache.find_by_key("gadget", "NEW")).row is not None


@pytest.mark.parametrize("page", [1, 2, 3])
async def test_a_killed_cold_sync_goes_on_at_its_page(page: int) -> None:
    world = World()
    world.gadgets(700)

    def kill(_: Listed, number: int) -> None:
        world.source.down = "cut" if number == page and len(world.source.requests) == page - 1 else None

    world.source.before = kill
    assert not (await world.syncer.start("gadget")).complete
    world.start()
    assert (await world.syncer.start("gadget")).complete
    assert [number for _, number, _ in world.source.requests] == [*range(1, page + 1), *range(page, 4)]
    assert await world.cached() == world.truth()


async def test_a_hard_delete_behind_the_reader_is_repaired_without_starting_over() -> None:
    world = World()
    world.gadgets(1000)

    def delete(_: Listed, number: int) -> None:
        if number == 3 and 990 in world.source.rows("gadget"):
            world.source.drop("gadget", 990)

    world.source.before = delete
    outcome = await world.syncer.start("gadget")
    assert [number for _, number, _ in world.source.requests] == [1, 2, 3, 2, 3, 4]
    assert outcome.complete
    assert world.truth().items() <= (await world.cached()).items()


async def test_a_missing_total_is_asked_for_again_and_then_said_to_be_incomplete() -> None:
    world = World()
    world.gadgets(300)
    world.source.tamper = lambda spec, number, page: replace(page, total=None) if number == 2 else page
    outcome = await world.syncer.start("gadget")
    state = await world.cache.state("gadget")
    assert (outcome.complete, outcome.requests) == (False, 4)
    assert state.incomplete == "Katana sent a page without its total"
    assert (state.cursor, state.completed_at) == (None, None)
    assert len(await world.cached()) == 300


async def test_an_incomplete_listing_goes_on_where_it_stood() -> None:
    world = World()
    world.gadgets(700)
    world.source.tamper = lambda spec, number, page: SourcePage([], page.total) if number == 2 else page
    await world.syncer.start("gadget")
    world.source.tamper = lambda spec, number, page: page
    asked = len(world.source.requests)
    assert (await world.syncer.start("gadget")).complete
    assert [number for _, number, _ in world.source.requests[asked:]] == [2, 3]
    assert (await world.cache.state("gadget")).incomplete is None


async def test_an_edit_in_the_middle_of_a_long_listing_is_not_lost() -> None:
    world = World()
    world.gadgets(600)

    def edit(_: Listed, number: int) -> None:
        world.clock.advance(300)
        if number == 2 and len(world.source.requests) < 3:
            world.source.put("gadget", {"id": 600, "sku": "EDITED"}, world.clock.now())
            world.source.put("gadget", {"id": 1, "sku": "LATER"}, world.clock.now() + timedelta(seconds=200))

    world.source.before = edit
    await world.syncer.start("gadget")
    await world.syncer.start("gadget")
    assert await world.cached() == world.truth()


async def test_a_record_without_an_id_goes_to_quarantine_and_stops_nothing() -> None:
    world = World()
    world.gadgets(3)
    world.source.tamper = lambda spec, number, page: replace(page, records=[{"sku": "X"}, *page.records])
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.quarantined) == (True, 1)
    (poison,) = await world.cache.quarantined("gadget")
    assert poison.reason == "id: an integer or a text is required"
    assert len(await world.cached()) == 3


async def test_a_collection_without_a_watermark_loses_what_a_complete_listing_no_longer_holds() -> None:
    world = World()
    for number in (1, 2, 3):
        world.source.put("colour", {"id": number, "name": f"c{number}"}, START - timedelta(days=number))
    await world.syncer.start("colour")
    world.source.drop("colour", 2)
    await world.syncer.start("colour")
    assert sorted(map(str, await world.cached("colour"))) == ["1", "3"]


async def test_a_renamed_parent_is_followed_by_the_text_of_its_children() -> None:
    world = World()
    world.source.put("maker", {"id": 1, "name": "Acme"}, START)
    world.source.put("gadget", {"id": 7, "sku": "G", "maker_id": 1}, START)
    await world.fresh.ensure(["gadget"], wait=60)
    world.source.put("maker", {"id": 1, "name": "Globex"}, START + timedelta(minutes=1))
    await world.syncer.start("maker")
    assert [hit.row.id for hit in (await world.cache.search("gadget", Search("globex"))).hits] == [7]
    assert (await world.cache.search("gadget", Search("acme"))).hits == ()


async def test_children_are_archived_with_their_parent() -> None:
    world = World()
    world.source.put("maker", {"id": 1, "name": "Acme"}, START)
    world.source.put("gadget", {"id": 7, "sku": "G", "maker_id": 1}, START)
    await world.fresh.ensure(["gadget"], wait=60)
    world.source.put("maker", {"id": 1, "archived_at": "2026-03-02T08:00:00.000Z"}, START + timedelta(minutes=1))
    await world.syncer.start("maker")
    assert await world.cache.count("gadget") == 0
    assert await world.cache.count("gadget", (), EVERYTHING) == 1


async def test_children_synced_before_their_parent_get_its_name_later() -> None:
    world = World()
    world.source.put("maker", {"id": 1, "name": "Acme"}, START)
    world.source.put("gadget", {"id": 7, "sku": "G", "maker_id": 1}, START)
    await world.syncer.start("gadget")
    assert (await world.cache.search("gadget", Search("acme"))).hits == ()
    await world.syncer.start("maker")
    assert len((await world.cache.search("gadget", Search("acme"))).hits) == 1


async def test_two_hundred_readers_share_one_sync() -> None:
    world = World()
    world.gadgets(3)
    await asyncio.gather(*(world.fresh.ensure(["gadget"]) for _ in range(200)))
    assert len(world.source.requests) == 2  # one page of makers, one of gadgets


async def test_what_a_reader_has_already_is_neither_asked_for_nor_waited_for_and_its_texts_follow() -> None:
    world = World()
    world.source.put("maker", {"id": 1, "name": "Acme"}, START)
    world.source.put("gadget", {"id": 7, "sku": "G", "maker_id": 1}, START)
    fresh = await world.fresh.ensure(["gadget"], without=["maker"])
    assert [name for name, _ in world.asked()] == ["gadget"]
    assert (fresh["gadget"].warming, fresh["maker"].warming, fresh["maker"].failed) == (False, True, False)
    assert not (await world.cache.search("gadget", Search("acme"))).hits
    await world.fresh.ensure(["gadget"])
    assert [name for name, _ in world.asked()] == ["maker"]
    assert [hit.row.id for hit in (await world.cache.search("gadget", Search("acme"))).hits] == [7]


async def test_a_fresh_read_asks_nothing_and_an_old_one_asks_one_delta_each() -> None:
    world = World()
    world.gadgets(3)
    await world.fresh.ensure(["gadget"])
    asked = len(world.source.requests)
    world.clock.advance(119)
    await world.fresh.ensure(["gadget"])
    assert len(world.source.requests) == asked
    world.clock.advance(2)
    answer = await world.fresh.ensure(["gadget"])
    assert len(world.source.requests) == asked + 2
    assert not answer["gadget"].stale


async def test_a_source_that_is_down_leaves_the_rows_readable_and_says_so() -> None:
    world = World()
    world.gadgets(3)
    await world.fresh.ensure(["gadget"])
    world.clock.advance(600)
    world.source.down = "Katana is down"
    answer = (await world.fresh.ensure(["gadget"]))["gadget"]
    assert (answer.stale, answer.reason) == (True, "Katana is down")
    assert len(await world.cached()) == 3


async def test_a_source_that_is_down_is_not_asked_again_at_once() -> None:
    world = World()
    world.source.down = "Katana is down"
    await world.fresh.ensure(["gadget"])
    asked = len(world.source.requests)
    answer = (await world.fresh.ensure(["gadget"]))["gadget"]
    assert len(world.source.requests) == asked
    assert (answer.warming, answer.reason) == (True, "Katana is down")
    world.clock.advance(16)
    world.source.down = None
    assert not (await world.fresh.ensure(["gadget"]))["gadget"].warming


async def test_a_source_that_is_down_is_asked_once_and_not_for_each_entity() -> None:
    world = World()
    world.source.down = "Katana is down"
    answer = await world.fresh.ensure(["gadget"])
    assert [entity for entity, _, _ in world.source.requests] == ["maker"]
    assert (answer["gadget"].failed, answer["gadget"].reason) == (True, "Katana is down")


async def test_an_id_sent_twice_is_no_proof() -> None:
    world = World()
    world.gadgets(300)
    world.source.tamper = lambda spec, number, page: replace(page, records=[*page.records[1:], page.records[1]])
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.reason) == (
        False,
        "page 1 held 249 of 250 records (Katana reports 300 in all)",
    )


async def test_a_total_that_flips_ends_as_incomplete_and_not_never() -> None:
    world = World()
    world.gadgets(600)
    world.source.tamper = lambda spec, number, page: replace(page, total=600 - len(world.source.requests) % 2)
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.reason) == (False, "the total that Katana reports keeps changing")
    assert outcome.requests < 60


async def test_a_version_in_the_far_future_does_not_stop_the_others() -> None:
    world = World()
    world.gadgets(3)
    world.source.rows("gadget")[2]["updated_at"] = "9999-12-31T23:59:59.000Z"
    await world.syncer.start("gadget")
    world.source.put("gadget", {"id": 3, "sku": "NEW"}, START)
    await world.syncer.start("gadget")
    assert (await world.cache.find_by_key("gadget", "NEW")).row is not None


async def test_a_kill_between_children_and_their_parent_loses_no_borrowed_text() -> None:
    world = World()
    world.source.put("maker", {"id": 1, "name": "Acme"}, START)
    world.source.put("gadget", {"id": 7, "sku": "G", "maker_id": 1}, START)
    await world.fresh.ensure(["gadget"], wait=60)
    world.source.put("maker", {"id": 1, "name": "Globex"}, START + timedelta(minutes=1))
    world.cache.dies_before = "maker"
    with pytest.raises(asyncio.CancelledError):
        await world.syncer.start("maker")
    world.start()
    world.cache.dies_before = None
    await world.syncer.start("maker")
    assert [hit.row.id for hit in (await world.cache.search("gadget", Search("globex"))).hits] == [7]


async def test_a_cache_that_cannot_be_written_still_answers_with_what_it_holds() -> None:
    world = World()
    world.gadgets(3)
    await world.fresh.ensure(["gadget"])
    world.clock.advance(600)
    world.cache.full = True
    answer = (await world.fresh.ensure(["gadget"]))["gadget"]
    assert (answer.stale, answer.reason) == (True, "the cache cannot be written: the disk is full")


class _Slow(FakeSource):
    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        await self._clock.sleep(30)
        return await super().page(listed, window, since)


async def test_a_read_never_waits_longer_than_its_patience_and_the_sync_goes_on() -> None:
    world = World()
    slow = _Slow(world.clock)
    slow.put("colour", {"id": 1, "name": "red"}, START)
    world.source = slow
    world.start()
    reading = asyncio.create_task(world.fresh.ensure(["colour"]))
    await settled()
    world.clock.advance(8.1)
    await settled()
    assert reading.done()
    answer = (await reading)["colour"]
    assert (answer.warming, answer.as_of) == (True, None)
    world.clock.advance(30)
    await settled()
    assert await world.cache.count("colour") == 1


async def test_a_cancelled_reader_does_not_stop_the_sync_of_the_others() -> None:
    world = World()
    slow = _Slow(world.clock)
    slow.put("colour", {"id": 1, "name": "red"}, START)
    world.source = slow
    world.start()
    first, second = (asyncio.create_task(world.fresh.ensure(["colour"], wait=100)) for _ in range(2))
    await settled()
    first.cancel()
    await asyncio.sleep(0)
    world.clock.advance(31)
    assert not (await second)["colour"].warming
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_listing_from_the_future_counts_as_old() -> None:
    world = World()
    world.gadgets(1)
    await world.fresh.ensure(["gadget"])
    asked = len(world.source.requests)
    world.clock.jump(-3600)
    await world.fresh.ensure(["gadget"])
    assert len(world.source.requests) > asked


async def test_an_id_that_cannot_be_written_goes_to_quarantine_without_it() -> None:
    world = World()
    world.gadgets(3)
    world.source.tamper = lambda spec, number, page: replace(page, records=[{"id": "\ud800"}, *page.records])
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.quarantined) == (True, 1)
    assert [poison.id for poison in await world.cache.quarantined("gadget")] == [None]
    assert len(await world.cached()) == 3
