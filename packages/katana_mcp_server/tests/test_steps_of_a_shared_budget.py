"""One process with a budget in a file, step by step: what the file is told and when, and when it is done without."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from katana_client import ManualClock, Priority, Quota, RateFacts
from katana_client.ledger import Entry, Ledger
from katana_mcp.caches.accounts.ledger_file import LedgerFile
from katana_mcp.caches.accounts.shared_budget import SharedBudget

READS, BULK = Priority.INTERACTIVE, Priority.BULK
ALONE = Quota(limit=1, reserve=0)
WARNING = "the request budget is not shared with other processes"
LOST = {"event": WARNING, "log_level": "warning", "reason": "another process does not let go of it"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.sqlite"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def budget(path: Path, clock: ManualClock) -> AsyncGenerator[SharedBudget]:
    budget = SharedBudget(path, clock)
    yield budget
    budget.close()


def told(path: Path) -> Ledger:
    """Return what the file holds."""
    file = LedgerFile(path, Quota())
    try:
        return file.change(lambda _: None)[0]
    finally:
        file.close()


def flying(path: Path) -> dict[str, float]:
    """Return the requests in flight without their owner's name, and when that was last heard of."""
    return {ticket.partition(".")[2]: entry.at for ticket, entry in told(path).flying.items()}


def done(path: Path) -> list[float]:
    return [entry.at for entry in told(path).done]


@contextmanager
def held(path: Path) -> Generator[None]:
    """Hold the file as another process does that stopped in a change."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def damage(path: Path) -> None:
    path.write_bytes(b"no database at all, and longer than a header " * 100)
    path.chmod(0o600)


def remove(path: Path) -> None:
    path.unlink()


def is_gone(path: Path) -> bool:
    return not path.exists()


async def test_a_request_is_in_the_file_from_its_permission_to_its_answer(
    budget: SharedBudget, path: Path, clock: ManualClock
) -> None:
    clock.advance(3)
    assert [await budget.acquire(READS), await budget.acquire(BULK)] == [1, 2]
    tickets, owners = zip(*((ticket, entry.owner) for ticket, entry in told(path).flying.items()), strict=True)
    assert re.fullmatch(r"[0-9a-f]{12}", owners[0])
    assert (tickets, set(owners)) == ((f"{owners[0]}.1", f"{owners[0]}.2"), {owners[0]})
    assert [entry.priority for entry in told(path).flying.values()] == [READS, BULK]
    clock.advance(1)
    budget.observe(1, RateFacts(limit=30))
    assert told(path).done == [Entry(4.0, READS, owners[0])]
    assert (flying(path), told(path).limit) == ({"2": 4.0}, 30)
    budget.observe(2, None)
    assert (flying(path), done(path)) == ({}, [4.0, 4.0])


async def test_two_processes_have_names_of_their_own(budget: SharedBudget, path: Path, clock: ManualClock) -> None:
    other = SharedBudget(path, clock)
    assert [await budget.acquire(READS), await other.acquire(READS)] == [1, 1]
    assert len(told(path).flying) == 2
    other.close()


async def test_a_request_waits_for_a_window_after_the_answer_before_it(path: Path, clock: ManualClock) -> None:
    budget = SharedBudget(path, clock, ALONE)
    assert budget.expected(READS) == 0
    ticket = await budget.acquire(READS)
    assert budget.expected(READS) == float("inf")
    clock.advance(2)
    budget.observe(ticket, None)
    assert budget.expected(READS) == pytest.approx(60.001)
    assert await budget.acquire(READS) == 2
    assert clock.monotonic() == pytest.approx(62.001)
    budget.close()


async def test_whoever_waits_stands_in_the_file_every_half_a_second(path: Path, clock: ManualClock) -> None:
    budget = SharedBudget(path, clock, ALONE)
    budget.observe(await budget.acquire(READS), None)
    waiting = [asyncio.create_task(budget.acquire(priority)) for priority in (READS, READS, BULK)]
    await clock.sleep(10.25)
    queue = {line.partition(":")[2]: waiting for line, waiting in told(path).queue.items()}
    assert {line: (first.priority, first.since) for line, first in queue.items()} == {"": (READS, 0), "b": (BULK, 0)}
    assert {first.seen for first in queue.values()} == {10.0}
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    budget.close()


async def test_within_a_process_a_place_goes_to_who_came_first(path: Path, clock: ManualClock) -> None:
    file = LedgerFile(path, ALONE)
    file.change(lambda ledger: ledger.take("gone.1", "gone", READS, 0.0))
    file.close()
    budget = SharedBudget(path, clock, ALONE)
    # What a process had in flight that is gone is forgotten after 65 seconds; the second would look sooner then.
    await clock.sleep(0.3)
    first = asyncio.create_task(budget.acquire(READS))
    await clock.sleep(0.8)
    second = asyncio.create_task(budget.acquire(READS))
    assert await first == 1
    assert (clock.monotonic(), second.done()) == (pytest.approx(65.3), False)
    budget.observe(1, None)
    assert await second == 2
    assert clock.monotonic() == pytest.approx(125.301)
    budget.close()


async def test_requests_in_flight_are_renewed_every_five_seconds(
    budget: SharedBudget, path: Path, clock: ManualClock
) -> None:
    ticket = await budget.acquire(READS)
    for now, heard in ((4.9, 0.0), (5.1, 5.0), (14.9, 10.0), (15.1, 15.0)):
        await clock.sleep(now - clock.monotonic())
        assert flying(path) == {"1": heard}
    budget.observe(ticket, None)
    await clock.sleep(10)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_one_task_says_that_the_process_is_alive(budget: SharedBudget, clock: ManualClock) -> None:
    tickets = [await budget.acquire(READS) for _ in range(3)]
    await clock.sleep(0)
    assert len(asyncio.all_tasks()) == 2
    budget.observe(tickets[0], None)
    await clock.sleep(0)
    assert len(asyncio.all_tasks()) == 2
    budget.close()
    await clock.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_room_is_looked_up_in_the_file(budget: SharedBudget, path: Path, clock: ManualClock) -> None:
    entries = [Entry(float(number), BULK, "other") for number in range(60)]
    file = LedgerFile(path, Quota())
    file.change(lambda ledger: ledger.done.extend(entries))
    file.close()
    clock.advance(59)
    ledger = Ledger(done=entries)
    for places, priority in ((1, READS), (9, READS), (1, BULK), (12, Priority.WRITE)):
        assert budget.room_in(places, priority) == ledger.room_in(places, priority, 59.0) > 1
    assert budget.room_in(9, READS) != budget.room_in(1, READS)
    assert budget.expected(READS) > 0


async def test_a_file_in_other_hands_is_waited_for_without_a_word(
    budget: SharedBudget, path: Path, clock: ManualClock
) -> None:
    assert budget.room_in(1, READS) == 0
    with held(path):
        waiting = asyncio.create_task(budget.acquire(READS))
        await clock.sleep(1.9)
        assert not waiting.done()
    assert await waiting == 1
    assert clock.monotonic() == pytest.approx(1.9, abs=0.005)
    assert list(flying(path)) == ["1"]


def test_a_file_is_given_up_after_two_seconds_in_other_hands(path: Path, clock: ManualClock) -> None:
    budget = SharedBudget(path, clock)
    with capture_logs() as logs:
        assert budget.room_in(1, READS) == 0
        clock.advance(10)
        with held(path):
            assert budget.room_in(1, READS) == 0.005
            clock.advance(1.999)
            assert (budget.room_in(1, READS), logs) == (0.005, [])
            clock.advance(0.001)
            assert (budget.room_in(1, READS), logs) == (0, [LOST])
    budget.close()


def test_two_seconds_are_counted_anew_after_the_file_served(path: Path, clock: ManualClock) -> None:
    budget = SharedBudget(path, clock)
    for _ in range(3):
        assert budget.room_in(1, READS) == 0
        with held(path):
            for _ in range(2):
                assert budget.room_in(1, READS) == 0.005
                clock.advance(1)
    budget.close()


async def test_without_the_file_a_process_counts_alone_for_a_minute_and_then_tells_what_it_sent(
    budget: SharedBudget, path: Path, clock: ManualClock
) -> None:
    budget.observe(await budget.acquire(READS), None)
    with capture_logs() as logs:
        with held(path):
            for _ in range(3):
                budget.room_in(1, READS)
                clock.advance(1)
        assert logs == [LOST]
        assert await budget.acquire(READS) == 2
        budget.observe(await budget.acquire(BULK), None)
        # It was given up at 2, so it is looked for at 62.
        clock.advance(58.9)
        budget.room_in(1, READS)
        assert (flying(path), done(path)) == ({}, [0.0])
        clock.advance(0.1)
        budget.room_in(1, READS)
        assert (flying(path), done(path)) == ({"2": 62.0}, [3.0])
        clock.advance(1)
        with held(path):
            for _ in range(3):
                budget.room_in(1, READS)
                clock.advance(1)
    assert logs == [LOST], "said once"
    budget.observe(2, None)


async def test_what_could_not_be_told_is_told_once_the_file_is_free(
    budget: SharedBudget, path: Path, clock: ManualClock
) -> None:
    ticket = await budget.acquire(READS)
    clock.advance(1)
    with held(path):
        budget.observe(ticket, RateFacts(limit=20))
        await clock.sleep(1.5)
    assert (list(flying(path)), done(path)) == (["1"], [])
    await clock.sleep(0.006)
    assert (list(flying(path)), done(path), told(path).limit) == ([], [1.0], 20)
    await clock.sleep(0.01)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_what_is_told_is_told_once(budget: SharedBudget, path: Path) -> None:
    budget.observe(await budget.acquire(READS), RateFacts(limit=20))
    file = LedgerFile(path, Quota())
    file.change(lambda ledger: setattr(ledger, "limit", 40))
    file.close()
    budget.room_in(1, READS)
    assert told(path).limit == 40


async def test_a_damaged_file_is_done_without_and_made_anew_after_a_minute(path: Path, clock: ManualClock) -> None:
    damage(path)
    budget = SharedBudget(path, clock, ALONE)
    with capture_logs() as logs:
        assert await budget.acquire(READS) == 1
    assert logs == [{**LOST, "reason": "budget.sqlite: file is not a database"}]
    assert budget.expected(READS) == float("inf")
    clock.advance(59.9)
    budget.room_in(1, READS)
    assert is_gone(path)
    clock.advance(0.1)
    budget.room_in(1, READS)
    assert flying(path) == {"1": 60.0}
    budget.close()


async def test_a_budget_that_was_closed_leaves_the_file_alone(path: Path, clock: ManualClock) -> None:
    budget = SharedBudget(path, clock)
    ticket = await budget.acquire(READS)
    budget.close()
    remove(path)
    budget.observe(ticket, None)
    clock.advance(1_000)
    assert await budget.acquire(READS) == 2
    assert budget.room_in(1, READS) == 0
    assert is_gone(path)
    budget.close()
    await clock.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
