"""One listing under way: what it notes of its pages, and when it is given up."""

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

import pytest

from cache_core.protocol import Quarantined
from cache_core.records import RecordId, iso
from cache_core.spec import EntitySpec, Feed, Listed
from cache_core.states import Checkpoint
from cache_core.sync.listing import Verdict
from cache_core.sync.run import Run, read_through
from cache_core.sync.source import SourcePage, Window
from cache_core.testing import START, FakeSource, ManualClock

PART = EntitySpec(name="part", collection="parts")
FEED = Feed("part_rows", "part_id", "rows[]")
NEXT, DONE, RETRY = Verdict.NEXT, Verdict.DONE, Verdict.RETRY


def moment(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


def rows(first: int, count: int) -> list[dict[str, object]]:
    """Return records with these ids, each a second older than the one before."""
    return [{"id": number, "updated_at": moment(-number)} for number in range(first, first + count)]


class Pages(FakeSource):
    """A source that sends these pages one after the other, and notes what was asked."""

    def __init__(self, *pages: SourcePage) -> None:
        super().__init__()
        self.pages, self.asked = [*pages], list[tuple[str, Window, str | None]]()

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        self.asked.append((listed.name, window, since))
        return self.pages.pop(0)


async def read(run: Run, *pages: SourcePage) -> tuple[str | None, list[Verdict], list[Window]]:
    """Read a listing of these pages; return why it is incomplete, the verdicts, and what was asked."""
    source, verdicts = Pages(*pages), list[Verdict]()

    async def keep(_: SourcePage, verdict: Verdict) -> None:
        verdicts.append(verdict)

    reason = await read_through(source, run, keep)
    assert source.pages == []
    assert run.requests == len(source.asked)
    return reason, verdicts, [window for _, window, _ in source.asked]


def started(listed: Listed, begin: Checkpoint, before: Collection[RecordId] | None = None) -> tuple[Run, ManualClock]:
    """Return a run that begins there, and its clock."""
    clock = ManualClock()
    clock.advance(50)
    clock.jump(-50)
    return Run(listed, begin, clock, before), clock


FRESH = Checkpoint(page=1, total=0, since=None, first=None, newest=None, begun=moment(0))


async def test_a_listing_notes_what_each_page_shows() -> None:
    run, clock = started(PART, FRESH)
    assert (run.done, run.elapsed, run.resumed, run.requests) == (0, 0.0, False, 0)
    clock.advance(3)
    found = await read(run, SourcePage(rows(0, 250), 252), SourcePage(rows(250, 2), 252))
    assert found == (None, [Verdict.NEXT, Verdict.DONE], [Window(1), Window(2)])
    assert run.checkpoint == replace(FRESH, page=3, total=252, first=moment(0), newest=moment(0), read=252, least=252)
    assert (list(run.ids), run.done, run.elapsed) == (list(range(252)), 252, 3.0)


async def test_a_delta_notes_the_last_ten_ids_and_how_far_it_read() -> None:
    begin = replace(FRESH, since=moment(-60))
    run, _ = started(FEED, begin)
    reason, verdicts, asked = await read(run, SourcePage(rows(0, 250), 300), SourcePage(rows(249, 51), 299))
    assert (reason, verdicts, asked) == (None, [Verdict.NEXT, Verdict.DONE], [Window(1), Window(2, 249)])
    assert run.checkpoint == replace(
        begin,
        page=3,
        total=299,
        first=moment(0),
        newest=moment(0),
        read=299,
        least=299,
        tail=tuple(range(290, 300)),
    )
    assert run.done == 299


async def test_a_listing_that_goes_on_knows_the_last_ids_only_and_nobody_timed_it() -> None:
    going_on = [replace(FRESH, total=1), replace(FRESH, page=2), replace(FRESH, page=3, total=600, tail=(7, "a"))]
    runs = [started(PART, begin)[0] for begin in going_on]
    assert [(run.resumed, run.elapsed, run.done, list(run.ids)) for run in runs] == [
        (True, None, 0, []),
        (True, None, 250, []),
        (True, None, 500, [7, "a"]),
    ]
    assert started(PART, replace(FRESH, since="s", page=2, read=251))[0].done == 251


async def test_a_page_that_proves_nothing_is_asked_for_three_times() -> None:
    run, _ = started(PART, FRESH)
    bad, good = SourcePage(rows(0, 250), None), SourcePage(rows(0, 250), 500)
    reason, verdicts, asked = await read(run, bad, bad, good, bad, bad, bad)
    assert (reason, verdicts) == ("Katana sent a page without its total", [NEXT, RETRY])
    assert asked == [Window(1)] * 3 + [Window(2)] * 3
    assert (run.checkpoint.page, run.done) == (2, 250)
    # One that is asked again after that is asked for once.
    assert (await read_one(run, bad)) == RETRY


async def read_one(run: Run, page: SourcePage) -> Verdict:
    """Ask for one page; return what it proves."""
    return (await run.turn(Pages(page)))[1].verdict


async def test_a_total_may_shrink_twenty_times_and_no_more() -> None:
    steady, shrinking = (started(PART, replace(FRESH, page=30, total=9_000))[0] for _ in range(2))
    totals = [SourcePage((), 8_999 - step) for step in range(20)]
    for run in (steady, shrinking):
        assert {await read_one(run, page) for page in totals} == {NEXT}
        assert (run.checkpoint.page, run.checkpoint.total, list(run.ids)) == (10, 8_980, [])
    assert await read_one(steady, SourcePage(rows(0, 250), 8_980)) == NEXT
    assert steady.checkpoint.page == 11
    reason, verdicts, _ = await reads_on(shrinking, SourcePage((), 8_979))
    assert (reason, verdicts) == ("the total that Katana reports keeps changing", [RETRY])
    assert shrinking.checkpoint.page == 10


async def reads_on(run: Run, *pages: SourcePage) -> tuple[str | None, list[Verdict], int]:
    """Go on with a listing; return why it is incomplete, the verdicts, and how many requests it took in all."""
    verdicts: list[Verdict] = []

    async def keep(_: SourcePage, verdict: Verdict) -> None:
        verdicts.append(verdict)

    return await read_through(Pages(*pages), run, keep), verdicts, run.requests


FIRST, AGAIN, LAST = (
    SourcePage(rows(0, 250), 252),
    SourcePage(rows(248, 2), 252),
    SourcePage(rows(250, 2), 252),
)


@pytest.mark.parametrize(
    ("pages", "reason", "verdicts"),
    [
        ((FIRST, AGAIN, FIRST, LAST), None, [NEXT, NEXT, NEXT, DONE]),
        # What was hidden comes with a first page: no second one is asked for.
        ((FIRST, AGAIN, SourcePage(rows(2, 250), 252)), None, [NEXT, NEXT, DONE]),
        (
            (FIRST, AGAIN) * 3,
            "all pages together held 250 different records of 252",
            [NEXT, NEXT, NEXT, NEXT, NEXT, RETRY],
        ),
        ((FIRST, AGAIN, FIRST, AGAIN, FIRST, LAST), None, [NEXT, NEXT, NEXT, NEXT, NEXT, DONE]),
        # The smallest total counts.
        ((FIRST, SourcePage(rows(249, 3), 251)), None, [NEXT, NEXT]),
    ],
)
async def test_a_listing_is_read_three_times_for_rows_that_others_hid(
    pages: tuple[SourcePage, ...], reason: str | None, verdicts: list[Verdict]
) -> None:
    run, _ = started(PART, FRESH)
    if pages[-1].total == 251:
        assert await read_one(run, FIRST) == NEXT
        assert await read_one(run, pages[-1]) == NEXT
        assert (run.checkpoint.page, run.checkpoint.least, run.checkpoint.total) == (1, 251, 251)
        return
    found = await read(run, *pages)
    assert found[:2] == (reason, verdicts)
    assert run.checkpoint.first == moment(0)


@pytest.mark.parametrize(
    ("before", "verdict"),
    [
        # Nobody knows what the earlier pages held: the last one decides.
        (None, DONE),
        ([], NEXT),
        (range(249), NEXT),
        (range(250), DONE),
        ([*range(249), 251], NEXT),
        (range(260), DONE),
    ],
)
async def test_what_earlier_runs_brought_in_counts_once(before: Collection[int] | None, verdict: Verdict) -> None:
    run, _ = started(PART, replace(FRESH, page=2, total=252), before)
    assert await read_one(run, LAST) == verdict


async def test_records_without_an_id_count_each_and_those_that_could_not_be_read_by_theirs() -> None:
    nameless: list[dict[str, object]] = [{"updated_at": moment(0)}, {"id": True}]
    bad = [Quarantined(7, "bad", ""), Quarantined(None, "bad", "")]
    run, _ = started(PART, FRESH)
    assert await read_one(run, SourcePage([*nameless, *rows(1, 2)], 6, bad)) == DONE
    assert (list(run.ids), run.done) == ([1, 2, 7], 6)
    run, _ = started(PART, FRESH)
    reason, _, _ = await read(run, *[SourcePage([*nameless, *rows(1, 1), *rows(1, 1)], 4)] * 3)
    assert reason == "page 1 held 3 of 4 records (Katana reports 4 in all)"


async def test_rows_that_earlier_runs_brought_in_end_no_listing_before_its_last_page() -> None:
    run, _ = started(PART, FRESH, range(252))
    assert await read_one(run, FIRST) == NEXT
    assert await read(started(PART, FRESH)[0], SourcePage((), 0)) == (None, [DONE], [Window(1)])


async def test_a_delta_whose_rows_hid_others_is_read_again_from_its_first_page() -> None:
    run, _ = started(FEED, replace(FRESH, since="s"))
    again = SourcePage(rows(247, 3), 252)
    found = await read(run, FIRST, again, FIRST, SourcePage(rows(249, 3), 252))
    windows = [Window(1), Window(2, 249)]
    assert found == (None, [NEXT, NEXT, NEXT, DONE], windows * 2)


async def test_what_is_sent_whole_is_not_counted() -> None:
    run, _ = started(PART, FRESH)
    assert await read_one(run, SourcePage([*rows(1, 2), *rows(1, 2)], None, bare=True)) == DONE
    assert (run.checkpoint.total, run.checkpoint.least, run.done) == (4, None, 4)


async def test_the_newest_version_is_the_greatest_that_is_no_mistake() -> None:
    a_day = 24 * 3_600
    versions = [moment(a_day), moment(a_day - 0.001), moment(5), "soon", None]
    run, clock = started(PART, FRESH)
    clock.advance(10)
    records = [{"id": number, "updated_at": version} for number, version in enumerate(versions)]
    assert await read_one(run, SourcePage(records, 5)) == DONE
    assert (run.checkpoint.first, run.checkpoint.newest) == (moment(a_day - 0.001),) * 2
    older, _ = started(PART, replace(FRESH, page=2, total=255, first="f", newest=moment(9)))
    assert await read_one(older, SourcePage(records[2:], 253)) == NEXT
    assert (older.checkpoint.first, older.checkpoint.newest) == ("f", moment(9))
    nothing, _ = started(PART, FRESH)
    assert await read_one(nothing, SourcePage([{"id": 1}], 1)) == DONE
    assert (nothing.checkpoint.first, nothing.checkpoint.newest) == (None, None)


async def test_a_page_from_which_a_delta_steps_back_is_not_noted() -> None:
    run, _ = started(FEED, replace(FRESH, since="s", page=2, read=250, total=600, tail=(1, 2), newest=moment(-300)))
    assert await read_one(run, SourcePage(rows(10, 249), 600)) == NEXT
    assert (run.checkpoint.read, list(run.ids)) == (0, [1, 2])
    assert await read_one(run, SourcePage([*rows(1, 249), *rows(300, 1)], 600)) == NEXT
    assert (run.checkpoint.read, run.checkpoint.tail) == (250, (*range(241, 250), 300))
