"""What a syncer says of what runs and of what it was asked to store, and what a read says of its rows."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest
from sync_world import World, settled

from cache_core.protocol import Batch, Quarantined, SyncState
from cache_core.records import iso
from cache_core.spec import Listed
from cache_core.states import Checkpoint, UnreadField
from cache_core.sync import Freshness, Part, Progress, SourcePage, SyncOutcome, Window
from cache_core.testing import START

NOW = iso(START)
BROKEN_OFF = Checkpoint(3, 700, None, None, None)


@pytest.mark.parametrize(
    ("state", "progress"),
    [
        (SyncState(), None),
        (SyncState(checkpoint=BROKEN_OFF), Progress("gadget", 500, 700)),
        (SyncState(checkpoint=BROKEN_OFF, completed_at=NOW), None),
        (SyncState(completed_at=NOW), None),
    ],
    ids=["nothing", "broken off", "broken off later", "whole"],
)
async def test_a_first_listing_that_was_broken_off_is_told_while_none_runs(
    state: SyncState, progress: Progress | None
) -> None:
    syncer = World().syncer
    assert (syncer.progress("gadget"), syncer.warming("gadget", state)) == (None, progress)


async def test_the_listing_that_runs_is_told_whatever_is_stored() -> None:
    world = World()
    world.gadgets(300)
    told: list[Progress] = []
    found: list[tuple[Progress | None, Progress | None, Progress | None]] = []
    stop = world.syncer.listen(told.append)

    def look(listed: Listed, number: int) -> None:
        if number == 2:
            states = (SyncState(completed_at=NOW), SyncState(checkpoint=BROKEN_OFF))
            found.append(
                (
                    world.syncer.progress("gadget"),
                    world.syncer.warming("gadget", states[0]),
                    world.syncer.warming("gadget", states[1]),
                )
            )

    world.source.before = look
    await world.syncer.start("gadget")
    await settled()
    first = Progress("gadget", 250, 300)
    assert (found, world.syncer.progress("gadget"), told[0]) == ([(first, first, first)], None, first)
    stop()
    told.clear()
    await world.syncer.start("colour")
    assert told == []


async def test_what_was_written_through_is_said_to_be_shown_and_known_as_ours() -> None:
    world = World()
    syncer, record = world.syncer, {"id": 1, "name": "Acme", "updated_at": NOW}
    assert await syncer.write_through("maker", record) is True
    assert await syncer.write_through("maker", {**record, "updated_at": iso(START - timedelta(1))}) is False
    assert (syncer.wrote("maker", 1), syncer.wrote("maker", 2), syncer.wrote("gadget", 1)) == (True, False, False)
    assert (await syncer.delete_through("maker", 1), await syncer.delete_through("maker", 2)) == (True, False)
    (row,) = (await world.cache.get_many("maker", [1])).rows
    assert row.record["deleted_at"] == NOW


async def test_what_an_answer_lacks_of_a_document_decides_whether_it_is_shown() -> None:
    world = World()
    syncer = world.syncer
    answer = {"id": 1, "name": "new", "updated_at": NOW}
    assert await syncer.write_through("part", answer, knows=[]) is False
    assert await syncer.write_through("part", answer, knows=[], is_new=True) is True
    assert await syncer.write_through("part", {**answer, "id": 2}, knows=["rows"]) is True
    assert list(await world.cached("part")) == [2, 1]


async def test_a_part_is_shown_in_its_document_and_read_back_with_it() -> None:
    world = World()
    syncer, row = world.syncer, {"id": 5, "part_id": 1, "updated_at": NOW}
    part = Part("part_rows", row)
    assert await syncer.put_part("part", 1, part) is False
    await syncer.write_through("part", {"id": 1, "rows": [], "updated_at": NOW})
    assert await syncer.put_part("part", 1, part) is True
    (shown,) = (await world.cache.get_many("part", [1])).rows
    assert shown.record["rows"] == [row]
    world.source.put("part", {"id": 1, "rows": []}, START)
    assert await syncer.read_back("part", 1, [part]) is False
    world.source.put("part", {"id": 1, "rows": [row]}, START)
    assert await syncer.read_back("part", 1, [part]) is True


async def test_an_audit_after_a_sync_is_a_task_that_closing_stops() -> None:
    world = World()
    world.gadgets(1)
    await world.syncer.start("gadget")
    world.clock.advance(3_600)
    seen: list[asyncio.Task[object]] = []

    async def silent(listed: Listed, window: Window, since: str | None) -> SourcePage:
        seen.extend(task for task in asyncio.all_tasks() if task.get_name() == "audits")
        if seen:
            await asyncio.Event().wait()
        return SourcePage([], 0) if since else SourcePage([], 1)

    world.source.page = silent
    assert (await world.syncer.start("gadget")).complete
    await settled()
    (audit,) = seen
    await world.syncer.close()
    assert audit.cancelled()


async def test_a_sync_counts_what_changed_and_what_could_not_be_kept() -> None:
    world = World()
    world.source.put("colour", {"id": 1, "name": "red"}, START)
    world.source.put("colour", {"id": 2, "name": "blue"}, START)

    def spoil(listed: Listed, number: int, page: SourcePage) -> SourcePage:
        return SourcePage(page.records, 3, [Quarantined(9, "bad", "{}")])

    world.source.tamper = spoil
    assert await world.syncer.start("colour") == SyncOutcome("colour", True, 1, 2, 1)
    assert await world.syncer.start("colour") == SyncOutcome("colour", True, 1, 0, 1)


async def test_a_read_says_what_is_quarantined_unread_and_failing() -> None:
    world = World()
    unread = (UnreadField("size", (1,)),)
    state = SyncState(completed_at=NOW, unread=unread, failing_since=NOW, incomplete="cut", failures=1)
    await world.cache.apply(Batch(entity="colour", at=NOW, state=state, quarantine=[Quarantined(1, "bad", "{}")]))
    await world.cache.apply(Batch(entity="maker", at=NOW, state=SyncState(checkpoint=BROKEN_OFF)))
    world.clock.advance(1)
    answer = await world.fresh.ensure(["colour", "maker"], without=["maker"])
    assert answer == {
        "maker": Freshness(
            "maker",
            None,
            stale=True,
            reason="Katana took longer to answer than these rows stay fresh",
            done=500,
            total=700,
        ),
        "colour": Freshness("colour", NOW, failing_since=NOW, quarantined=True, unread=unread),
    }
    world.clock.advance(120)
    old = await world.fresh.ensure(["colour"], without=["colour"])
    assert old["colour"] == Freshness(
        "colour", NOW, stale=True, reason="cut", failing_since=NOW, quarantined=True, unread=unread
    )


@pytest.mark.parametrize(("seconds", "is_due"), [(0, False), (-0.001, True), (-3600, True)])
async def test_a_listing_from_the_future_is_as_old_as_can_be(seconds: float, *, is_due: bool) -> None:
    world = World()
    due = list[Sequence[str]]()
    await world.cache.apply(Batch(entity="colour", at=NOW, state=SyncState(completed_at=NOW)))
    world.clock.jump(seconds)
    await world.fresh.ensure(["colour"], on_due=lambda names, cold: due.append(names))
    assert due == ([["colour"]] if is_due else [])


async def test_two_reads_at_once_ask_once() -> None:
    world = World()
    await asyncio.gather(world.fresh.ensure(["colour"]), world.fresh.ensure(["colour", "maker"]))
    assert sorted(world.asked()) == [("colour", 1), ("maker", 1)]
