from datetime import UTC, datetime

import pytest
from sync_world import GADGET

from cache_core.protocol import Checkpoint, Quarantined, SyncState
from cache_core.sync.cursor import advanced, lateness, since
from cache_core.sync.listing import Judgement, Verdict
from cache_core.sync.listing import judge as judge_page
from cache_core.sync.progress import Progress, reached
from cache_core.sync.quarantine import absent
from cache_core.sync.source import PAGE_SIZE, SourcePage


def at(page: int, total: int = 0) -> Checkpoint:
    return Checkpoint(page=page, total=total, since=None, first=None, newest=None)


def page(size: int, total: int | None) -> SourcePage:
    return SourcePage([{"id": number} for number in range(size)], total)


def judge(checkpoint: Checkpoint, page: SourcePage) -> Judgement:
    return judge_page(checkpoint, page, page.size)


def test_an_id_that_comes_twice_hides_another() -> None:
    assert judge_page(at(1), page(PAGE_SIZE, 600), PAGE_SIZE - 1).verdict is Verdict.RETRY


def test_a_full_page_asks_for_the_next() -> None:
    judgement = judge(at(1), page(PAGE_SIZE, 600))
    assert (judgement.verdict, judgement.checkpoint.page) == (Verdict.NEXT, 2)


def test_the_last_page_is_proof() -> None:
    assert judge(at(3, 600), page(100, 600)).verdict is Verdict.DONE


def test_an_exactly_full_last_page_needs_no_empty_one_after_it() -> None:
    assert judge(at(2, 500), page(PAGE_SIZE, 500)).verdict is Verdict.DONE


def test_an_empty_collection_is_complete_after_one_request() -> None:
    assert judge(at(1), page(0, 0)).verdict is Verdict.DONE


def test_a_page_without_a_total_proves_nothing() -> None:
    judgement = judge(at(2, 600), page(PAGE_SIZE, None))
    assert (judgement.verdict, judgement.checkpoint.page) == (Verdict.RETRY, 2)


def test_a_short_page_proves_nothing_and_says_why() -> None:
    judgement = judge(at(2, 600), page(7, 600))
    assert judgement.verdict is Verdict.RETRY
    assert judgement.reason == "page 2 held 7 of 250 records (Katana reports 600 in all)"


def test_a_shrinking_total_steps_back_to_the_page_of_the_oldest_id_at_risk() -> None:
    judgement = judge(at(4, 1000), page(PAGE_SIZE, 999))
    assert (judgement.verdict, judgement.checkpoint.page, judgement.checkpoint.total) == (Verdict.NEXT, 3, 999)


def test_a_total_that_lost_many_steps_back_as_many_pages() -> None:
    assert judge(at(9, 3000), page(PAGE_SIZE, 3000 - 251)).checkpoint.page == 7


def test_a_growing_total_goes_on_to_the_end() -> None:
    assert judge(at(2, 500), page(PAGE_SIZE, 501)).verdict is Verdict.NEXT
    assert judge(at(3, 501), page(1, 501)).verdict is Verdict.DONE


def test_a_collection_sent_whole_is_complete() -> None:
    assert judge(at(1), SourcePage([{"id": 1}], None, bare=True)).verdict is Verdict.DONE


def test_a_listing_came_as_far_as_its_pages_and_a_delta_as_far_as_it_read() -> None:
    delta = Checkpoint(page=1, total=600, since="2026-03-02T08:00:00.000Z", first=None, newest=None, read=120)
    found = [
        reached("gadget", SyncState(checkpoint=checkpoint)) for checkpoint in (None, at(1, 600), at(3, 600), delta)
    ]
    assert found == [None, *(Progress("gadget", done, 600) for done in (0, 500, 120))]


NOW = datetime(2026, 3, 2, 8, 10, tzinfo=UTC)
NEWEST = "2026-03-02T08:10:00.000Z"


def test_the_cursor_stays_behind_by_the_time_that_the_listing_took() -> None:
    listing = Checkpoint(page=9, total=2000, since=None, first="2026-03-02T07:00:00.000Z", newest=NEWEST)
    assert advanced(SyncState(), listing, 120.0).cursor == "2026-03-02T08:08:00.000Z"


def test_a_resumed_listing_trusts_only_its_first_page() -> None:
    listing = Checkpoint(page=9, total=2000, since=None, first="2026-03-02T07:00:00.000Z", newest=NEWEST)
    assert advanced(SyncState(), listing, None).cursor == "2026-03-02T07:00:00.000Z"


def test_the_cursor_never_moves_back() -> None:
    listing = Checkpoint(page=2, total=1, since=NEWEST, first="2026-01-01T00:00:00.000Z", newest=NEWEST)
    assert advanced(SyncState(cursor=NEWEST), listing, 999.0).cursor == NEWEST


def test_a_delta_looks_back_a_minute_and_every_tenth_twenty() -> None:
    assert since(SyncState(), NOW) is None
    assert since(SyncState(cursor=NEWEST, deltas=0), NOW) == "2026-03-02T08:09:00.000Z"
    assert since(SyncState(cursor=NEWEST, deltas=9), NOW) == "2026-03-02T07:50:00.000Z"


def test_the_far_look_back_begins_where_the_last_one_ended() -> None:
    state = SyncState(cursor=NEWEST, sure="2026-03-02T06:00:00.000Z", deltas=9)
    assert since(state, NOW) == "2026-03-02T05:40:00.000Z"


def test_a_far_look_back_that_is_complete_moves_the_next_one_on() -> None:
    state = SyncState(cursor="2026-03-02T08:00:00.000Z", sure="2026-03-02T06:00:00.000Z", lag=70)
    near = Checkpoint(page=2, total=1, since="2026-03-02T07:59:00.000Z", first=NEWEST, newest=NEWEST)
    far = Checkpoint(page=2, total=1, since="2026-03-02T05:40:00.000Z", first=NEWEST, newest=NEWEST)
    assert (advanced(state, near, 0, 80).sure, advanced(state, near, 0, 80).lag) == (state.sure, 80)
    assert (advanced(state, far, 0).sure, advanced(state, far, 0).lag) == (NEWEST, 0)


@pytest.mark.parametrize("version", [None, "", "soon", "2026-03-02T08:00:00", NEWEST, "2027-01-01T00:00:00.000Z"])
def test_what_is_no_moment_behind_the_cursor_is_not_late(version: str | None) -> None:
    assert lateness(NEWEST, version) == 0


@pytest.mark.parametrize(
    ("answer", "gone"),
    [
        (SourcePage([{"id": 1}], 1), [2, 3]),
        (SourcePage([{"id": 1}], 2), []),
        (SourcePage([{"id": 1}], None), []),
        (SourcePage([{"id": 1}], 2, [Quarantined(3, "bad", "{}")]), [2]),
        (SourcePage([{"id": 1}], 2, [Quarantined(None, "bad", "{}")]), []),
        (SourcePage([], 0), [1, 2, 3]),
    ],
)
def test_only_a_whole_answer_proves_that_an_id_is_gone(answer: SourcePage, gone: list[int]) -> None:
    assert absent(GADGET, [1, 2, 3], answer) == gone
