"""When so many requests could go: the arithmetic of one key's ledger, to the millisecond."""

from collections.abc import Sequence

import pytest

from katana_client import RateFacts
from katana_client.headers import MAX_WAIT
from katana_client.ledger import Entry, Ledger, Priority, Quota, ServerQuota, Waiting

NOW = 100.0
QUOTA = Quota(limit=12, window=60.0, reserve=2, writes=6, reads=3, bulk=3)
READ, WRITE, BULK = Priority.INTERACTIVE, Priority.WRITE, Priority.BULK


def over(*at: float, priority: Priority = READ) -> list[Entry]:
    """Return requests whose answers came at these times."""
    return [Entry(when, priority, "a") for when in at]


def seconds(ledger: Ledger, priority: Priority, places: Sequence[int] = (1, 2, 3, 6, 7)) -> list[float]:
    """Return in how many seconds so many requests could go."""
    return [round(ledger.room_in(count, priority, NOW), 3) for count in places]


TEN = [50.0 + second for second in range(10)]


@pytest.mark.parametrize(
    ("done", "writes", "reads", "bulk"),
    [
        ([], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),
        # As many as are needed are free: nothing is waited for.
        (TEN[:6], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),
        (TEN[:7], [0, 0, 0, 10.001, 10.001], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),
        (TEN[:8], [0, 0, 0, 11.001, 11.001], [0, 0, 0, 0, 0], [0, 0, 10.001, 10.001, 10.001]),
        # Two places are kept for writes; a seventh write counts as the share of six.
        (TEN, [0, 0, 10.001, 13.001, 13.001], [10.001] * 5, [10.001, 11.001, 12.001, 12.001, 12.001]),
        # Fewer than none are free: as if none were.
        (
            [*TEN, 60.0, 61.0],
            [10.001, 11.001, 12.001, 15.001, 15.001],
            [10.001] * 5,
            [10.001, 11.001, 12.001, 12.001, 12.001],
        ),
        # A window is over a hair after its end: what ended then counts no more.
        ([39.999, *TEN[1:]], [0, 0, 0, 13.001, 13.001], [0] * 5, [0, 11.001, 12.001, 12.001, 12.001]),
    ],
)
def test_room_comes_as_the_oldest_requests_count_no_more(
    done: list[float], writes: list[float], reads: list[float], bulk: list[float]
) -> None:
    ledger = Ledger(QUOTA, done=over(*done))
    assert (seconds(ledger, WRITE), seconds(ledger, READ), seconds(ledger, BULK)) == (writes, reads, bulk)


def test_where_only_an_answer_makes_room_it_is_looked_for_again_soon() -> None:
    ledger = Ledger(QUOTA, flying={str(nr): Entry(NOW, READ, "a") for nr in range(11)}, done=over(70.0))
    assert seconds(ledger, WRITE, (1, 2, 6)) == [30.001, 0.25, 0.25]


def test_what_waits_in_the_same_line_comes_first_and_what_waits_in_others_does_not() -> None:
    ledger = Ledger(QUOTA, done=over(*TEN))
    for owner, priority in (("b", WRITE), ("c", WRITE), ("d", READ)):
        ledger.queue[f"{owner}{priority}"] = Waiting(priority, NOW, NOW)
    assert seconds(ledger, WRITE, (1, 2)) == [10.001, 11.001]


def test_a_hold_and_what_katana_says_is_left_are_waited_for_while_they_last() -> None:
    assert seconds(Ledger(QUOTA, held=ServerQuota(0, 90.0, 107.0)), READ, (1,)) == [7.0]
    assert seconds(Ledger(QUOTA, held=ServerQuota(0, 80.0, 99.0)), READ, (1,)) == [0.0]
    reported = Ledger(QUOTA, reported=ServerQuota(3, 90.0, 130.0))
    assert seconds(reported, WRITE, (2, 3, 4)) == [0.0, 0.0, 30.0]
    assert seconds(Ledger(QUOTA, reported=ServerQuota(0, 40.0, 100.0)), WRITE, (4,)) == [0.0]


def delays(ledger: Ledger, owner: str = "a") -> list[float]:
    """Return how long a write, a read and bulk work of an owner would wait."""
    return [round(ledger.delay(owner, priority, NOW), 3) for priority in (WRITE, READ, BULK)]


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ([], [0, 0, 0]),
        (over(*TEN[:7]), [0, 0, 0]),
        (over(*TEN[:8]), [0, 0, 0]),
        (over(*TEN[:7], priority=BULK), [0, 0, 0]),
        (over(*TEN), [0, 10.001, 10.001]),
        (over(*TEN, 60.0, 61.0), [10.001] * 3),
        # What ended a window and a hair ago counts no more.
        (over(39.999, *TEN, 61.0), [0, 10.001, 10.001]),
        (over(40.0, *TEN, 61.0), [0.001] * 3),
    ],
)
def test_a_place_is_free_once_enough_requests_count_no_more(done: list[Entry], expected: list[float]) -> None:
    assert delays(Ledger(QUOTA, done=done)) == expected


@pytest.mark.parametrize(("sent", "wait"), [(14, 0), (34, 0), (35, 10.001), (36, 10.001)])
def test_bulk_work_beyond_its_share_leaves_the_reserve_alone(sent: int, wait: float) -> None:
    ledger = Ledger(Quota(), done=over(*(50.0 + nr for nr in range(sent)), priority=BULK))
    assert round(ledger.delay("a", BULK, NOW), 3) == wait


def test_bulk_work_that_waits_counts_to_its_share() -> None:
    sent = over(*(50.0 + nr for nr in range(14)), priority=BULK) + over(*(70.0 + nr / 2 for nr in range(40)))
    ledger = Ledger(Quota(), done=sent)
    ledger.line_up("a", {BULK}, 90.0)
    ledger.line_up("b", {BULK}, 91.0)
    # The one before takes the last place of the share: what writes have is left alone.
    assert [round(ledger.delay(owner, BULK, NOW), 3) for owner in ("a", "b")] == [0.0, 10.001]


def test_bulk_work_that_waits_counts_to_what_the_reserve_leaves() -> None:
    ledger = Ledger(Quota(), done=over(*(50.0 + nr for nr in range(34)), priority=BULK))
    ledger.line_up("a", {BULK}, 90.0)
    ledger.line_up("b", {BULK}, 91.0)
    assert [round(ledger.delay(owner, BULK, NOW), 3) for owner in ("a", "b")] == [0.0, 10.001]


def test_a_reserve_as_large_as_the_limit_leaves_bulk_work_one_place() -> None:
    small = Quota(limit=4, reserve=9)
    assert Ledger(small).delay("a", BULK, NOW) == 0.0
    assert Ledger(small, done=over(99.0, priority=BULK)).delay("a", BULK, NOW) == pytest.approx(59.001)


def test_where_all_places_are_in_flight_only_an_answer_makes_room() -> None:
    ledger = Ledger(QUOTA, flying={str(nr): Entry(NOW, READ, "a") for nr in range(12)})
    assert delays(ledger) == [float("inf")] * 3


@pytest.mark.parametrize(
    ("until", "flying", "expected"),
    [
        (107.0, 0, 7.0),
        (107.0, 1, 7.0),
        (100.1, 1, 0.25),
        (100.0, 0, 0.0),
        # For five seconds after a hold one goes alone.
        (100.0, 1, 0.25),
        (95.001, 1, 0.25),
        (95.0, 1, 0.0),
    ],
)
def test_after_a_hold_one_goes_alone(until: float, flying: int, expected: float) -> None:
    sent = {str(nr): Entry(NOW, READ, "a") for nr in range(flying)}
    ledger = Ledger(QUOTA, held=ServerQuota(0, 90.0, until), flying=sent)
    assert delays(ledger) == [expected] * 3


@pytest.mark.parametrize(
    ("left", "until", "done", "expected"),
    [
        (0, 130.0, [], [30.0, 30.0, 30.0]),
        (1, 130.0, [], [0, 0, 30.0]),
        (2, 130.0, [], [0, 0, 30.0]),
        (3, 130.0, [], [0, 0, 0]),
        (0, 100.0, [], [0, 0, 0]),
        # Bulk work beyond its share leaves the reserve of what Katana says is left.
        (2, 130.0, over(*TEN[:3], priority=BULK), [0, 0, 30.0]),
        (3, 130.0, over(*TEN[:3], priority=BULK), [0, 0, 0]),
    ],
)
def test_what_katana_says_is_left_is_believed_until_it_begins_anew(
    left: int, until: float, done: list[Entry], expected: list[float]
) -> None:
    assert delays(Ledger(QUOTA, done=done, reported=ServerQuota(left, 90.0, until))) == expected


def test_who_came_first_goes_first_and_what_is_reported_counts_those_before() -> None:
    ledger = Ledger(QUOTA, reported=ServerQuota(1, 90.0, 130.0))
    ledger.line_up("a", {READ}, 90.0)
    ledger.line_up("b", {READ, WRITE}, 91.0)
    ledger.line_up("a", {READ}, 92.0)
    assert {line: (waiting.since, waiting.seen) for line, waiting in ledger.queue.items()} == {
        "a": (90.0, 92.0),
        "b": (91.0, 91.0),
        "b:w": (91.0, 91.0),
    }
    # The write goes before both reads, whoever came first.
    assert [ledger.delay(owner, priority, NOW) for owner, priority in (("b", WRITE), ("a", READ), ("b", READ))] == [
        0.0,
        30.0,
        30.0,
    ]
    ledger.line_up("b", {READ}, 93.0)
    assert sorted(ledger.queue) == ["a", "b"]
    assert [ledger.delay(owner, READ, NOW) for owner in ("a", "b", "c")] == [0.0, 30.0, 0.0]
    ledger.take("t", "a", READ, NOW)
    assert (sorted(ledger.queue), ledger.flying, ledger.reported.left) == (["b"], {"t": Entry(NOW, READ, "a")}, 0)


def test_writes_of_a_crowd_are_spread_over_the_window() -> None:
    wide = Quota(limit=60, window=60.0, reserve=25, writes=36, reads=9, bulk=15)
    recent = [Entry(96.0 + nr / 10, WRITE, "a") for nr in range(20)]
    alone = Ledger(wide, done=recent)
    crowd = Ledger(wide, done=[*recent, Entry(99.0, READ, "b")])
    # A quarter of the 39 free places may go in five seconds: the eleventh latest makes room for the next.
    assert (alone.delay("a", WRITE, NOW), round(crowd.delay("a", WRITE, NOW), 3)) == (0.0, 2.1)
    few = Ledger(wide, done=[*recent[:8], Entry(99.0, READ, "b")])
    assert few.delay("a", WRITE, NOW) == 0.0
    flying = {str(nr): Entry(NOW, WRITE, "a") for nr in range(20)}
    assert Ledger(wide, flying=flying, done=[Entry(99.0, READ, "b")]).delay("a", WRITE, NOW) == 0.25
    earlier = [Entry(95.0, WRITE, "a")] * 20
    assert Ledger(wide, done=[*earlier, Entry(99.0, READ, "b")]).delay("a", WRITE, NOW) == 0.0


def test_an_owner_that_is_not_heard_of_is_forgotten() -> None:
    ledger = Ledger(
        QUOTA,
        flying={
            "mine": Entry(1.0, READ, "a"),
            "alive": Entry(35.0, READ, "b"),
            "crashed": Entry(34.999, READ, "b"),
            "ahead": Entry(101.0, WRITE, "b"),
            "far ahead": Entry(101.001, WRITE, "b"),
        },
        done=over(39.997, 39.998, 101.0, 101.001),
        queue={
            "a": Waiting(READ, 1.0, 98.0),
            "b": Waiting(READ, 1.0, 97.999),
            "c": Waiting(READ, 1.0, 101.0),
            "d": Waiting(READ, 1.0, 101.1),
        },
        held=ServerQuota(0, 90.0, 1_000.0),
        reported=ServerQuota(5, 101.001, 120.0),
    )
    ledger.heartbeat("a", NOW)
    assert ledger.flying == {
        "mine": Entry(NOW, READ, "a"),
        "alive": Entry(35.0, READ, "b"),
        "ahead": Entry(101.0, WRITE, "b"),
    }
    assert [entry.at for entry in ledger.done] == [39.998, 101.0]
    assert sorted(ledger.queue) == ["a", "c"]
    assert ledger.held == ServerQuota(0, 90.0, 90.0 + MAX_WAIT)
    assert ledger.reported == ServerQuota()


@pytest.mark.parametrize(
    ("facts", "held", "reported", "limit"),
    [
        (RateFacts(), ServerQuota(0, 90.0, 103.0), ServerQuota(4, 90.0, 120.0), 12),
        (RateFacts(limit=8), ServerQuota(0, 90.0, 103.0), ServerQuota(4, 90.0, 120.0), 8),
        (RateFacts(limit=13), ServerQuota(0, 90.0, 103.0), ServerQuota(4, 90.0, 120.0), 12),
        (RateFacts(hold=3.0), ServerQuota(0, 90.0, 103.0), ServerQuota(4, 90.0, 120.0), 12),
        (RateFacts(hold=4.0), ServerQuota(0, NOW, 104.0), ServerQuota(4, 90.0, 120.0), 12),
        # The same window, give or take two seconds: the lower count is believed.
        (RateFacts(remaining=3, reset_in=20.0), ServerQuota(0, 90.0, 103.0), ServerQuota(3, 90.0, 120.0), 12),
        (RateFacts(remaining=9, reset_in=22.0), ServerQuota(0, 90.0, 103.0), ServerQuota(4, 90.0, 120.0), 12),
        (RateFacts(remaining=3, reset_in=18.0), ServerQuota(0, 90.0, 103.0), ServerQuota(3, 90.0, 120.0), 12),
        # A late answer of the window before, and one of the next.
        (RateFacts(remaining=3, reset_in=17.0), ServerQuota(0, 90.0, 103.0), ServerQuota(4, 90.0, 120.0), 12),
        (RateFacts(remaining=9, reset_in=22.5), ServerQuota(0, 90.0, 103.0), ServerQuota(9, NOW, 122.5), 12),
        (RateFacts(remaining=3, reset_in=None), ServerQuota(0, 90.0, 103.0), ServerQuota(4, 90.0, 120.0), 12),
        (RateFacts(remaining=None, reset_in=9.0), ServerQuota(0, 90.0, 103.0), ServerQuota(4, 90.0, 120.0), 12),
    ],
)
def test_an_answer_tightens_what_may_be_sent(
    facts: RateFacts, held: ServerQuota, reported: ServerQuota, limit: int
) -> None:
    ledger = Ledger(QUOTA, held=ServerQuota(0, 90.0, 103.0), reported=ServerQuota(4, 90.0, 120.0))
    ledger.flying["t"] = Entry(99.0, WRITE, "a")
    ledger.done = over(95.0, 105.0)
    ledger.close("t", facts, NOW)
    assert (ledger.held, ledger.reported, ledger.limit) == (held, reported, limit)
    assert ledger.done == [Entry(95.0, READ, "a"), Entry(NOW, WRITE, "a"), Entry(105.0, READ, "a")]
    assert ledger.flying == {}


def test_what_is_still_in_flight_may_not_be_counted_yet_by_katana() -> None:
    ledger = Ledger(QUOTA, flying={str(nr): Entry(99.0, READ, "a") for nr in range(4)})
    ledger.close("0", RateFacts(remaining=5, reset_in=9.0), NOW)
    assert ledger.reported == ServerQuota(2, NOW, 109.0)
    ledger.close("1", RateFacts(remaining=1, reset_in=30.0), NOW)
    assert ledger.reported == ServerQuota(0, NOW, 130.0)
    ledger.close("unknown", None, NOW)
    assert (len(ledger.flying), len(ledger.done)) == (2, 2)


def test_an_answer_at_the_end_of_a_window_begins_the_next() -> None:
    ledger = Ledger(QUOTA, reported=ServerQuota(4, 90.0, NOW))
    ledger.close("t", RateFacts(remaining=7, reset_in=1.0), NOW)
    assert ledger.reported == ServerQuota(7, NOW, 101.0)


def test_a_ledger_comes_back_from_its_file_as_it_was() -> None:
    ledger = Ledger(
        QUOTA,
        8,
        {"t": Entry(1.0, WRITE, "a"), "u": Entry(2.0, READ, "b"), "v": Entry(3.0, BULK, "b")},
        [Entry(4.0, BULK, "z"), Entry(5.0, READ, "a"), Entry(6.0, WRITE, "a")],
        {"a:w": Waiting(WRITE, 7.0, 8.0), "a": Waiting(READ, 7.5, 8.5), "a:b": Waiting(BULK, 7.6, 8.6)},
        ServerQuota(1, 9.0, 10.0),
        ServerQuota(2, 11.0, 12.0),
    )
    data = {
        "limit": 8,
        "flying": {"t": [1.0, 0, "a:w"], "u": [2.0, 0, "b"], "v": [3.0, 1, "b"]},
        "done": [[4.0, 1, "z"], [5.0, 0, "a"], [6.0, 0, "a:w"]],
        "queue": {"a:w": [0, 7.0, 8.0], "a": [0, 7.5, 8.5], "a:b": [1, 7.6, 8.6]},
        "held": [1, 9.0, 10.0],
        "told": [2, 11.0, 12.0],
    }
    assert ledger.as_data() == data
    assert Ledger.from_data(QUOTA, data) == ledger
    later_first = data | {"done": [[5.0, 0, "a"], [4.0, 1, "z"], [6.0, 0, "a:w"]]}
    assert Ledger.from_data(QUOTA, later_first) == ledger
    empty: dict[str, object] = {"limit": 12, "flying": {}, "done": [], "queue": {}, "held": None, "told": None}
    assert Ledger(QUOTA).as_data() == empty
    assert Ledger.from_data(QUOTA, empty) == Ledger(QUOTA)
    limits = [Ledger.from_data(QUOTA, empty | {"limit": limit}).limit for limit in (0, 1, 12, 13)]
    assert limits == [1, 1, 12, 12]


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"limit": 5},
        {"limit": "x", "flying": {}, "done": [], "queue": {}, "held": None, "told": None},
        {"limit": 1e999, "flying": {}, "done": [], "queue": {}, "held": None, "told": None},
        {"limit": 5, "flying": {}, "done": [[1.0, 9, "a"]], "queue": {}, "held": None, "told": None},
        {"limit": 5, "flying": {}, "done": [], "queue": {}, "held": [], "told": None},
    ],
)
def test_a_file_that_no_ledger_made_is_an_empty_one(data: object) -> None:
    assert Ledger.from_data(QUOTA, data) == Ledger(QUOTA)


@pytest.mark.parametrize(("limit", "shares"), [(60, [36, 9, 15]), (40, [24, 6, 10]), (12, [7, 1, 3])])
def test_a_smaller_limit_has_smaller_shares(limit: int, shares: list[int]) -> None:
    ledger = Ledger(Quota(), limit)
    everything = [50.0 + nr / 100 for nr in range(limit)]
    ledger.done = over(*everything)
    waits = [
        [round(ledger.room_in(count, priority, NOW) - 10.001, 2) for count in range(1, 61)] for priority in Priority
    ]
    assert [max(wait) for wait in waits] == [(share - 1) / 100 for share in shares]
