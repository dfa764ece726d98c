"""No window of 60 seconds ever holds more than 60 requests, and people go before bulk work."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katana_client import ManualClock, Priority, Quota, RateFacts, SlidingWindowBudget, SystemClock
from katana_client.ledger import Entry, Ledger, ServerQuota


async def use(
    budget: SlidingWindowBudget,
    clock: ManualClock,
    times: list[float],
    priority: Priority,
    latency: float = 0.0,
) -> None:
    ticket = await budget.acquire(priority)
    times.append(clock.monotonic())
    if latency:
        await clock.sleep(latency)
    budget.observe(ticket, None)


def busiest(times: Sequence[float], window: float = 60.0) -> int:
    return max(sum(1 for other in times if start <= other <= start + window) for start in times)


async def test_two_hundred_at_once_leave_the_writes_their_places_in_each_window() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock)
    times: list[float] = []
    await asyncio.gather(*(use(budget, clock, times, Priority.INTERACTIVE) for _ in range(200)))
    assert len(times) == 200
    assert busiest(times) == 45
    assert clock.monotonic() == pytest.approx(240, abs=1)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 100), st.sampled_from(Priority), st.floats(0, 20)), max_size=150))
def test_no_closed_window_holds_more_than_the_limit(plan: list[tuple[float, Priority, float]]) -> None:
    async def run() -> list[float]:
        clock = ManualClock()
        budget = SlidingWindowBudget(clock, Quota(limit=10, reserve=3))
        arrivals: list[float] = []

        async def one(start: float, priority: Priority, latency: float) -> None:
            await clock.sleep(start)
            ticket = await budget.acquire(priority)
            await clock.sleep(latency / 2)
            arrivals.append(clock.monotonic())
            await clock.sleep(latency / 2)
            budget.observe(ticket, None)

        await asyncio.gather(*(one(*arguments) for arguments in plan))
        return arrivals

    times = asyncio.run(run())
    assert len(times) == len(plan)
    assert not times or busiest(times) <= 10


async def test_bulk_work_leaves_its_reserve_to_the_interactive() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock)
    bulk: list[float] = []
    people: list[float] = []
    warm_up = [asyncio.create_task(use(budget, clock, bulk, Priority.BULK)) for _ in range(80)]
    await asyncio.sleep(0)

    async def person() -> None:
        for _ in range(10):
            await clock.sleep(2)
            asked = clock.monotonic()
            await use(budget, clock, times := [], Priority.INTERACTIVE)
            people.append(times[0] - asked)

    await asyncio.gather(person(), *warm_up)
    assert max(people) == 0
    assert sum(1 for moment in bulk if moment < 60) == 35
    assert len(bulk) == 80


async def test_an_interactive_caller_overtakes_waiting_bulk_work() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock, Quota(limit=2, reserve=1))
    order: list[str] = []

    async def named(name: str, priority: Priority) -> None:
        budget.observe(await budget.acquire(priority), None)
        order.append(name)

    await named("first", Priority.INTERACTIVE)
    await clock.sleep(1)
    await named("second", Priority.INTERACTIVE)
    bulk = asyncio.create_task(named("bulk", Priority.BULK))
    await asyncio.sleep(0)
    await asyncio.gather(bulk, named("person", Priority.INTERACTIVE))
    assert order == ["first", "second", "person", "bulk"]


async def test_a_cancelled_wait_counts_nothing_and_blocks_nobody() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock, Quota(limit=1, reserve=0))
    ticket = await budget.acquire(Priority.INTERACTIVE)
    waiting = [asyncio.create_task(budget.acquire(Priority.INTERACTIVE)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    waiting[1].cancel()
    await asyncio.sleep(0)
    budget.observe(ticket, None)
    await waiting[2]
    assert clock.monotonic() == pytest.approx(60, abs=0.1)


async def test_whoever_gets_a_place_wakes_the_next() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock, Quota(limit=3, reserve=0))
    for _ in range(3):
        budget.observe(await budget.acquire(Priority.INTERACTIVE), None)
    tickets = await asyncio.wait_for(asyncio.gather(*(budget.acquire(Priority.INTERACTIVE) for _ in range(3))), 60)
    assert len(set(tickets)) == 3
    assert clock.monotonic() == pytest.approx(60, abs=0.1)


async def test_a_request_in_flight_keeps_its_place_until_a_window_after_its_answer() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock, Quota(limit=1, reserve=0))
    times: list[float] = []
    await asyncio.gather(
        use(budget, clock, times, Priority.INTERACTIVE, latency=30),
        use(budget, clock, times, Priority.INTERACTIVE),
    )
    assert times == [0, pytest.approx(90, abs=0.1)]


async def test_a_429_makes_every_caller_hold() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock)
    budget.observe(await budget.acquire(Priority.INTERACTIVE), RateFacts(hold=12))
    await budget.acquire(Priority.INTERACTIVE)
    assert clock.monotonic() == pytest.approx(12)


async def test_a_lower_remaining_is_believed_until_its_reset() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock)
    budget.observe(await budget.acquire(Priority.INTERACTIVE), RateFacts(remaining=2, reset_in=40))
    times: list[float] = []
    for _ in range(3):
        await use(budget, clock, times, Priority.INTERACTIVE)
    assert times == [0, 0, pytest.approx(40)]


async def test_a_new_window_replaces_what_the_old_one_said() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock)
    budget.observe(await budget.acquire(Priority.INTERACTIVE), RateFacts(remaining=0, reset_in=5))
    ticket = await budget.acquire(Priority.INTERACTIVE)
    budget.observe(ticket, RateFacts(remaining=58, reset_in=60))
    await budget.acquire(Priority.INTERACTIVE)
    assert clock.monotonic() == pytest.approx(5)


async def test_a_late_answer_of_the_old_window_changes_nothing() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock)
    old = await budget.acquire(Priority.INTERACTIVE)
    budget.observe(await budget.acquire(Priority.INTERACTIVE), RateFacts(remaining=58, reset_in=60))
    budget.observe(old, RateFacts(remaining=0, reset_in=1))
    await budget.acquire(Priority.INTERACTIVE)
    assert clock.monotonic() == 0


async def test_a_plan_with_a_lower_limit_is_respected_and_a_higher_one_is_not_believed() -> None:
    clock = ManualClock()
    budget = SlidingWindowBudget(clock)
    budget.observe(await budget.acquire(Priority.INTERACTIVE), RateFacts(limit=30))
    times: list[float] = [0.0]
    for _ in range(40):
        await use(budget, clock, times, Priority.INTERACTIVE)
    assert busiest(times) == 23
    budget.observe(await budget.acquire(Priority.INTERACTIVE), RateFacts(limit=500))
    times = []
    await asyncio.gather(*(use(budget, clock, times, Priority.INTERACTIVE) for _ in range(100)))
    assert busiest(times) <= 60


def test_what_was_kept_apart_is_taken_over_once_and_only_from_its_owner() -> None:
    shared, apart = Ledger(), Ledger()
    for ledger in (shared, apart):
        for owner in ("mine", "theirs"):
            ledger.take(f"{owner}.1", owner, Priority.INTERACTIVE, 1)
            ledger.close(f"{owner}.1", None, 2)
            ledger.take(f"{owner}.2", owner, Priority.INTERACTIVE, 3)
    apart.close("mine.2", None, 4)
    apart.close("theirs.2", None, 4)
    apart.take("mine.3", "mine", Priority.BULK, 5)
    shared.merge("mine", apart)
    answered = [Entry(at, Priority.INTERACTIVE, owner) for at, owner in ((2, "mine"), (2, "theirs"), (4, "mine"))]
    assert shared.done == answered
    assert shared.flying == {
        "theirs.2": Entry(3, Priority.INTERACTIVE, "theirs"),
        "mine.3": Entry(5, Priority.BULK, "mine"),
    }


@pytest.mark.parametrize(("ahead", "left"), [(0.0, 3), (1.0, 3), (1.1, None)])
def test_what_katana_said_a_second_from_now_still_counts(ahead: float, left: int | None) -> None:
    ledger = Ledger()
    ledger.reported = ServerQuota(3, 100 + ahead, 120)
    ledger.heartbeat("mine", 100)
    assert ledger.reported == (ServerQuota() if left is None else ServerQuota(left, 100 + ahead, 120))


async def test_the_systems_clock_moves() -> None:
    clock = SystemClock()
    before = clock.monotonic()
    await clock.sleep(-1)
    assert clock.monotonic() >= before
    assert clock.now().utcoffset() is not None
