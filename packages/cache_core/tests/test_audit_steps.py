"""What each step of an audit asks for, and what it leaves to the next one."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from cache_core.conditions import EVERYTHING
from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, Quarantined, Selection
from cache_core.records import RecordId, iso
from cache_core.spec import EntitySpec, Listed
from cache_core.states import Audit, Checkpoint, Doubted, SyncState
from cache_core.sync.audits import Audits
from cache_core.sync.counters import Tally
from cache_core.sync.source import SourcePage, Window
from cache_core.sync.storing import Store
from cache_core.testing import START, FakeSource, ManualClock

BY_IDS = EntitySpec(name="part", collection="parts")
SINGLE = EntitySpec(name="part", collection="parts", fetch_by="get")
LISTED = EntitySpec(name="part", collection="parts", fetch_by="full_list")
WHOLE = EntitySpec(name="part", collection="parts", watermark=False)


def moment(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


HOUR, DAY = 3_600, 86_400
NOW, LATER = moment(0), moment(1_200)
FRESH = Checkpoint(page=1, total=0, since=None, first=None, newest=None)
CHECKED = Audit(completed_at=moment(-10), checked_at=moment(-5), gap=2)
ENDED = Audit(completed_at=NOW, checked_at=NOW)


class Journal(FakeSource):
    """A source that notes windows and ids, and may say no totals."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Window | list[RecordId]] = []

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        assert since is None
        self.asked.append(window)
        return await super().page(listed, window, since)

    async def records(self, spec: EntitySpec, ids: Sequence[RecordId]) -> SourcePage:
        self.asked.append([*ids])
        return await super().records(spec, ids)


class Account:
    """An account with rows of so many seconds before the start, what is cached of it, and its audit."""

    def __init__(self, spec: EntitySpec = BY_IDS) -> None:
        self.spec, self.clock, self.source, self.tally = spec, ManualClock(), Journal(), Tally()
        self.cache = MemoryBackend((spec,))
        self.audits = Audits(self.source, Store({"part": spec}, self.cache, self.clock))

    def has(self, ids: Sequence[int], age: float = 9_000) -> None:
        """Let Katana have these."""
        for number in ids:
            self.source.put("part", {"id": number}, START - timedelta(seconds=age))

    async def holds(self, ids: Sequence[int], audit: Audit, age: float = 9_000) -> None:
        """Let these be cached, with an audit that has come so far; the cursor stands at the start."""
        records = [{"id": number, "updated_at": moment(-age), "deleted_at": None} for number in ids]
        rows = (await prepare(self.spec, records, self.cache)).rows
        state = SyncState(cursor=NOW, completed_at=NOW, deltas=3, audit=audit)
        await self.cache.apply(Batch(entity="part", at=NOW, upserts=rows, state=state))

    async def step(self) -> bool:
        """Take a step; return whether more is to be done."""
        return await self.audits.step(self.spec, self.tally)

    async def audit(self) -> Audit:
        """Return the audit that is stored; all else of the state is as it was."""
        state = await self.cache.state("part")
        assert state == SyncState(cursor=NOW, completed_at=NOW, deltas=3, audit=state.audit)
        return state.audit

    async def ids(self) -> list[RecordId]:
        """Return what is cached."""
        return sorted(
            (row.id for row in await self.cache.select("part", Selection(limit=9_999, visibility=EVERYTHING))), key=int
        )


@pytest.mark.parametrize(
    ("spec", "state", "due"),
    [
        (BY_IDS, SyncState(audit=replace(CHECKED, running=True)), False),
        (WHOLE, SyncState(completed_at=NOW, audit=replace(CHECKED, running=True)), False),
        (BY_IDS, SyncState(completed_at=NOW, audit=CHECKED), False),
        (BY_IDS, SyncState(completed_at=NOW, audit=replace(CHECKED, running=True)), True),
        (BY_IDS, SyncState(completed_at=NOW, audit=replace(CHECKED, doubted=(Doubted(1, NOW),))), True),
        (BY_IDS, SyncState(completed_at=NOW, audit=replace(CHECKED, doubted=(Doubted(1, LATER),))), False),
        (BY_IDS, SyncState(completed_at=NOW), True),
        (BY_IDS, SyncState(completed_at=NOW, audit=Audit(checked_at=moment(-HOUR))), True),
        (BY_IDS, SyncState(completed_at=NOW, audit=Audit(checked_at=moment(0.001 - HOUR))), False),
        (BY_IDS, SyncState(completed_at=NOW, audit=Audit(checked_at=NOW)), False),
        (BY_IDS, SyncState(completed_at=NOW, audit=Audit(checked_at=moment(0.001))), True),
    ],
)
async def test_a_step_is_due_where_one_was_begun_or_totals_were_not_compared_for_an_hour(
    spec: EntitySpec, state: SyncState, due: bool
) -> None:
    account = Account(spec)
    await account.cache.apply(Batch(entity="part", at=NOW, state=state))
    assert await account.audits.is_due(spec) is due


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CHECKED, replace(CHECKED, running=True)),
        (replace(CHECKED, position=7), replace(CHECKED, running=True)),
        (replace(CHECKED, position=7, running=True), replace(CHECKED, position=7, running=True)),
    ],
)
async def test_an_audit_begins_at_the_first_id_unless_one_is_under_way(before: Audit, after: Audit) -> None:
    account = Account()
    await account.holds([], before)
    await account.audits.begin(BY_IDS)
    assert await account.audit() == after


@pytest.mark.parametrize(
    ("completed", "total", "gap", "audit"),
    [
        (-10, 3, 1, CHECKED),
        (-DAY + 0.001, 3, 1, CHECKED),
        (-DAY, 3, 1, replace(CHECKED, running=True)),
        (0.001, 3, 1, replace(CHECKED, running=True)),
        (-10, 3, 2, replace(CHECKED, running=True)),
        (-10, None, 7, CHECKED),
    ],
)
async def test_totals_that_differ_otherwise_than_before_begin_an_audit_and_a_day_does(
    completed: float, total: int | None, gap: int, audit: Audit
) -> None:
    account = Account()
    account.has([1, 2, 3])
    before = replace(CHECKED, completed_at=moment(completed), gap=gap, position=5)
    await account.holds([1], before)
    bad = Quarantined(9, "bad", "{}")
    await account.cache.apply(Batch(entity="part", at=NOW, quarantine=[bad]))
    account.source.tamper = lambda listed, number, page: replace(page, total=total)
    assert await account.step() is audit.running
    expected = replace(before, checked_at=NOW, running=audit.running, position=None)
    assert (await account.audit(), account.source.asked[0]) == (expected, Window(1, 1))
    assert (account.tally, await account.ids()) == (Tally(requests=1), [1])


@pytest.mark.parametrize(
    ("spec", "cached", "total", "before", "after"),
    [
        # As many as Katana counts: it is over.
        (BY_IDS, [], 0, CHECKED, ENDED),
        (BY_IDS, [1, 2], 1, CHECKED, replace(ENDED, gap=-1)),
        (BY_IDS, [1, 2], 3, CHECKED, None),
        (BY_IDS, [1, 2], None, replace(CHECKED, gap=0), ENDED),
        (BY_IDS, [1, 2], None, replace(CHECKED, gap=1), None),
        (SINGLE, [1, 2], 2, CHECKED, None),
        (LISTED, [1, 2], 2, CHECKED, None),
    ],
)
async def test_the_end_of_an_audit_lists_all_where_records_are_missing_or_cannot_be_asked_by_ids(
    spec: EntitySpec, cached: list[int], total: int | None, before: Audit, after: Audit | None
) -> None:
    account = Account(spec)
    doubted = (Doubted(8, LATER),)
    before = replace(before, running=True, position=2, doubted=doubted)
    await account.holds(cached, before)
    account.source.tamper = lambda listed, number, page: replace(page, total=total)
    assert await account.step() is (after is None)
    expected = replace(before, listing=FRESH) if after is None else replace(after, doubted=doubted)
    assert (await account.audit(), account.source.asked, account.tally.requests) == (expected, [Window(1, 1)], 1)


async def test_rows_are_asked_for_by_their_ids_from_where_the_last_step_stood() -> None:
    account = Account()
    account.has(range(1, 303))
    await account.holds(range(1, 303), replace(CHECKED, running=True, gap=0))
    positions: list[RecordId | None] = []
    for _ in range(2):
        assert await account.step() is True
        positions.append((await account.audit()).position)
    assert (positions, account.source.asked) == ([250, 302], [[*range(1, 251)], [*range(251, 303)]])
    assert await account.step() is False
    assert (await account.audit(), account.tally) == (ENDED, Tally(requests=3))


@pytest.mark.parametrize("gone", [False, True])
async def test_the_next_rows_are_as_many_whether_the_last_one_is_still_there(gone: bool) -> None:
    account = Account()
    account.has(range(1, 300))
    await account.holds(
        [number for number in range(1, 300) if number != 10 or not gone], replace(CHECKED, running=True, position=10)
    )
    assert await account.step() is True
    assert (account.source.asked, (await account.audit()).position) == ([[*range(11, 261)]], 260)


async def test_what_does_not_come_is_gone_or_doubted_by_its_age() -> None:
    account = Account()
    account.has([1, 4])
    doubted = (Doubted(4, LATER), Doubted(3, moment(9)), Doubted(9, moment(5)))
    await account.holds([1, 2, 4], replace(CHECKED, running=True, doubted=doubted), age=1_200)
    young = [{"id": 3, "updated_at": moment(-1_199.999)}, {"id": 5, "updated_at": None}]
    rows = (await prepare(BY_IDS, young, account.cache)).rows
    await account.cache.apply(Batch(entity="part", at=NOW, upserts=rows))
    assert await account.step() is True
    left = (Doubted(9, moment(5)), Doubted(3, moment(9)), Doubted(5, LATER))
    assert await account.audit() == replace(CHECKED, running=True, position=5, doubted=left)
    assert (await account.ids(), account.tally) == ([1, 3, 4, 5], Tally(requests=1, changed=1))


@pytest.mark.parametrize(
    ("spec", "more", "asked", "audit", "left"),
    [
        (BY_IDS, True, [[2, 3]], replace(CHECKED, position=1, doubted=(Doubted(4, LATER),)), [1, 2, 4]),
        (SINGLE, True, [[2, 3]], replace(CHECKED, position=1, doubted=(Doubted(4, LATER),)), [1, 2, 4]),
        (LISTED, True, [], None, [1, 2, 3, 4]),
    ],
)
async def test_what_was_doubted_for_long_is_asked_for_again_and_gone_if_it_does_not_come(
    spec: EntitySpec, more: bool, asked: list[object], audit: Audit | None, left: list[int]
) -> None:
    account = Account(spec)
    account.has([1, 2], age=0)
    before = replace(CHECKED, position=1, doubted=(Doubted(2, NOW), Doubted(3, NOW), Doubted(4, LATER)))
    await account.holds([1, 2, 3, 4], before, age=0)
    assert await account.step() is more
    assert (account.source.asked, await account.ids()) == (asked, left)
    assert await account.audit() == (audit or replace(before, listing=FRESH))
    assert account.tally.requests == len(asked)


async def test_of_more_than_one_request_names_the_first_are_asked_for_first() -> None:
    account = Account()
    doubted = tuple(Doubted(number, NOW) for number in (3, 1, 2))
    await account.holds([1, 2, 3], replace(CHECKED, doubted=doubted))
    account.source.longest_filter = len("ids=1&")
    assert await account.step() is True
    assert (account.source.asked, (await account.audit()).doubted) == ([[3]], doubted[1:])


async def test_a_whole_listing_brings_what_is_missing_and_drops_what_is_gone() -> None:
    account = Account()
    account.has(range(1, 252), age=1_000)
    before = replace(CHECKED, running=True, position=9, listing=FRESH, doubted=(Doubted(900, moment(7)),))
    await account.holds([*range(2, 252), 901], before, age=9_000)
    young = (await prepare(BY_IDS, [{"id": 900, "updated_at": NOW}], account.cache)).rows
    await account.cache.apply(Batch(entity="part", at=NOW, upserts=young))
    assert await account.step() is True
    point = Checkpoint(2, 251, None, moment(-1_000), moment(-1_000), read=250, least=251)
    assert await account.audit() == replace(before, listing=point)
    assert await account.step() is False
    assert account.source.asked == [Window(1), Window(2)]
    # Of the one in doubt it is known since when; the gap is what is still cached beyond.
    assert await account.audit() == replace(ENDED, doubted=before.doubted, gap=-1)
    assert (await account.ids())[-2:] == [251, 900]
    assert len(await account.ids()) == 252
    assert account.tally == Tally(requests=2, changed=252)


@pytest.mark.parametrize(("spec", "asked"), [(BY_IDS, [Window(2)]), (SINGLE, [Window(1)]), (LISTED, [Window(1)])])
async def test_a_listing_whose_first_pages_nobody_saw_shows_nothing_gone(spec: EntitySpec, asked: list[Window]) -> None:
    account = Account(spec)
    account.has(range(1, 252))
    point = Checkpoint(2, 251, None, NOW, NOW, read=250, least=251)
    await account.holds([*range(1, 252), 901], replace(CHECKED, running=True, listing=point))
    more = await account.step()
    assert (more, account.source.asked, 901 in await account.ids()) == (asked != [Window(2)], asked, True)
    if not more:
        assert await account.audit() == replace(ENDED, gap=-1)


async def test_a_listing_that_proves_nothing_ends_the_audit_and_drops_nothing() -> None:
    account = Account()
    account.has([1])
    await account.holds([1, 2, 3], replace(CHECKED, running=True, listing=FRESH, doubted=(Doubted(3, LATER),)))
    account.source.tamper = lambda listed, number, page: replace(page, total=None)
    assert await account.step() is False
    assert (account.source.asked, account.tally) == ([Window(1)] * 3, Tally(requests=3))
    assert await account.audit() == replace(ENDED, doubted=(Doubted(3, LATER),), gap=-3)
    assert await account.ids() == [1, 2, 3]
