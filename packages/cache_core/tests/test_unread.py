"""Fields that could not be read: noted once, read again until they are well, and without effect on versions."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sync_world import World

from cache_core.records import iso
from cache_core.spec import Listed
from cache_core.states import SyncState, UnreadField
from cache_core.sync import SourcePage
from cache_core.sync.unread import MOST_NAMED, counted, noted, to_read_again
from cache_core.testing import START


def odd(world: World, *ids: int, **fields: object) -> None:
    """Send these gadgets with these fields from now on, which nobody can read."""

    def spoil(listed: Listed, number: int, page: SourcePage) -> SourcePage:
        records = [{**record, **fields} if record["id"] in ids else record for record in page.records]
        there = [record_id for record_id in ids if record_id in {record["id"] for record in page.records}]
        return replace(page, records=records, unread=dict.fromkeys(there, tuple(fields)))

    world.source.tamper = spoil


async def unread(world: World) -> tuple[UnreadField, ...]:
    return (await world.cache.state("gadget")).unread


@pytest.mark.parametrize("sent", ["~", "zzz", "", "9999", "2026-03-01", 7, None, {}, ["x"]], ids=repr)
async def test_an_unreadable_version_moves_neither_the_stored_one_nor_the_cursor(sent: object) -> None:
    world = World()
    world.gadgets(3)
    await world.syncer.start("gadget")
    world.source.put("gadget", {"id": 2, "sku": "new"}, START)
    await world.syncer.start("gadget")
    before = await world.cache.state("gadget")
    odd(world, 2, updated_at=sent, colour="blue")
    await world.syncer.start("gadget")
    (row,) = (await world.cache.get_many("gadget", [2])).rows
    assert (row.version, row.record["updated_at"], row.record["colour"]) == (iso(START), sent, "blue")
    assert (await world.cache.state("gadget")).cursor == before.cursor
    world.source.put("gadget", {"id": 2, "sku": "old"}, START - timedelta(minutes=1))
    world.source.tamper = lambda listed, number, page: page
    assert await world.syncer.fetch("gadget", [2])
    (row,) = (await world.cache.get_many("gadget", [2])).rows
    assert (row.version, row.record["sku"]) == (iso(START), "new")


async def test_a_field_that_could_not_be_read_is_noted_once_and_heals_without_a_new_version() -> None:
    world = World()
    world.gadgets(300)
    odd(world, 7, 8, sku=["?"])
    outcome = await world.syncer.start("gadget")
    assert (outcome.complete, outcome.quarantined) == (True, 0)
    assert await unread(world) == (UnreadField("sku", (8, 7)),)
    world.source.put("gadget", {"id": 300, "sku": "later"}, START)
    await world.syncer.start("gadget")
    world.asked()
    await world.syncer.start("gadget")
    assert world.asked() == [("gadget", 1), ("gadget", 0)]
    odd(world, 8, sku=["?"])
    await world.syncer.start("gadget")
    assert await unread(world) == (UnreadField("sku", (8,)),)
    world.source.tamper = lambda listed, number, page: page
    await world.syncer.start("gadget")
    assert await unread(world) == ()
    assert 8 in await world.found("G-8")
    world.asked()
    await world.syncer.start("gadget")
    assert world.asked() == [("gadget", 1)]


async def test_a_form_that_many_records_have_is_that_of_the_account_and_costs_no_further_request() -> None:
    world = World()
    world.gadgets(MOST_NAMED + 50)
    odd(world, *range(1, MOST_NAMED + 51), colour={"a": 1})
    await world.syncer.start("gadget")
    (field,) = await unread(world)
    assert (field.field, len(field.ids), field.more) == ("colour", MOST_NAMED, True)
    world.source.put("gadget", {"id": 1, "sku": "later"}, START)
    await world.syncer.start("gadget")
    world.asked()
    await world.syncer.start("gadget")
    assert world.asked() == [("gadget", 1)]


async def test_a_record_that_is_gone_takes_its_note_along() -> None:
    world = World()
    world.gadgets(3)
    odd(world, 2, sku=7)
    await world.syncer.start("gadget")
    assert await unread(world) == (UnreadField("sku", (2,)),)
    world.source.drop("gadget", 2)
    await world.syncer.start("gadget")
    await world.syncer.start("gadget")
    assert await unread(world) == ()


def test_a_whole_listing_counts_anew() -> None:
    many = noted(SyncState(), range(1, 400), dict.fromkeys(range(1, 400), ("x",)))
    assert many.unread[0].more
    assert to_read_again(many, 250) == []
    few = noted(many, range(1, 400), {7: ("x",)})
    assert few.unread == (UnreadField("x", (7,), more=True),)
    assert counted(few).unread == (UnreadField("x", (7,)),)
    assert to_read_again(counted(few), 250) == [7]
    assert counted(noted(few, range(1, 400), {})).unread == ()
