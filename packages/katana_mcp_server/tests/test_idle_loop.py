"""Virtual time passes only where all that is under way waits for it, however slow the machine is."""

import asyncio
import threading

import pytest

from katana_mcp.testing import ends, paced, unstuck, within
from katana_sandbox import ManualClock

pytestmark = pytest.mark.threads


def _works(clock: ManualClock) -> float:
    """Return how late it is at the end of some work, in a thread."""
    threading.Event().wait(0.1)
    return clock.monotonic()


async def test_no_time_passes_while_a_thread_works(clock: ManualClock) -> None:
    sleeper = asyncio.ensure_future(clock.sleep(5))
    work = asyncio.to_thread(_works, clock)
    assert await within(clock, 10, work) == 0
    assert await paced(clock, asyncio.to_thread(_works, clock)) == 0
    await within(clock, 10, sleeper)
    assert clock.monotonic() == 5


async def test_no_time_passes_while_somebody_means_to_go_on_at_once(clock: ManualClock) -> None:
    sleeper = asyncio.ensure_future(clock.sleep(5))
    assert not await asyncio.wait_for(asyncio.shield(ends(sleeper)), 10)
    await within(clock, 1, asyncio.sleep(0.02))
    assert clock.monotonic() == 0
    sleeper.cancel()


async def test_time_goes_from_sleeper_to_sleeper_and_no_farther_than_told(clock: ManualClock) -> None:
    woken = list[float]()

    async def sleeps(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append(clock.monotonic())

    await within(clock, 7, asyncio.gather(sleeps(7), sleeps(2)))
    assert woken == [2, 7]
    with pytest.raises(TimeoutError):
        await within(clock, 7, sleeps(8))
    assert clock.monotonic() == 7


async def test_of_two_that_move_time_each_sees_what_the_other_has_done(clock: ManualClock) -> None:
    async def sleeps_twice() -> float:
        await clock.sleep(1)
        await clock.sleep(1)
        return clock.monotonic()

    assert await asyncio.gather(*(within(clock, 2, sleeps_twice()) for _ in range(2))) == [2, 2]


async def test_a_call_moves_time_where_nobody_else_does(clock: ManualClock) -> None:
    await unstuck(clock, clock.sleep(30))
    assert clock.monotonic() == 30
    with pytest.raises(TimeoutError):
        await within(clock, 5, unstuck(clock, clock.sleep(30)))
    assert clock.monotonic() == 30
