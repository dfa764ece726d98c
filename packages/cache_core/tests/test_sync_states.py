"""What one sync leaves behind: its outcome and the whole state, after success, failure and what lies between."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sync_world import World, settled

from cache_core.errors import SourceUnavailable
from cache_core.protocol import Batch, Quarantined, SyncState
from cache_core.records import iso
from cache_core.spec import Listed
from cache_core.states import Audit, Checkpoint, Doubted, UnreadField
from cache_core.sync import Progress, SourcePage, SyncOutcome, Window
from cache_core.testing import START


def moment(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


NOW, AN_HOUR_AGO = moment(0), moment(-3_600)
AUDITED = Audit(completed_at=NOW, checked_at=NOW)
LISTED = SyncState(cursor=AN_HOUR_AGO, completed_at=NOW, total=3, sure=AN_HOUR_AGO, audit=AUDITED)


def put(world: World, entity: str, ids: Sequence[int], seconds: float = -3_600, **more: object) -> None:
    """Let Katana have records of this version."""
    for number in ids:
        world.source.put(entity, {"id": number, **more}, START + timedelta(seconds=seconds))


async def synced(world: World, entity: str) -> tuple[SyncOutcome, SyncState]:
    """Sync once; return the outcome and the state that is stored."""
    outcome = await world.syncer.start(entity)
    return outcome, await world.cache.state(entity)


def fails(world: World, error: SourceUnavailable, page: int = 1, name: str = "") -> Callable[[], None]:
    """Let a page fail, of all listings or of one; return what mends it."""
    inner = world.source.page

    async def failing(listed: Listed, window: Window, since: str | None) -> SourcePage:
        if window.number == page and name in {"", listed.name}:
            raise error
        return await inner(listed, window, since)

    def mend() -> None:
        world.source.page = inner

    world.source.page = failing
    return mend


async def test_a_first_listing_a_delta_and_one_that_brings_something() -> None:
    world = World()
    put(world, "gadget", [1, 2, 3])
    assert await synced(world, "gadget") == (SyncOutcome("gadget", True, 1, 3), LISTED)
    world.clock.advance(60)
    delta = replace(LISTED, completed_at=moment(60), deltas=1)
    assert await synced(world, "gadget") == (SyncOutcome("gadget", True, 1), delta)
    put(world, "gadget", [4], 50)
    world.clock.advance(60)
    newer = replace(delta, cursor=moment(50), completed_at=moment(120), deltas=2)
    assert await synced(world, "gadget") == (SyncOutcome("gadget", True, 1, 1), newer)


async def test_a_listing_without_deltas_is_whole_each_time_and_drops_what_it_does_not_hold() -> None:
    world = World()
    put(world, "colour", [1, 2, 3])
    assert await synced(world, "colour") == (SyncOutcome("colour", True, 1, 3), LISTED)
    world.source.drop("colour", 3)
    put(world, "colour", [2], -5)
    world.clock.advance(60)
    again = Audit(completed_at=moment(60), checked_at=moment(60))
    expected = SyncState(cursor=moment(-5), completed_at=moment(60), total=2, sure=moment(-5), audit=again)
    assert await synced(world, "colour") == (SyncOutcome("colour", True, 1, 2), expected)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (
            SourceUnavailable("no net"),
            SyncOutcome("gadget", False, 1, reason="no net", unavailable=True, everywhere=True),
        ),
        (
            SourceUnavailable("bad page", everywhere=False),
            SyncOutcome("gadget", False, 1, reason="bad page", unavailable=True),
        ),
        (
            SourceUnavailable("no key", refused=True),
            SyncOutcome("gadget", False, 1, reason="no key", unavailable=True, everywhere=True, refused=True),
        ),
    ],
)
async def test_failures_are_counted_since_the_first_of_them(error: SourceUnavailable, outcome: SyncOutcome) -> None:
    world = World()
    put(world, "gadget", [1, 2, 3])
    mend = fails(world, error)
    once = SyncState(incomplete=error.reason, failures=1, failing_since=NOW)
    assert await synced(world, "gadget") == (outcome, once)
    world.clock.advance(60)
    assert await synced(world, "gadget") == (outcome, replace(once, failures=2))
    mend()
    later = moment(60)
    audit = Audit(completed_at=later, checked_at=later)
    expected = replace(LISTED, completed_at=later, audit=audit)
    assert await synced(world, "gadget") == (SyncOutcome("gadget", True, 1, 3), expected)


async def test_a_listing_that_proves_nothing_got_an_answer_and_says_why() -> None:
    world = World()
    world.source.tamper = lambda listed, number, page: replace(page, total=None)
    reason = "Katana sent a page without its total"
    expected = SyncState(incomplete=reason, failures=1, failing_since=NOW)
    assert await synced(world, "gadget") == (SyncOutcome("gadget", False, 3, reason=reason), expected)


POINT = Checkpoint(2, 300, None, AN_HOUR_AGO, AN_HOUR_AGO, read=250, begun=NOW, least=300)


async def test_a_listing_that_is_broken_off_goes_on_and_is_as_old_as_its_first_page() -> None:
    world = World()
    put(world, "gadget", range(1, 301))
    told: list[Progress] = []
    stop = world.syncer.listen(told.append)
    mend = fails(world, SourceUnavailable("cut"), 2)
    outcome, state = await synced(world, "gadget")
    assert (outcome.requests, outcome.changed) == (2, 250)
    assert state == SyncState(checkpoint=POINT, incomplete="cut", failures=1, failing_since=NOW)
    assert world.syncer.warming("gadget", state) == Progress("gadget", 250, 300)
    assert world.syncer.warming("gadget", replace(state, completed_at=NOW)) is None
    mend()
    world.clock.advance(30)
    at = moment(30)
    expected = replace(LISTED, total=300, audit=Audit(completed_at=at, checked_at=at))
    assert await synced(world, "gadget") == (SyncOutcome("gadget", True, 1, 50), expected)
    stop()
    await synced(world, "gadget")
    assert told == [Progress("gadget", 250, 300), Progress("gadget", 300, 300)]
    await settled()
    assert world.syncer.progress("gadget") is None


async def test_a_checkpoint_without_its_beginning_is_begun_anew() -> None:
    world = World()
    put(world, "gadget", range(1, 301))
    await world.cache.apply(Batch(entity="gadget", at=NOW, state=SyncState(checkpoint=replace(POINT, begun=None))))
    outcome, state = await synced(world, "gadget")
    assert (outcome, state) == (SyncOutcome("gadget", True, 2, 300), replace(LISTED, total=300))


@pytest.mark.parametrize(("failures", "pages"), [(1, [2]), (2, [1, 2]), (3, [1, 2])])
async def test_after_two_failures_what_was_edited_is_brought_in_before_the_rest(
    failures: int, pages: list[int]
) -> None:
    world = World()
    put(world, "gadget", range(1, 301), -9_000)
    stuck = SyncState(checkpoint=POINT, incomplete="cut", failures=failures, failing_since=NOW)
    await world.cache.apply(Batch(entity="gadget", at=NOW, state=stuck))
    world.clock.advance(100)
    put(world, "gadget", [300], 90)
    fails(world, SourceUnavailable("cut"), 2)
    outcome, state = await synced(world, "gadget")
    # The later pages were read by nobody: the first one alone is as new as the edits.
    moved = replace(POINT, first=moment(90), begun=moment(100)) if failures > 1 else POINT
    assert state == replace(stuck, failures=failures + 1, checkpoint=moved)
    assert (outcome.requests, outcome.changed) == (len(pages), 1 if failures > 1 else 0)


@pytest.mark.parametrize("entity", ["gadget", "part"])
async def test_where_edits_cannot_be_brought_in_the_rest_is_not_asked_for(entity: str) -> None:
    world = World()
    put(world, entity, range(1, 301), -9_000)
    feeds = {"part_rows": SyncState(cursor=AN_HOUR_AGO)} if entity == "part" else {}
    stuck = SyncState(checkpoint=POINT, incomplete="cut", failures=2, failing_since=NOW, feeds=feeds)
    await world.cache.apply(Batch(entity=entity, at=NOW, state=stuck))
    world.source.tamper = lambda listed, number, page: replace(page, total=None)
    outcome, state = await synced(world, entity)
    reason = "Katana sent a page without its total"
    assert outcome == SyncOutcome(entity, False, 3, reason=reason)
    assert state == replace(stuck, failures=3, incomplete=reason)
    assert world.asked() == [(entity, 1)] * 3


async def test_a_listing_that_goes_on_is_read_from_its_beginning_where_its_first_rows_are_not_cached() -> None:
    world = World()
    put(world, "gadget", range(1, 301))
    await world.cache.apply(Batch(entity="gadget", at=NOW, state=SyncState(checkpoint=POINT)))
    outcome, _ = await synced(world, "gadget")
    assert (outcome, world.asked()) == (SyncOutcome("gadget", True, 2, 300), [("gadget", 2), ("gadget", 1)])


async def test_a_listing_that_never_shows_all_rows_begins_anew_the_next_time() -> None:
    world = World()
    put(world, "gadget", range(1, 301))
    world.source.tamper = lambda listed, number, page: (
        page if number == 1 else replace(page, records=[page.records[0]] * 50)
    )
    outcome, state = await synced(world, "gadget")
    reason = "page 2 held 1 of 50 records (Katana reports 300 in all)"
    assert (outcome.reason, state.checkpoint) == (reason, POINT)
    world = World()
    put(world, "gadget", range(1, 301))
    pages: list[SourcePage] = []

    def repeat(listed: Listed, number: int, page: SourcePage) -> SourcePage:
        pages.append(page)
        return page if number == 1 else replace(page, records=pages[0].records[:50])

    world.source.tamper = repeat
    outcome, state = await synced(world, "gadget")
    assert outcome.reason == "all pages together held 250 different records of 300"
    assert (outcome.requests, state.checkpoint) == (6, None)


async def test_a_row_of_ours_that_a_first_listing_does_not_hold_is_doubted() -> None:
    world = World()
    put(world, "gadget", [1, 2, 3])
    await world.syncer.write_through("gadget", {"id": 9, "updated_at": NOW})
    mend = fails(world, SourceUnavailable("cut"))
    assert (await synced(world, "gadget"))[1].audit == Audit()
    mend()
    _, state = await synced(world, "gadget")
    assert state == replace(LISTED, audit=replace(AUDITED, doubted=(Doubted(9, moment(1_200)),)))


async def test_what_has_feeds_is_complete_when_they_are_and_as_old_as_the_oldest_of_them() -> None:
    world = World()
    put(world, "part", [1, 2, 3], rows=[])
    fresh = SyncState(cursor=AN_HOUR_AGO, completed_at=NOW, sure=AN_HOUR_AGO)
    first = replace(LISTED, feeds={"part_rows": fresh})
    assert await synced(world, "part") == (SyncOutcome("part", True, 1, 3), first)
    world.clock.advance(60)
    mend = fails(world, SourceUnavailable("no rows", everywhere=False), 1, "part_rows")
    outcome, state = await synced(world, "part")
    assert outcome == SyncOutcome("part", False, 2, reason="no rows", unavailable=True)
    failed = replace(first, deltas=1, incomplete="no rows", failures=1, failing_since=moment(60))
    assert state == failed
    mend()
    world.clock.advance(60)
    feed = replace(fresh, completed_at=moment(120), deltas=1)
    whole = replace(first, completed_at=moment(120), deltas=2, feeds={"part_rows": feed})
    assert await synced(world, "part") == (SyncOutcome("part", True, 2), whole)


async def test_a_row_behind_the_cursor_is_late_where_it_is_new_or_newer_than_the_stored_one() -> None:
    world = World()
    put(world, "gadget", [1, 2], -100)
    put(world, "gadget", [3])
    put(world, "gadget", [7], -150)
    await synced(world, "gadget")
    lags: list[float] = []
    for ids, seconds in (([1], -100), ([4], -107.5), ([3], -103), ([5], -130), ([6], -101)):
        put(world, "gadget", ids, seconds)
        world.clock.advance(1)
        lags.append((await synced(world, "gadget"))[1].lag)
    assert lags == [0, 7.5, 7.5, 30, 30]


async def test_a_whole_listing_settles_doubts_and_counts_unread_fields() -> None:
    world = World()
    put(world, "gadget", [1, 2])
    doubts = (Doubted(1, moment(7)), Doubted(9, moment(8)))
    unread = (UnreadField("x", (), more=True), UnreadField("y", (2,), more=True))
    await world.cache.apply(Batch(entity="gadget", at=NOW, state=SyncState(audit=Audit(doubted=doubts), unread=unread)))
    world.source.tamper = lambda listed, number, page: replace(page, unread={2: ("y",)})
    _, state = await synced(world, "gadget")
    audit = replace(AUDITED, doubted=doubts[1:])
    assert state == replace(LISTED, total=2, audit=audit, unread=(UnreadField("y", (2,)),))


async def test_what_is_in_quarantine_is_tried_after_deltas_alone_and_its_failure_is_none() -> None:
    world = World()
    put(world, "gadget", [1, 2, 3])
    await synced(world, "gadget")
    await world.cache.apply(Batch(entity="gadget", at=NOW, quarantine=[Quarantined(9, "bad", "{}")]))

    def fail_by_ids(listed: Listed, number: int) -> None:
        world.source.down = None if number else "no"

    world.source.before = fail_by_ids
    assert await synced(world, "gadget") == (SyncOutcome("gadget", True, 1), replace(LISTED, deltas=1))
    world.source.before, world.source.down = lambda listed, number: None, None
    assert await synced(world, "gadget") == (SyncOutcome("gadget", True, 2), replace(LISTED, deltas=2))
    assert await world.cache.quarantined("gadget") == ()
