"""Which of the requests that wait goes first once each kind has used its share, and the last places of a window."""

import pytest

from katana_client import RateFacts
from katana_client.ledger import Entry, Ledger, Priority, Quota, ServerQuota

NOW = 100.0
READ, WRITE, BULK = Priority.INTERACTIVE, Priority.WRITE, Priority.BULK
QUOTA = Quota(limit=20, window=60.0, reserve=0, writes=6, reads=3, bulk=3)


def sent(count: int, priority: Priority, owner: str = "z") -> list[Entry]:
    """Return so many requests of one priority that were answered ten seconds ago."""
    return [Entry(90.0, priority, owner)] * count


@pytest.mark.parametrize(
    ("done", "read", "bulk"),
    [
        (sent(1, READ), 0.0, 30.0),
        (sent(2, READ), 0.0, 30.0),
        (sent(3, READ), 30.0, 0.0),
        (sent(4, READ), 30.0, 0.0),
        (sent(3, READ) + sent(2, BULK), 30.0, 0.0),
        (sent(3, READ) + sent(3, BULK), 0.0, 30.0),
        (sent(2, READ) + sent(3, BULK), 0.0, 30.0),
    ],
)
def test_a_read_goes_before_bulk_work_until_it_has_had_its_share(done: list[Entry], read: float, bulk: float) -> None:
    # Katana says that one request is left for half a minute: whoever is first may send it.
    ledger = Ledger(QUOTA, done=done, reported=ServerQuota(1, 90.0, 130.0))
    ledger.line_up("a", {READ}, 95.0)
    ledger.line_up("b", {BULK}, 94.0)
    assert (ledger.delay("a", READ, NOW), ledger.delay("b", BULK, NOW)) == (read, bulk)


@pytest.mark.parametrize(
    ("writes", "write", "read"),
    [(0, 0.0, 30.0), (1, 0.0, 30.0), (5, 0.0, 30.0), (6, 30.0, 0.0), (7, 30.0, 0.0)],
)
def test_a_write_goes_before_a_read_until_it_has_had_its_share(writes: int, write: float, read: float) -> None:
    ledger = Ledger(QUOTA, done=sent(writes, WRITE, "a"), reported=ServerQuota(1, 90.0, 130.0))
    ledger.line_up("a", {WRITE, READ}, 95.0)
    assert (ledger.delay("a", WRITE, NOW), ledger.delay("a", READ, NOW)) == (write, read)


@pytest.mark.parametrize("reads", [13, 16, 17, 18, 19])
def test_the_first_write_beside_others_goes_at_once_however_few_places_are_free(reads: int) -> None:
    ledger = Ledger(QUOTA, done=sent(reads, READ, "b"))
    assert ledger.delay("a", WRITE, NOW) == 0.0


@pytest.mark.parametrize("hold", [0.25, 0.5, 1.0, 1.5])
def test_a_hold_of_a_second_or_less_is_one_too(hold: float) -> None:
    ledger = Ledger(QUOTA)
    ledger.close("t", RateFacts(hold=hold), NOW)
    assert ledger.held == ServerQuota(0, NOW, NOW + hold)
    assert [ledger.delay("a", priority, NOW) for priority in Priority] == [hold] * 3
