"""What each page of a listing proves, and where the next page and the next delta begin."""

from dataclasses import replace
from datetime import timedelta

import pytest

from cache_core.protocol import Quarantined
from cache_core.records import iso
from cache_core.spec import EntitySpec
from cache_core.states import Checkpoint, SyncState
from cache_core.sync.cursor import advanced, lateness, moment_of, since
from cache_core.sync.listing import Judgement, Verdict, judge, window_of
from cache_core.sync.progress import Progress, reached
from cache_core.sync.run import begun
from cache_core.sync.source import SourcePage, Window
from cache_core.testing import START

PART = EntitySpec(name="part", collection="parts")
WHOLE = EntitySpec(name="whole", collection="wholes", watermark=False)
NOW = iso(START)


def moment(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


def whole(page: int = 1, total: int = 0) -> Checkpoint:
    """Return a whole listing that stands before a page."""
    return Checkpoint(page=page, total=total, since=None, first="f", newest="n", begun="b")


def delta(read: int = 0, total: int = 0) -> Checkpoint:
    """Return a delta that has read so many records."""
    return Checkpoint(page=2, total=total, since="s", first="f", newest="n", read=read, begun="b")


def rows(first: int, count: int) -> list[dict[str, object]]:
    """Return records with these ids, each a second older than the one before."""
    return [{"id": number, "updated_at": moment(-number)} for number in range(first, first + count)]


@pytest.mark.parametrize(
    ("checkpoint", "window"),
    [
        (whole(), Window(1, 250)),
        (whole(7, 9_000), Window(7, 250)),
        (delta(), Window(1, 250)),
        # The page that holds the last row that was read, and reaches farthest beyond it.
        (delta(1), Window(1, 250)),
        (delta(249), Window(2, 248)),
        (delta(250), Window(2, 249)),
        (delta(251), Window(2, 250)),
        (delta(498), Window(3, 248)),
        (delta(500), Window(3, 249)),
        (delta(501), Window(3, 250)),
        (delta(1_000), Window(5, 249)),
        (delta(31_250), Window(127, 248)),
    ],
)
def test_the_next_page_of_a_delta_reaches_far_and_holds_the_last_row_read(
    checkpoint: Checkpoint, window: Window
) -> None:
    assert window_of(checkpoint) == window


def page(size: int, total: int | None, invalid: int = 0) -> SourcePage:
    """Return a page of so many records, and so many that could not be read."""
    return SourcePage(rows(0, size), total, [Quarantined(1_000 + place, "bad", "") for place in range(invalid)])


def judged(verdict: Verdict, checkpoint: Checkpoint, reason: str = "", **after: int) -> Judgement:
    """Return a judgement with a checkpoint that differs by this."""
    return Judgement(verdict, replace(checkpoint, **after), reason)


@pytest.mark.parametrize(
    ("checkpoint", "came", "judgement"),
    [
        (whole(), page(250, 251), judged(Verdict.NEXT, whole(), page=2, read=250, total=251)),
        (whole(), page(250, 250), judged(Verdict.DONE, whole(), page=2, read=250, total=250)),
        (whole(), page(249, 249), judged(Verdict.DONE, whole(), page=2, read=249, total=249)),
        (whole(2, 251), page(1, 251), judged(Verdict.DONE, whole(), page=3, read=251, total=251)),
        (whole(2, 251), page(2, 252), judged(Verdict.DONE, whole(), page=3, read=252, total=252)),
        # Further rows than are due are no harm; rows that could not be read count.
        (whole(2, 251), page(3, 251), judged(Verdict.DONE, whole(), page=3, read=251, total=251)),
        (whole(), page(1, 2, 1), judged(Verdict.DONE, whole(), page=2, read=2, total=2)),
        (whole(3, 500), page(0, 500), judged(Verdict.DONE, whole(), page=4, read=500, total=500)),
        (delta(250, 500), page(249, 498), judged(Verdict.DONE, delta(), read=498, total=498)),
        (delta(250, 500), page(249, 499), judged(Verdict.NEXT, delta(), read=498, total=499)),
        (delta(250, 500), page(0, 100), judged(Verdict.DONE, delta(), read=249, total=100)),
        (delta(), page(0, 0), judged(Verdict.DONE, delta(), page=3, read=0, total=0)),
        (
            whole(2, 500),
            page(249, 500),
            judged(Verdict.RETRY, whole(2, 500), "page 2 held 249 of 250 records (Katana reports 500 in all)"),
        ),
        (whole(), page(3, None), judged(Verdict.RETRY, whole(), "Katana sent a page without its total")),
        (whole(), replace(page(3, None), bare=True), judged(Verdict.DONE, whole(), total=3)),
    ],
)
def test_a_page_moves_the_listing_on_where_it_holds_what_its_total_says(
    checkpoint: Checkpoint, came: SourcePage, judgement: Judgement
) -> None:
    found = judge(checkpoint, came, came.size)
    expected = judgement.checkpoint
    if checkpoint.since is not None:
        expected = replace(expected, page=checkpoint.page + 1)
    assert found == replace(judgement, checkpoint=expected)


@pytest.mark.parametrize(
    ("at", "lost", "back"),
    [(2, 1, 1), (4, 1, 3), (4, 250, 3), (4, 251, 2), (4, 500, 2), (4, 501, 1), (4, 5_000, 1), (2, 300, 1)],
)
def test_rows_that_went_from_a_whole_listing_make_it_step_back_as_many_pages(at: int, lost: int, back: int) -> None:
    before = whole(at, 9_000)
    after = Judgement(Verdict.NEXT, replace(before, page=back, total=9_000 - lost), back=True)
    assert judge(before, page(250, 9_000 - lost), 250) == after


def test_no_total_makes_a_first_page_or_a_delta_step_back() -> None:
    assert judge(whole(1, 9_000), page(250, 300), 250).back is False
    assert judge(delta(251, 9_000), page(250, 600), 250).back is False
    assert judge(whole(2, 500), page(250, 500), 250).back is False


@pytest.mark.parametrize(("read", "after"), [(249, 0), (250, 0), (251, 1), (501, 251), (500, 249)])
def test_a_page_of_a_delta_without_a_known_row_steps_back_by_a_page(read: int, after: int) -> None:
    before = delta(read, 700)
    expected = Judgement(Verdict.NEXT, replace(before, read=after, total=800), back=True)
    assert judge(before, page(250, 800), 250, overlaps=False) == expected
    assert judge(before, page(250, 800), 250).back is False


def test_a_delta_of_fewer_rows_than_were_read_ends_where_it_stood() -> None:
    before = delta(501, 700)
    after = replace(before, page=before.page + 1, read=window_of(before).start, total=100)
    assert judge(before, page(0, 100), 0) == Judgement(Verdict.DONE, after)


def test_what_no_row_was_read_before_needs_none_again() -> None:
    for before in (delta(), delta(100), whole(2, 700)):
        assert judge(before, page(250, 700), 250, overlaps=False).back is False


def test_a_page_says_where_it_begins_and_ends_and_how_many_came() -> None:
    assert [(window.start, window.end) for window in (Window(1), Window(3), Window(3, 10))] == [
        (0, 250),
        (500, 750),
        (20, 30),
    ]
    assert (page(2, 3, 1).size, page(0, 0).size) == (3, 0)


STATE = SyncState(cursor=moment(0), completed_at=moment(0))


@pytest.mark.parametrize(
    ("state", "seconds", "start"),
    [
        (SyncState(), 0, None),
        (SyncState(deltas=9), 0, None),
        (STATE, 0, moment(-60)),
        (replace(STATE, completed_at=None), 10_000, moment(-60)),
        (replace(STATE, lag=30.0), 0, moment(-90)),
        (replace(STATE, lag=5_000.0), 0, moment(-1_200)),
        (replace(STATE, deltas=8), 0, moment(-60)),
        (replace(STATE, deltas=9), 0, moment(-1_200)),
        (replace(STATE, deltas=10), 0, moment(-60)),
        (replace(STATE, deltas=19, sure=moment(-100)), 0, moment(-1_300)),
        # A pause: ten minutes, or a clock that was set back.
        (STATE, 599.999, moment(-60)),
        (STATE, 600, moment(-1_200)),
        (STATE, -0.001, moment(-1_200)),
        (replace(STATE, sure=moment(-100)), 600, moment(-1_300)),
    ],
)
def test_a_delta_begins_a_minute_back_and_far_back_at_times(
    state: SyncState, seconds: float, start: str | None
) -> None:
    assert since(state, START + timedelta(seconds=seconds)) == start


def test_what_is_listed_whole_begins_without_a_moment() -> None:
    expected = Checkpoint(page=1, total=0, since=moment(-60), first=None, newest=None, begun=NOW)
    assert begun(PART, STATE, START) == expected
    assert begun(WHOLE, STATE, START) == replace(expected, since=None)


BEFORE = SyncState(
    cursor=moment(0), sure=moment(-500), deltas=4, total=7, lag=20.0, checkpoint=whole(), completed_at=moment(5)
)
NEAR = Checkpoint(page=2, total=9, since=moment(-60), first=moment(10), newest=moment(50))
UNTOLD = replace(NEAR, first=None, newest=None)
FAR = {"cursor": moment(20), "sure": moment(20)}


@pytest.mark.parametrize(
    ("listing", "told", "after"),
    [
        (NEAR, (30.0, 0, None), {"cursor": moment(20), "deltas": 5}),
        (NEAR, (45.0, 25.0, None), {"cursor": moment(10), "deltas": 5, "lag": 25.0}),
        (NEAR, (None, 0, None), {"cursor": moment(10), "deltas": 5}),
        (NEAR, (None, 0, moment(11)), {"cursor": moment(11), "deltas": 5}),
        (UNTOLD, (1.0, 0, None), {"deltas": 5}),
        # Far back is from where the last far one was sure.
        (replace(NEAR, since=moment(-1_700)), (30.0, 3.0, None), {**FAR, "deltas": 5, "lag": 3.0}),
        (replace(NEAR, since=moment(-1_699.999)), (30.0, 0, None), {"cursor": moment(20), "deltas": 5}),
        (replace(NEAR, since=None), (30.0, 0, None), {**FAR, "total": 9, "lag": 0}),
    ],
)
def test_a_complete_listing_moves_the_cursor_by_what_the_server_said(
    listing: Checkpoint, told: tuple[float | None, float, str | None], after: dict[str, object]
) -> None:
    expected = replace(BEFORE, checkpoint=None, **after)  # pyright: ignore[reportArgumentType] - as its fields are
    assert advanced(BEFORE, listing, *told) == expected


def test_a_listing_that_shows_no_version_leaves_a_state_without_a_cursor() -> None:
    assert advanced(replace(BEFORE, cursor=None), UNTOLD, 30.0) == replace(
        BEFORE, checkpoint=None, cursor=None, sure=None, deltas=5, lag=0
    )


def test_how_late_a_row_appears_is_counted_from_the_cursor() -> None:
    late = [lateness(moment(0), version) for version in (moment(-7.5), moment(0), moment(7.5), None, "soon")]
    assert [*late, lateness(None, moment(-7.5))] == [7.5, 0.0, 0.0, 0, 0, 0]
    assert (moment_of(NOW), moment_of("2026-03-02T08:00:00"), moment_of("soon")) == (START, None, None)


def test_a_listing_that_is_broken_off_has_come_so_far() -> None:
    states = [SyncState(), SyncState(checkpoint=whole(3, 700)), SyncState(checkpoint=delta(251, 700))]
    assert [reached("part", state) for state in states] == [
        None,
        Progress("part", 500, 700),
        Progress("part", 251, 700),
    ]
