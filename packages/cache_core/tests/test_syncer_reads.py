"""What a syncer reads besides its listings, from which source, and what it says when that fails."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest
from sync_world import SPECS, World, settled

from cache_core.errors import CacheUnavailable
from cache_core.leases import Claim
from cache_core.protocol import Batch, SyncState
from cache_core.records import RecordId, iso
from cache_core.spec import EntitySpec, Listed
from cache_core.states import Checkpoint
from cache_core.sync import Progress, SourcePage, Syncer, SyncOutcome, Window
from cache_core.testing import START, FakeSource

NOW = iso(START)


class Journal(FakeSource):
    """A source that notes each request as it is asked, and takes two ids or keys at once."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[object, ...]] = []
        self.longest_filter = len("ids=1&ids=2&")

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        self.asked.append((listed.name, window, since))
        return await super().page(listed, window, since)

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        self.asked.append((spec.name, [*ids]))
        if 9 in ids:
            self.down = "nine is missing"
        return await super().records(spec, ids)

    async def with_keys(self, spec: EntitySpec, keys: Sequence[str], field: str | None = None) -> SourcePage:
        self.asked.append((spec.name, field, [*keys]))
        if "9" in keys:
            self.down = "nine is missing"
        return await super().with_keys(spec, keys, field)


class Live(World):
    """The world with a source of its own for what somebody waits for."""

    def __init__(self) -> None:
        super().__init__()
        self.live = Journal()
        self.syncer = Syncer(SPECS, self.source, self.cache, self.clock, self.live)

    async def why(self, done: bool) -> tuple[bool, str | None]:
        """Return whether a reading worked, and what is said of it."""
        return done, self.syncer.why_unread("gadget")


async def test_records_are_read_by_ids_from_the_live_source_until_one_batch_fails() -> None:
    world = Live()
    world.live.put("gadget", {"id": 1}, START)
    assert await world.why(await world.syncer.fetch("gadget", [1, 2, 3])) == (True, None)
    assert await world.why(await world.syncer.fetch("gadget", [4, 9, 5])) == (False, "nine is missing")
    world.live.down = None
    assert await world.why(await world.syncer.fetch("gadget", [])) == (True, "nine is missing")
    assert await world.why(await world.syncer.fetch("gadget", [1])) == (True, None)
    asked = [[1, 2], [3], [4, 9], [1]]
    assert (world.live.asked, world.source.requests) == ([("gadget", ids) for ids in asked], [])
    assert (await world.cached(), await world.cache.state("gadget")) == ({1: NOW}, SyncState())


@pytest.mark.parametrize(("seconds", "left"), [(1_199, {1, 2, 3}), (1_200, {1, 3})])
async def test_records_that_are_gone_leave_the_cache_where_that_is_wished_and_no_replica_may_lag(
    seconds: int, left: set[RecordId]
) -> None:
    world = World()
    for number in (1, 2):
        world.source.put("gadget", {"id": number}, START)
    world.source.put("gadget", {"id": 3}, START + timedelta(seconds=seconds))
    await world.syncer.start("gadget")
    world.source.drop("gadget", 2)
    assert await world.syncer.fetch("gadget", [1, 2])
    assert (await world.cached()).keys() == {1, 2, 3}
    assert await world.syncer.fetch("gadget", [1, 2], remove_absent=True)
    assert (await world.cached()).keys() == left


async def test_what_a_write_of_ours_may_have_deleted_is_marked_as_deleted_however_young_it_is() -> None:
    world = World()
    for number in (1, 2, 3):
        world.source.put("gadget", {"id": number}, START)
    await world.syncer.start("gadget")
    world.source.drop("gadget", 2)
    world.source.drop("gadget", 3)
    assert await world.syncer.fetch("gadget", [1, 2, 3], taken_back=[1, 2])
    rows = (await world.cache.get_many("gadget", [1, 2, 3])).rows
    assert [(row.id, row.record.get("deleted_at")) for row in rows] == [(1, None), (2, NOW), (3, None)]


async def test_records_are_read_by_keys_or_codes_likewise() -> None:
    world = Live()
    world.live.longest_filter = len("sku=1&")
    assert await world.why(await world.syncer.fetch_keys("gadget", ["1", "2"])) == (True, None)
    assert await world.why(await world.syncer.fetch_keys("gadget", ["9", "3"], "code")) == (False, "nine is missing")
    assert world.live.asked == [("gadget", None, ["1"]), ("gadget", None, ["2"]), ("gadget", "code", ["9"])]


async def test_what_cannot_be_stored_was_not_read() -> None:
    world = Live()
    world.cache.full = True
    done = await world.syncer.fetch("gadget", [1])
    assert await world.why(done) == (False, "the cache cannot be written: the disk is full")


@pytest.mark.parametrize(
    ("entity", "count", "since"),
    [("gadget", 0, None), ("gadget", 249, None), ("gadget", 250, "2026-03-02T06:59:00.000Z"), ("colour", 250, None)],
)
async def test_the_newest_are_read_with_one_page_which_is_whole_where_that_holds_all(
    entity: str, count: int, since: str | None
) -> None:
    world = Live()
    world.gadgets(count)
    for number in range(1, count + 1):
        world.source.put("colour", {"id": number, "deleted_at": NOW}, START)
    await world.syncer.start(entity)
    before = await world.cache.state(entity)
    assert await world.syncer.fetch_newest(entity) is True
    assert world.live.asked == [(entity, Window(1), since)]
    assert await world.cache.state(entity) == before


async def test_where_no_other_source_is_live_the_one_of_listings_is_asked() -> None:
    world = World()
    assert await world.syncer.fetch("gadget", [1]) is True
    assert world.asked() == [("gadget", 0)]


async def test_a_sync_is_shared_while_it_runs_and_begun_anew_after_it() -> None:
    world = World()
    first = world.syncer.start("gadget")
    assert world.syncer.start("gadget") is first
    assert (first.get_name(), world.syncer.start("colour") is first) == ("sync gadget", False)
    await first
    await asyncio.sleep(0)
    assert world.syncer.start("gadget") is not first
    await world.syncer.close()


async def test_closing_stops_what_runs_and_keeps_what_was_stored() -> None:
    world = World()
    world.gadgets(300)
    running = world.syncer.start("gadget")

    def stop(listed: Listed, number: int) -> None:
        if number == 2:
            running.cancel()

    world.source.before = stop
    await asyncio.wait({running})
    other = world.syncer.start("colour")
    await world.syncer.close()
    assert (running.cancelled(), other.cancelled(), len(await world.cached())) == (True, True, 250)


async def test_an_audit_to_the_end_counts_all_its_requests() -> None:
    world = World()
    world.gadgets(3)
    world.source.put("gadget", {"id": 3}, START - timedelta(hours=3))
    await world.syncer.start("gadget")
    world.source.drop("gadget", 3)
    world.source.put("gadget", {"id": 9}, START)
    world.asked()
    world.clock.advance(5_000)
    # By ids, the total, and all pages: one is gone at once, one was missing.
    assert await world.syncer.audit("gadget") == SyncOutcome("gadget", True, 3, 2)
    assert world.asked() == [("gadget", 0), ("gadget", 1), ("gadget", 1)]
    await world.cache.claim(Claim("gadget", "another", iso(world.clock.now()), 10))
    reason = "another process syncs it now"
    assert await world.syncer.audit("gadget") == SyncOutcome("gadget", complete=False, reason=reason)
    assert world.asked() == []


@pytest.mark.parametrize(("seconds", "audited"), [(3_599, 0), (3_600, 1)])
async def test_a_sync_after_an_hour_is_followed_by_a_look_at_the_totals(seconds: float, audited: int) -> None:
    world = World()
    world.gadgets(1)
    await world.syncer.start("gadget")
    world.clock.advance(seconds)
    world.asked()
    await world.syncer.start("gadget")
    await settled()
    assert world.asked() == [("gadget", 1)] * (1 + audited)


async def test_while_another_process_lists_its_progress_is_told_and_its_end_is_ours() -> None:
    world = World()
    claim = Claim("gadget", "another", NOW, 10)
    lease = await world.cache.claim(claim)
    told: list[Progress] = []
    world.syncer.listen(told.append)
    running = world.syncer.start("gadget")
    states = [
        SyncState(checkpoint=Checkpoint(2, 700, None, None, None)),
        SyncState(checkpoint=Checkpoint(3, 700, None, None, None)),
        SyncState(completed_at=NOW),
    ]
    for state in states:
        await settled()
        await world.cache.apply(Batch(entity="gadget", at=NOW, state=state, lease=lease))
        world.clock.advance(0.25)
    assert await running == SyncOutcome("gadget", complete=True)
    assert (told, world.asked()) == ([Progress("gadget", 250, 700), Progress("gadget", 500, 700)], [])


async def test_while_another_process_lists_in_vain_its_reason_is_ours() -> None:
    world = World()
    await world.cache.claim(Claim("gadget", "another", NOW, 10))
    running = world.syncer.start("gadget")
    await settled()
    await world.cache.apply(Batch(entity="gadget", at=NOW, state=SyncState(failures=1, incomplete="cut")))
    world.clock.advance(0.25)
    assert await running == SyncOutcome("gadget", complete=False, reason="cut", unavailable=True)


@pytest.mark.parametrize("seen", [SyncState(), SyncState(completed_at=NOW)])
async def test_what_was_synced_since_the_caller_looked_is_not_synced_again(seen: SyncState) -> None:
    world = World()
    await world.cache.apply(Batch(entity="gadget", at=NOW, state=SyncState(completed_at=NOW)))
    outcome = await world.syncer.start("gadget", seen)
    assert (outcome.complete, len(world.asked())) == (True, 0 if seen.completed_at is None else 1)


async def test_a_lease_that_cannot_be_claimed_ends_the_sync_with_the_caches_error() -> None:
    world = World()
    world.cache.busy = True
    with pytest.raises(CacheUnavailable, match="the cache is locked"):
        await world.syncer.start("gadget")
