"""Work that must not be left half-way, for callers that are cancelled once or again and again."""

import asyncio
import gc
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from cache_core.waiting import to_the_end


async def given_up(waiting: Awaitable[object], *, until: Callable[[], bool], times: int) -> BaseException:
    """Cancel who waits, some times in a row as soon as something holds; return how it ended."""
    caller = asyncio.ensure_future(waiting)
    while not until():  # noqa: ASYNC110 - a thread may be what makes it hold
        await asyncio.sleep(0)
    for _ in range(times):
        caller.cancel()
        await asyncio.sleep(0)
    (ended,) = await asyncio.gather(caller, return_exceptions=True)
    assert isinstance(ended, BaseException)
    return ended


async def test_what_the_work_returns_or_raises_passes_through() -> None:
    assert await to_the_end(asyncio.sleep(0, 5)) == 5

    async def failing() -> None:
        raise LookupError("no such part")

    with pytest.raises(LookupError, match="no such part"):
        await to_the_end(failing())


@pytest.mark.parametrize("times", [1, 3])
async def test_a_thread_has_ended_before_its_caller_learns_that_it_was_cancelled(times: int) -> None:
    begun, go_on = threading.Event(), threading.Event()
    did: list[str] = []

    def work() -> None:
        begun.set()
        go_on.wait(5)
        did.append("file made")

    loop = asyncio.get_running_loop()
    loop.call_later(0.02, go_on.set)
    ended = await given_up(to_the_end(asyncio.to_thread(work)), until=begun.is_set, times=times)
    assert isinstance(ended, asyncio.CancelledError)
    assert did == ["file made"]


async def test_work_that_fails_after_its_caller_was_cancelled_is_not_reported_as_forgotten() -> None:
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    begun: list[bool] = []

    async def work() -> None:
        begun.append(True)
        try:
            await asyncio.sleep(0.01)
        finally:
            raise LookupError("too late")

    ended = await given_up(to_the_end(work()), until=lambda: bool(begun), times=2)
    assert isinstance(ended, asyncio.CancelledError)
    del ended  # its traceback holds the work, the loop holds it for one turn; asyncio reports it once nothing does
    await asyncio.sleep(0)
    gc.collect()
    assert reported == []
