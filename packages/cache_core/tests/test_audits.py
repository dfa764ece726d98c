"""Hard deletions and missing records: found without a tombstone, in small steps, and never on moving ground."""

from dataclasses import replace
from datetime import timedelta
from typing import Literal

import pytest
from sync_world import SPECS, World, settled

from cache_core.errors import SourceUnavailable
from cache_core.protocol import Batch, Quarantined
from cache_core.records import iso
from cache_core.spec import Listed
from cache_core.sync import SourcePage, Syncer
from cache_core.testing import START


async def cached(world: World, count: int = 600) -> None:
    """Make an account of this many gadgets, of which the newest is a day younger, and sync it."""
    for number in range(1, count + 1):
        world.source.put("gadget", {"id": number, "sku": f"G-{number}"}, START - timedelta(days=2))
    world.source.put("gadget", {"id": count, "sku": "newest"}, START - timedelta(days=1))
    await world.syncer.start("gadget")
    world.asked()


async def test_hard_deletions_leave_the_cache_and_missing_records_come_back() -> None:
    world = World()
    await cached(world)
    for number in (1, 250, 251, 599):
        world.source.drop("gadget", number)
    lost = [7, 300]
    await world.cache.apply(Batch(entity="gadget", at=iso(world.clock.now()), removed=lost))
    outcome = await world.syncer.audit("gadget")
    assert outcome.complete
    assert await world.cached() == world.truth()


@pytest.mark.parametrize("count", [600, 750])
async def test_an_audit_that_finds_nothing_costs_a_request_per_250_and_one(count: int) -> None:
    world = World()
    await cached(world, count)
    outcome = await world.syncer.audit("gadget")
    assert outcome.requests == len(world.asked()) == 4
    assert (await world.cache.state("gadget")).audit.completed_at == iso(world.clock.now())


async def test_ids_of_any_length_are_audited_in_as_few_requests_as_name_them() -> None:
    world = World()
    names = [f"gadget-{number:029}" for number in range(1, 251)]
    for name in names:
        world.source.put("gadget", {"id": name, "sku": name[-4:]}, START - timedelta(days=2))
    world.source.put("gadget", {"id": names[1], "sku": "newest"}, START - timedelta(days=1))
    await world.syncer.start("gadget")
    world.asked()
    for name in (names[0], names[120], names[-1]):
        world.source.drop("gadget", name)
    outcome = await world.syncer.audit("gadget")
    assert await world.cached() == world.truth()
    # 97 ids of 36 characters fit one request; the fourth compares the totals.
    assert (outcome.requests, len(world.asked())) == (4, 4)


async def test_a_day_after_the_last_one_each_sync_is_followed_by_some_steps() -> None:
    world = World()
    await cached(world, 2_000)
    world.source.drop("gadget", 3)
    world.source.drop("gadget", 1_999)
    world.source.put("gadget", {"id": 5_000, "sku": "new"}, START)
    world.source.put("gadget", {"id": 5_001, "sku": "new"}, START)
    world.clock.advance(24 * 3600)
    steps: list[int] = []
    for _ in range(4):
        await world.syncer.start("gadget")
        await settled()
        steps.append(len(world.asked()) - 1)
    assert steps == [4, 4, 3, 0]
    assert await world.cached() == world.truth()


async def test_within_the_hour_nothing_is_asked_and_then_the_totals_once() -> None:
    world = World()
    await cached(world)
    world.clock.advance(3500)
    await world.syncer.start("gadget")
    await settled()
    assert world.asked() == [("gadget", 1)]
    world.clock.advance(200)
    await world.syncer.start("gadget")
    await settled()
    assert world.asked() == [("gadget", 1), ("gadget", 1)]


async def test_a_total_that_differs_begins_an_audit_at_once() -> None:
    world = World()
    await cached(world)
    world.source.drop("gadget", 5)
    world.clock.advance(3700)
    await world.syncer.start("gadget")
    await settled()
    assert await world.cached() == world.truth()


async def test_a_young_row_that_is_not_given_is_doubted_first_and_asked_again() -> None:
    world = World()
    await cached(world)
    await world.syncer.write_through("gadget", {"id": 9_000, "sku": "ours", "updated_at": iso(world.clock.now())})
    await world.syncer.audit("gadget")
    assert 9_000 in await world.cached()
    world.clock.advance(20 * 60)
    await world.syncer.start("gadget")
    await settled()
    assert 9_000 not in await world.cached()


async def test_a_row_that_only_lagged_stays() -> None:
    world = World()
    await cached(world)
    ours = {"id": 9_000, "sku": "ours"}
    await world.syncer.write_through("gadget", ours | {"updated_at": iso(world.clock.now())})
    await world.syncer.audit("gadget")
    world.source.put("gadget", ours, world.clock.now())
    world.clock.advance(20 * 60)
    await world.syncer.start("gadget")
    await settled()
    assert await world.cached() == world.truth()
    assert (await world.cache.state("gadget")).audit.doubted == ()


async def test_an_answer_that_may_be_short_proves_nothing_gone() -> None:
    world = World()
    await cached(world)

    def shorten(listed: Listed, number: int, page: SourcePage) -> SourcePage:
        return SourcePage(page.records[1:], page.total) if number == 0 else page

    world.source.tamper = shorten
    await world.syncer.audit("gadget")
    assert len(await world.cached()) == 600


@pytest.mark.parametrize("broken_off", [1, 2, 3])
async def test_an_audit_goes_on_where_it_was_broken_off(broken_off: int) -> None:
    world = World()
    await cached(world)
    world.source.drop("gadget", 10)
    world.source.drop("gadget", 590)

    def cut(listed: Listed, number: int) -> None:
        world.source.down = "cut" if len(world.source.requests) == broken_off else None

    world.source.before = cut
    with pytest.raises(SourceUnavailable):
        await world.syncer.audit("gadget")
    world.source.before = lambda listed, number: None
    world.source.down = None
    world.start()
    await world.syncer.audit("gadget")
    assert len(world.asked()) == 5
    assert await world.cached() == world.truth()


async def test_a_record_in_quarantine_is_no_missing_one() -> None:
    world = World()
    await cached(world)
    world.source.put("gadget", {"id": 700}, START)
    poison = Quarantined(700, "bad", "{}")

    def spoil(listed: Listed, number: int, page: SourcePage) -> SourcePage:
        good = [record for record in page.records if record["id"] != 700]
        return SourcePage(good, page.total, [poison] if len(good) < len(page.records) else [])

    world.source.tamper = spoil
    await world.syncer.start("gadget")
    world.asked()
    outcome = await world.syncer.audit("gadget")
    assert outcome.requests == 4


async def test_documents_lose_children_that_were_deleted_without_a_trace() -> None:
    world = World()
    world.source.put("part", {"id": 1, "rows": [{"id": 1}, {"id": 2}]}, START - timedelta(days=1))
    world.source.put("part", {"id": 2, "rows": []}, START)
    await world.syncer.start("part")
    world.source.alter("part", {"id": 1, "rows": [{"id": 2}]})
    await world.syncer.audit("part")
    (row,) = (await world.cache.get_many("part", [1])).rows
    assert row.record["rows"] == [{"id": 2}]


@pytest.mark.parametrize("way", ["get", "full_list"])
async def test_a_collection_that_cannot_be_asked_by_ids_is_listed_whole(way: Literal["get", "full_list"]) -> None:
    world = World()
    await cached(world)
    specs = [replace(spec, fetch_by=way) for spec in SPECS]
    world.syncer = Syncer(specs, world.source, world.cache, world.clock)
    world.source.drop("gadget", 10)
    await world.cache.apply(Batch(entity="gadget", at=iso(world.clock.now()), removed=[7]))
    outcome = await world.syncer.audit("gadget")
    assert outcome.requests == 4
    assert await world.cached() == world.truth()


async def test_an_audit_goes_on_behind_a_row_that_it_has_just_removed() -> None:
    world = World()
    await cached(world)
    world.source.drop("gadget", 250)
    await world.syncer.audit("gadget")
    assert await world.cached() == world.truth()


async def test_a_young_row_that_no_listing_holds_goes_without_any_newer_row() -> None:
    world = World()
    for number in (1, 2, 3):
        world.source.put("recipe", {"id": number}, START)
    await world.syncer.start("recipe")
    world.source.drop("recipe", 2)
    await world.syncer.audit("recipe")
    assert 2 in await world.cached("recipe")
    world.clock.advance(20 * 60)
    await world.syncer.start("recipe")
    await settled()
    assert await world.cached("recipe") == world.truth("recipe")
    assert (await world.cache.state("recipe")).audit.doubted == ()


async def test_the_text_of_a_parent_that_vanished_goes_with_it() -> None:
    world = World()
    world.source.put("maker", {"id": 1, "name": "Acme", "archived_at": iso(START)}, START - timedelta(days=1))
    world.source.put("maker", {"id": 2, "name": "Globex"}, START)
    world.source.put("gadget", {"id": 7, "sku": "G-7", "maker_id": 1}, START)
    await world.fresh.ensure(["gadget"], wait=60)
    assert await world.found("g-7") == []
    world.source.drop("maker", 1)
    await world.syncer.audit("maker")
    assert await world.found("acme") == []
    assert await world.found("g-7") == [7]


async def test_what_each_sync_reads_whole_is_not_audited_beside_it() -> None:
    world = World()
    world.source.put("colour", {"id": 1, "name": "red"}, START)
    await world.syncer.start("colour")
    world.source.down = "cut"
    with pytest.raises(SourceUnavailable):
        await world.syncer.audit("colour")
    world.source.down = None
    world.asked()
    await world.syncer.start("colour")
    await settled()
    assert len(world.asked()) == 1
