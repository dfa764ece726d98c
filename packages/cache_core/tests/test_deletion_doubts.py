"""Which cached rows are gone, doubted or read again, to the millisecond and the last record."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, Quarantined, Stored
from cache_core.records import Record, RecordId, iso
from cache_core.spec import EntitySpec, Feed
from cache_core.states import Audit, Checkpoint, Doubted, SyncState, UnreadField
from cache_core.sync.absences import brought_in, look_for_absent
from cache_core.sync.counters import Tally
from cache_core.sync.quarantine import absent, retry
from cache_core.sync.run import Run
from cache_core.sync.source import SourcePage
from cache_core.sync.storing import Store
from cache_core.sync.suspected_deletions import deleted_among, doubting, due_again, unlisted
from cache_core.sync.unread import counted, noted, to_read_again
from cache_core.testing import START, FakeSource, ManualClock

PART = EntitySpec(name="part", collection="parts", feeds=(Feed("part_rows", "part_id", "rows[]"),))
SINGLE = EntitySpec(name="single", collection="singles", fetch_by="get")
LISTED = EntitySpec(name="listed", collection="listed", fetch_by="full_list")
WHOLE = EntitySpec(name="whole", collection="wholes", watermark=False)
SPECS = {spec.name: spec for spec in (PART, SINGLE, LISTED, WHOLE)}


def moment(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


NOW, LATER = moment(0), moment(1_200)
FRESH = Checkpoint(page=1, total=0, since=None, first=moment(0), newest=None)


class Journal(FakeSource):
    """A source that notes which records it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[RecordId]] = []

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        self.asked.append([*ids])
        return await super().records(spec, ids)


class Shelf:
    """A cache of rows that are so many seconds older than the start, and what is stored with them."""

    def __init__(self) -> None:
        self.clock, self.source = ManualClock(), Journal()
        self.store = Store(SPECS, MemoryBackend([*SPECS.values()]), self.clock)

    async def holds(
        self,
        spec: EntitySpec,
        ages: Mapping[int, float],
        state: SyncState | None = None,
        bad: Sequence[Quarantined] = (),
    ) -> None:
        """Store rows, a state and what is in quarantine."""
        records: list[Record] = [{"id": key, "updated_at": moment(-age)} for key, age in ages.items()]
        rows = (await prepare(spec, records, self.store.cache)).rows
        await self.store.cache.apply(Batch(entity=spec.name, at=NOW, upserts=rows, state=state, quarantine=bad))

    async def audit(self, spec: EntitySpec) -> Audit:
        """Return the audit that is stored."""
        return (await self.store.cache.state(spec.name)).audit

    def run(self, spec: EntitySpec, ids: Collection[RecordId], begin: Checkpoint = FRESH) -> Run:
        """Return a listing that has seen these ids."""
        run = Run(spec, begin, self.clock)
        run.ids.add(ids)
        return run


def row(record_id: RecordId, version: str | None) -> Stored:
    """Return a stored row of this version."""
    return Stored(record_id, version, {}, deleted=False, archived=False)


AUDIT = Audit(
    checked_at="c",
    running=True,
    gap=3,
    doubted=(Doubted(1, moment(-0.001)), Doubted(2, NOW), Doubted(3, moment(0.001))),
)


def test_a_doubted_row_is_asked_for_again_after_twenty_minutes() -> None:
    assert due_again(AUDIT, START) == [1, 2]
    assert doubting(AUDIT, [4, 2], START) == replace(AUDIT, doubted=(Doubted(4, LATER), Doubted(2, NOW)))
    assert doubting(AUDIT, [], START) == replace(AUDIT, doubted=())


def test_a_row_is_gone_that_is_too_old_to_lag_or_was_doubted_for_long() -> None:
    rows = [row(2, NOW), row(3, NOW), row(4, moment(-1_200)), row(5, moment(-1_199.999)), row(6, None)]
    assert deleted_among(rows, AUDIT, NOW, START) == [2, 4]
    assert deleted_among(rows, AUDIT, None, START) == [2]
    assert deleted_among(rows, Audit(), moment(1_200), START) == [2, 3, 4, 5]


async def test_what_a_whole_listing_does_not_hold_is_gone_or_in_doubt() -> None:
    shelf = Shelf()
    await shelf.holds(WHOLE, {1: 5_000, 2: 5_000, 3: 10, 4: 1_200}, SyncState(audit=Audit(doubted=(Doubted(5, NOW),))))
    await shelf.holds(WHOLE, {5: 0})
    assert await unlisted(WHOLE, shelf.store, shelf.run(WHOLE, [1])) == ([2, 4, 5], [3])
    assert await unlisted(WHOLE, shelf.store, shelf.run(WHOLE, [1, 2, 3, 4, 5])) == ([], [])


DELTA = replace(FRESH, since=moment(-100))


@pytest.mark.parametrize(
    ("spec", "begin", "listed", "doubted"),
    [
        (PART, FRESH, [1, 2, 3], []),
        (PART, FRESH, [1, 2], [Doubted(3, LATER)]),
        (PART, FRESH, [9], [Doubted(1, LATER), Doubted(2, LATER), Doubted(3, LATER)]),
        # As many were listed as there are: none is looked for.
        (PART, FRESH, [9, 8, 7], []),
        (PART, DELTA, [1], [Doubted(2, LATER)]),
        (PART, DELTA, [1, 9], []),
        (SINGLE, FRESH, [1], []),
        (LISTED, FRESH, [1], []),
        (WHOLE, FRESH, [1], []),
    ],
)
async def test_a_row_that_a_listing_should_hold_is_doubted_behind_those_doubted_before(
    spec: EntitySpec, begin: Checkpoint, listed: list[int], doubted: list[Doubted]
) -> None:
    shelf = Shelf()
    audit = Audit(gap=7, doubted=(Doubted(5, NOW),))
    await shelf.holds(spec, {1: 10, 2: 100, 3: 100.001}, SyncState(deltas=4, audit=audit))
    before = await shelf.store.cache.state(spec.name)
    await look_for_absent(spec, shelf.store, shelf.run(spec, listed, begin))
    assert await shelf.store.cache.state(spec.name) == replace(
        before, audit=replace(audit, doubted=(*audit.doubted, *doubted))
    )


async def test_a_thousand_rows_are_looked_through_the_newest_first() -> None:
    shelf = Shelf()
    await shelf.holds(PART, {number: number for number in range(1, 1_003)})
    await look_for_absent(PART, shelf.store, shelf.run(PART, [1]))
    assert [doubt.id for doubt in (await shelf.audit(PART)).doubted] == [*range(2, 1_001)]


@pytest.mark.parametrize(
    ("total", "since", "begins"), [(3, None, True), (4, None, False), (5, None, False), (3, "s", False)]
)
async def test_a_listing_that_went_on_and_counts_less_than_is_cached_begins_an_audit(
    total: int,
    since: str | None,
    begins: bool,
) -> None:
    shelf = Shelf()
    await shelf.holds(PART, {1: 0, 2: 0, 3: 0}, SyncState(audit=Audit(gap=7)), [Quarantined(8, "bad", "{}")])
    await look_for_absent(PART, shelf.store, shelf.run(PART, [], replace(FRESH, page=2, total=total, since=since)))
    assert await shelf.audit(PART) == Audit(gap=7, running=begins)


async def test_what_was_listed_so_far_are_the_rows_and_what_is_in_quarantine() -> None:
    shelf = Shelf()
    await shelf.holds(PART, {1: 0, 2: 0}, bad=[Quarantined(8, "bad", "{}"), Quarantined(None, "bad", "{}")])
    assert list(await brought_in(PART, shelf.store)) == [1, 2, 8]


@pytest.mark.parametrize(
    ("page", "gone"),
    [
        (SourcePage([{"id": 1}], None), []),
        (SourcePage([{"id": 1}], 1), [2, 3]),
        (SourcePage([{"id": 1}], 0), [2, 3]),
        (SourcePage([{"id": 1}, {"id": None}], 2), []),
    ],
)
def test_an_answer_proves_rows_gone_where_it_is_whole(page: SourcePage, gone: list[int]) -> None:
    assert absent(PART, [1, 2, 3], page) == gone


def poison(ids: Sequence[RecordId | None]) -> list[Quarantined]:
    """Return records in quarantine with these ids."""
    return [Quarantined(record_id, "bad", f"{place}") for place, record_id in enumerate(ids)]


@pytest.mark.parametrize(
    ("spec", "ids", "turn", "asked"),
    [
        (PART, [7, 8], 0, [[7, 8]]),
        (PART, [7, "part_rows 5", None], 3, [[7]]),
        (PART, [], 0, []),
        (SINGLE, [3, 1, 2], 4, [[1, 2, 3]]),
        (SINGLE, range(1, 6), 1, [[1, 2, 3, 4, 5]]),
        (SINGLE, range(1, 7), 1, [[6, 1, 2, 3, 4]]),
        (SINGLE, range(1, 8), 0, [[1, 2, 3, 4, 5]]),
        (SINGLE, range(1, 8), 1, [[6, 7, 1, 2, 3]]),
        (SINGLE, range(1, 8), 2, [[4, 5, 6, 7, 1]]),
        (LISTED, [1], 0, []),
    ],
)
async def test_records_in_quarantine_are_read_again_in_turns(
    spec: EntitySpec, ids: Sequence[RecordId | None], turn: int, asked: list[list[RecordId]]
) -> None:
    shelf, tally = Shelf(), Tally()
    await shelf.holds(spec, {}, bad=poison(ids))
    await retry(spec, turn, (shelf.source, shelf.store), tally)
    assert shelf.source.asked == asked
    requests = sum(1 if spec is PART else len(batch) for batch in asked)
    assert (tally.requests, tally.changed, tally.quarantined) == (requests, 0, 0)
    left = {bad.id for bad in await shelf.store.cache.quarantined(spec.name)}
    assert left == {*ids} - {record_id for batch in asked for record_id in batch}


async def test_two_hundred_and_fifty_are_read_again_at_once_those_in_quarantine_first() -> None:
    shelf, tally = Shelf(), Tally()
    unread = (UnreadField("x", (3, 900, 901)),)
    await shelf.holds(PART, {}, SyncState(unread=unread), poison(range(1, 250)))
    shelf.source.put("part", {"id": 1}, START)
    await retry(PART, 0, (shelf.source, shelf.store), tally)
    assert shelf.source.asked == [[*sorted(range(1, 250), key=str), 900]]
    assert (tally.requests, tally.changed, tally.quarantined) == (1, 1, 0)
    await retry(SINGLE, 0, (shelf.source, shelf.store), tally)
    assert tally.requests == 1


STATE = SyncState(deltas=3, unread=(UnreadField("a", (1, 2)), UnreadField("b", (), more=True)))


@pytest.mark.parametrize(
    ("state", "seen", "unread", "after"),
    [
        (SyncState(), [1], {}, ()),
        (STATE, [9], {}, STATE.unread),
        (STATE, [1], {}, (UnreadField("a", (2,)), STATE.unread[1])),
        (STATE, [1, 2], {}, STATE.unread[1:]),
        (
            STATE,
            [1, 3],
            {1: ("a",), 3: ("a", "c")},
            (UnreadField("a", (2, 1, 3)), STATE.unread[1], UnreadField("c", (3,))),
        ),
        (STATE, [2], {2: ("b",)}, (UnreadField("a", (1,)), UnreadField("b", (2,), more=True))),
        # What was not seen is not noted.
        (SyncState(), [], {1: ("a",)}, ()),
        (SyncState(), range(250), dict.fromkeys(range(250), ("a",)), (UnreadField("a", (*range(250),)),)),
        (
            SyncState(),
            range(251),
            dict.fromkeys(range(251), ("a",)),
            (UnreadField("a", (*range(1, 251),), more=True),),
        ),
    ],
)
def test_fields_that_could_not_be_read_are_noted_with_their_records(
    state: SyncState,
    seen: Sequence[int],
    unread: dict[RecordId, tuple[str, ...]],
    after: tuple[UnreadField, ...],
) -> None:
    assert noted(state, seen, unread) == replace(state, unread=after)


def test_a_hundred_fields_are_noted() -> None:
    paths = tuple(f"{number:03}" for number in range(101))
    assert [field.field for field in noted(SyncState(), [1], {1: paths}).unread] == [*paths[:100]]


def test_after_a_whole_listing_a_field_has_others_where_as_many_are_named_as_can_be() -> None:
    fields = [UnreadField("a", (*range(count),), more=True) for count in (0, 1, 249, 250)]
    assert counted(SyncState(unread=tuple(fields))).unread == (
        UnreadField("a", (0,)),
        UnreadField("a", (*range(249),)),
        UnreadField("a", (*range(250),), more=True),
    )


def test_records_of_rare_fields_are_read_again_each_once() -> None:
    state = SyncState(unread=(UnreadField("a", (1, 2)), UnreadField("b", (2, 3)), UnreadField("c", (4,), more=True)))
    assert [to_read_again(state, most) for most in (0, 2, 3, 9)] == [[], [1, 2], [1, 2, 3], [1, 2, 3]]
