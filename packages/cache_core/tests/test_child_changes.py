"""What a feed notes of changed children, which documents are read again for them, and how long in vain."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from cache_core.errors import SourceUnavailable
from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, Quarantined
from cache_core.records import Record, RecordId, iso
from cache_core.spec import EntitySpec, Feed, Listed
from cache_core.states import Awaited, Checkpoint, SyncState
from cache_core.sync import Syncer
from cache_core.sync.counters import Tally
from cache_core.sync.feeds import Feeds, name_of_child, shows, with_feeds
from cache_core.sync.source import SourcePage, Window
from cache_core.sync.storing import Store
from cache_core.testing import START, FakeSource, ManualClock

FEED = Feed("part_rows", "part_id", "rows[]")
PART = EntitySpec(name="part", collection="parts", feeds=(FEED,))
ALONE = replace(PART, fetch_by="get")
FEE = Feed("fees", "part_id", "fee")


def moment(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


NOW, LATER = moment(0), moment(1_200)


@pytest.mark.parametrize(
    ("document", "feed", "child", "version", "shown"),
    [
        ({"rows": [{"id": 1, "updated_at": NOW}]}, FEED, 1, NOW, True),
        ({"rows": [{"id": 1, "updated_at": NOW}]}, FEED, 1, moment(-1), True),
        ({"rows": [{"id": 1, "updated_at": NOW}]}, FEED, 1, moment(1), False),
        ({"rows": [{"id": 1, "updated_at": NOW}]}, FEED, 1, None, False),
        ({"rows": [{"id": 1, "updated_at": NOW}]}, FEED, 2, None, True),
        ({"rows": [{"id": 1, "updated_at": NOW}]}, FEED, 2, NOW, False),
        # One that shows no version of its own shows every one.
        ({"rows": [{"id": 2, "updated_at": NOW}, {"id": 1}]}, FEED, 1, moment(1), True),
        ({"rows": [5, {"id": 1, "updated_at": NOW}]}, FEED, 1, NOW, True),
        ({"rows": []}, FEED, 1, NOW, False),
        ({}, FEED, 1, None, True),
        ({"fee": {"id": 1, "updated_at": NOW}}, FEE, 1, NOW, True),
        ({"fee": None}, FEE, 1, None, True),
    ],
)
def test_a_document_shows_a_child_at_its_version_or_a_later_one(
    document: Record, feed: Feed, child: int, version: str | None, shown: bool
) -> None:
    assert shows(document, feed, child, version) is shown


def test_a_child_in_quarantine_is_called_after_its_feed() -> None:
    assert [name_of_child(FEED, child) for child in (5, "a", None)] == ["part_rows 5", "part_rows a", None]


def test_a_new_feed_starts_where_its_documents_stood_and_an_old_one_stays() -> None:
    state = SyncState(cursor="c", deltas=4, feeds={"part_rows": SyncState(cursor="r"), "left": SyncState()})
    before = SyncState(cursor="b", sure="s", completed_at="d", deltas=9, total=3)
    fresh = SyncState(cursor="b", sure="s", completed_at="d")
    spec = replace(PART, feeds=(FEED, FEE))
    assert with_feeds(spec, state, before) == replace(state, feeds={"part_rows": SyncState(cursor="r"), "fees": fresh})


class Journal(FakeSource):
    """A source that notes which records it is asked for, and can fail at a page."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[RecordId]] = []
        self.fails_at = 0

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        if window.number == self.fails_at:
            raise SourceUnavailable("cut")
        return await super().page(listed, window, since)

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        self.asked.append([*ids])
        return await super().records(spec, ids)


STATE = SyncState(cursor=moment(-500), deltas=1, feeds={"part_rows": SyncState(cursor=moment(-600), deltas=2)})


class Documents:
    """Cached documents, and what their feed tells."""

    def __init__(self) -> None:
        self.clock, self.source, self.tally = ManualClock(), Journal(), Tally()
        self.cache = MemoryBackend((PART,))
        self.feeds = Feeds(self.source, Store({"part": PART}, self.cache, self.clock))

    async def holds(self, *records: Record, state: SyncState = STATE) -> None:
        """Store documents and a state."""
        rows = (await prepare(PART, records, self.cache)).rows
        await self.cache.apply(Batch(entity="part", at=NOW, upserts=rows, state=state))

    async def follow(self, spec: EntitySpec = PART) -> str | None:
        """Follow the feed."""
        return await self.feeds.follow(spec, self.tally)

    async def state(self) -> SyncState:
        """Return the state that is stored."""
        return await self.cache.state("part")


def followed(cursor: str | None = moment(-500), awaited: Sequence[Awaited] = ()) -> SyncState:
    """Return the state after the feed was read."""
    feed = SyncState(cursor=cursor, deltas=3, completed_at=NOW)
    return replace(STATE, feeds={"part_rows": feed}, awaited=tuple(awaited))


def child(number: int, seconds: float | None = -5, **more: object) -> tuple[dict[str, object], float | None]:
    """Return a row of part 1, and when it was changed."""
    return {"id": number, "part_id": 1, **more}, seconds


def waits(number: int, version: str | None, until: str = LATER, document: int = 1) -> Awaited:
    """Return a document that is waited for."""
    return Awaited(document, "part_rows", number, version, until)


ROW = {"id": 1, "updated_at": moment(-5)}


@pytest.mark.parametrize(
    ("stored", "told", "asked", "state"),
    [
        ([], [], [], followed()),
        ([ROW], [child(1)], [], followed(moment(-5))),
        ([], [child(1)], [[1]], followed(moment(-5), [waits(1, moment(-5))])),
        ([ROW], [child(1, -4)], [[1]], followed(moment(-4), [waits(1, moment(-4))])),
        # A deleted child is shown by a document without it.
        ([ROW], [child(2, deleted_at=NOW)], [], followed(moment(-5))),
        ([ROW], [child(1, deleted_at=NOW)], [[1]], followed(moment(-5), [waits(1, None)])),
        ([ROW], [child(1, deleted_at="")], [], followed(moment(-5))),
        # Without a version nobody can tell: the document is read once.
        ([ROW], [child(1, None)], [[1]], followed()),
        ([], [child(1), child(2, -6)], [[1]], followed(moment(-5), [waits(2, moment(-6)), waits(1, moment(-5))])),
    ],
)
async def test_a_document_is_read_again_that_does_not_show_what_its_feed_tells(
    stored: list[Record], told: list[tuple[Record, float | None]], asked: list[list[int]], state: SyncState
) -> None:
    documents = Documents()
    document: Record = {"id": 1, "rows": stored, "updated_at": moment(-900), "deleted_at": None}
    await documents.holds(document)
    documents.source.put("part", document, START - timedelta(seconds=900))
    for row, seconds in told:
        documents.source.put("part_rows", row, START + timedelta(seconds=seconds or 0))
        if seconds is None:
            documents.source.rows("part_rows")[1]["updated_at"] = "9999 is no moment"
    assert await documents.follow() is None
    assert (documents.source.asked, await documents.state()) == (asked, state)
    assert (documents.tally.requests, documents.tally.changed, documents.tally.quarantined) == (1 + len(asked), 0, 0)


async def test_a_document_that_is_not_cached_or_shows_no_children_is_read_or_left() -> None:
    documents = Documents()
    await documents.holds({"id": 2, "name": "no rows"}, {"id": 3, "rows": [], "deleted_at": NOW})
    for number in (1, 2, 3):
        documents.source.put("part_rows", {"id": number, "part_id": number}, START)
    documents.source.put("part", {"id": 1, "rows": [{"id": 1, "updated_at": NOW}]}, START)
    assert await documents.follow() is None
    assert documents.source.asked == [[1]]
    assert await documents.state() == followed(NOW)
    assert (documents.tally.requests, documents.tally.changed) == (2, 1)


@pytest.mark.parametrize(("spec", "requests"), [(PART, 2), (ALONE, 4)])
async def test_documents_are_counted_one_by_one_where_they_are_read_so(spec: EntitySpec, requests: int) -> None:
    documents = Documents()
    await documents.holds(state=replace(STATE, awaited=tuple(waits(nr, NOW, document=nr) for nr in (1, 2, 3))))
    assert await documents.follow(spec) is None
    assert (documents.source.asked, documents.tally.requests) == ([[1, 2, 3]], requests)


async def test_a_document_is_waited_for_until_its_time_is_over_and_of_known_feeds_only() -> None:
    documents = Documents()
    over, lasts = waits(1, NOW, NOW), waits(2, NOW, moment(0.001))
    await documents.holds(state=replace(STATE, awaited=(over, lasts, Awaited(1, "left", 3, NOW, LATER))))
    assert await documents.follow() is None
    # What is over was read once more all the same.
    assert documents.source.asked == [[1]]
    assert await documents.state() == followed(awaited=[lasts])


async def test_what_is_told_again_is_waited_for_no_longer_and_a_newer_version_is() -> None:
    documents = Documents()
    old = [waits(1, moment(-5), moment(7)), waits(2, moment(-9), moment(7))]
    await documents.holds(state=replace(STATE, awaited=tuple(old)))
    for number in (1, 2):
        documents.source.put("part_rows", child(number)[0], START - timedelta(seconds=5))
    assert await documents.follow() is None
    assert await documents.state() == followed(moment(-5), [old[0], waits(2, moment(-5))])


async def test_children_of_nobody_and_those_that_cannot_be_read_are_told_until_they_are_well() -> None:
    documents = Documents()
    await documents.holds()
    documents.source.put("part_rows", {"id": 5}, START)
    documents.source.put("part_rows", {"id": 6, "part_id": True}, START)
    bad = [Quarantined(7, "bad", "{7}"), Quarantined(None, "worse", "{}")]
    documents.source.tamper = lambda listed, number, page: replace(page, invalid=bad, total=4)
    assert await documents.follow() is None
    assert (documents.source.asked, documents.tally.quarantined) == ([], 4)
    reason = "part_rows: part_id: an id is required"
    found = {bad.id: (bad.reason, bad.payload[:8]) for bad in await documents.cache.quarantined("part")}
    assert found == {
        "part_rows 5": (reason, '{"delete'),
        "part_rows 6": (reason, '{"delete'),
        "part_rows 7": ("part_rows: bad", "{7}"),
        None: ("part_rows: worse", "{}"),
    }
    documents.source.tamper = lambda listed, number, page: page
    documents.source.put("part_rows", {"id": 5, "part_id": 1}, START)
    documents.source.drop("part_rows", 6)
    await documents.follow()
    left = {bad.id for bad in await documents.cache.quarantined("part")}
    assert left == {"part_rows 6", "part_rows 7", None}


def many(documents: Documents, count: int) -> None:
    """Put so many changed rows, each of a document of its own."""
    for number in range(1, count + 1):
        documents.source.put("part_rows", {"id": number, "part_id": number}, START - timedelta(seconds=5))


async def test_a_feed_that_is_cut_keeps_how_far_it_came() -> None:
    documents = Documents()
    state = replace(STATE, feeds={"part_rows": SyncState(cursor=moment(-600), deltas=2)})
    await documents.holds(state=state)
    many(documents, 300)
    documents.source.fails_at = 2
    with pytest.raises(SourceUnavailable, match="cut"):
        await documents.follow()
    expected = Checkpoint(
        page=2,
        total=300,
        since=moment(-660),
        first=moment(-5),
        newest=moment(-5),
        read=250,
        tail=tuple(range(60, 50, -1)),
        begun=NOW,
        least=300,
    )
    after = await documents.state()
    assert after.feeds == {"part_rows": SyncState(cursor=moment(-600), deltas=2, checkpoint=expected)}
    assert (len(after.awaited), documents.source.asked, documents.tally.requests) == (250, [], 2)
    documents.source.fails_at = 0
    documents.clock.advance(30)
    assert await documents.follow() is None
    # Nobody timed the gap: only its first page counts, and it is as old as that.
    feed = SyncState(cursor=moment(-5), deltas=3, completed_at=NOW)
    assert (await documents.state()).feeds == {"part_rows": feed}


@pytest.mark.parametrize("read", [0, 250])
async def test_a_feed_that_proves_nothing_says_why_under_its_name(read: int) -> None:
    documents = Documents()
    begin = Checkpoint(2, 300, moment(-660), None, None, read=read, begun=NOW, tail=(51,))
    before = SyncState(cursor=moment(-600), checkpoint=begin)
    await documents.holds(state=replace(STATE, feeds={"part_rows": before}))
    documents.source.tamper = lambda listed, number, page: replace(page, total=None)
    assert await documents.follow() == "part_rows: Katana sent a page without its total"
    assert (await documents.state()).feeds == {"part_rows": before if read else replace(before, checkpoint=None)}
    assert documents.tally.requests == 3


@pytest.mark.parametrize(("count", "batches"), [(999, [250, 250, 250, 249]), (1_001, [250] * 4 + [1])])
async def test_documents_are_read_once_a_thousand_children_wait(count: int, batches: list[int]) -> None:
    documents = Documents()
    await documents.holds(state=replace(STATE, feeds={"part_rows": SyncState()}))
    many(documents, count)
    for number in range(1, count + 1):
        shown: Mapping[str, object] = {"id": number, "updated_at": moment(-5)}
        documents.source.put("part", {"id": number, "rows": [shown]}, START)
    assert await documents.follow() is None
    assert [len(ids) for ids in documents.source.asked] == batches
    kinds = [name for name, _, _ in documents.source.requests]
    assert kinds == ["part_rows"] * 4 + ["part"] * 4 + (["part_rows", "part"] if count > 1_000 else [])
    assert (await documents.state()).awaited == ()


async def test_a_feed_that_is_new_to_a_stuck_listing_starts_where_its_documents_stood() -> None:
    clock = ManualClock()
    fees = Feed("part_fees", "part_id", "fees[]")
    spec = replace(PART, feeds=(*PART.feeds, fees))
    cache, source = MemoryBackend((spec,)), FakeSource(clock)
    broken_off = Checkpoint(2, 300, NOW, NOW, NOW, read=250, begun=NOW, tail=(1,))
    known = {"part_rows": SyncState(cursor=moment(-600))}
    stuck = SyncState(cursor=moment(-60), checkpoint=broken_off, incomplete="cut", failures=2, feeds=known)
    await cache.apply(Batch(entity="part", at=NOW, state=stuck))
    outcome = await Syncer((spec,), source, cache, clock).start("part")
    assert (outcome.complete, outcome.reason) == (True, None)
    asked = [(name, since) for name, _, since in source.requests]
    assert ("part_fees", moment(-120)) in asked
    assert {*(await cache.state("part")).feeds} == {"part_rows", "part_fees"}
