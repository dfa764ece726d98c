"""One key's ledger where several share it: what is kept for whom, how writes are spread, and two ledgers made one."""

import pytest

from katana_client import RateFacts
from katana_client.ledger import Entry, Ledger, Priority, Quota, ServerQuota, Waiting

NOW = 100.0
READ, WRITE, BULK = Priority.INTERACTIVE, Priority.WRITE, Priority.BULK


def sent(count: int, priority: Priority, at: float = 50.0, owner: str = "a") -> list[Entry]:
    """Return so many requests whose answers came at this time."""
    return [Entry(at, priority, owner)] * count


def test_a_ledger_is_empty_and_allows_sixty_requests_a_minute_unless_it_is_said_otherwise() -> None:
    assert Quota() == Quota(60, 60.0, 25, 36, 9, 15)
    assert Ledger() == Ledger(Quota(), 60, {}, [], {}, ServerQuota(), ServerQuota())
    assert ServerQuota() == ServerQuota(0, float("-inf"), float("-inf"))
    assert (list(Priority), Ledger(Quota(limit=7)).limit, Ledger(Quota(), 9).limit) == ([WRITE, READ, BULK], 7, 9)


@pytest.mark.parametrize(
    ("writes", "bulk", "waiting", "reads"),
    [
        # Fifteen places are kept for writes, and three times those of the last window, up to their share.
        (0, 0, False, 45),
        (5, 0, False, 45),
        (6, 0, False, 42),
        (11, 0, False, 27),
        (12, 0, False, 24),
        (13, 0, False, 24),
        # The share of bulk work is kept while it waits or has sent something.
        (0, 0, True, 30),
        (0, 1, False, 30),
        (0, 15, True, 30),
        (0, 20, False, 25),
    ],
)
def test_reads_leave_what_is_kept_for_others(writes: int, bulk: int, reads: int, *, waiting: bool) -> None:
    delays: list[float] = []
    for count in (reads - 1, reads):
        ledger = Ledger(done=[*sent(count, READ), *sent(writes, WRITE), *sent(bulk, BULK)])
        if waiting:
            ledger.queue["b:b"] = Waiting(BULK, NOW, NOW)
        delays.append(round(ledger.delay("a", READ, NOW), 3))
    assert delays == [0.0, 10.001]


SMALL = Quota(limit=12, window=60.0, reserve=2, writes=6, reads=3, bulk=3)


@pytest.mark.parametrize(
    ("recent", "flying", "before", "wait"),
    [
        ([], 0, 0, 0.0),
        ([99.0], 0, 0, 4.0),
        ([95.0005], 0, 0, 0.001),
        ([95.0], 0, 0, 0.0),
        ([97.0, 99.0], 0, 0, 4.0),
        ([97.0, 98.0], 0, 1, 0.25),
        ([], 1, 0, 0.25),
        ([99.0], 1, 0, 0.25),
        ([], 0, 1, 0.25),
    ],
)
def test_of_few_free_places_one_is_given_to_a_write_at_a_time(
    recent: list[float], flying: int, before: int, wait: float
) -> None:
    ledger = Ledger(SMALL, done=[*sent(6, READ, 50.0, "b"), *(Entry(at, WRITE, "a") for at in recent)])
    ledger.flying = {str(nr): Entry(NOW, WRITE, "a") for nr in range(flying)}
    ledger.queue = {f"{nr}:w": Waiting(WRITE, 90.0, NOW) for nr in range(before)}
    ledger.line_up("a", {WRITE}, NOW)
    assert round(ledger.delay("a", WRITE, NOW), 4) == wait


def test_a_ledger_takes_over_what_its_owner_sent_meanwhile() -> None:
    ledger = Ledger(
        SMALL,
        flying={"gone": Entry(1.0, READ, "a"), "theirs": Entry(2.0, READ, "b")},
        done=[Entry(5.0, READ, "a"), Entry(7.0, READ, "b")],
    )
    other = Ledger(
        SMALL,
        flying={"mine": Entry(3.0, WRITE, "a"), "foreign": Entry(4.0, READ, "c")},
        done=[Entry(8.0, BULK, "a"), Entry(3.0, READ, "a"), Entry(5.0, READ, "a"), Entry(6.0, READ, "c")],
    )
    ledger.merge("a", other)
    assert ledger.flying == {"theirs": Entry(2.0, READ, "b"), "mine": Entry(3.0, WRITE, "a")}
    assert ledger.done == [Entry(3.0, READ, "a"), Entry(5.0, READ, "a"), Entry(7.0, READ, "b"), Entry(8.0, BULK, "a")]


def test_an_answer_takes_its_place_by_its_time() -> None:
    ledger = Ledger(SMALL, flying={"t": Entry(1.0, READ, "a")}, done=[Entry(5.0, READ, "b"), Entry(7.0, READ, "b")])
    ledger.close("t", None, 6.0)
    assert [entry.at for entry in ledger.done] == [5.0, 6.0, 7.0]


def test_an_answer_that_names_no_hold_begins_none() -> None:
    ledger = Ledger(SMALL)
    ledger.close("t", RateFacts(), NOW)
    assert ledger.held == ServerQuota()


@pytest.mark.parametrize(("limit", "share"), [(19, 2), (20, 3), (39, 5), (40, 6)])
def test_reads_have_three_twentieths_of_a_smaller_limit(limit: int, share: int) -> None:
    ledger = Ledger(Quota(), limit, done=[Entry(50.0 + nr, READ, "a") for nr in range(limit)])
    assert round(ledger.room_in(60, READ, NOW), 3) == 10.001 + (share - 1)
