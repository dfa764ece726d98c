"""At most 60 requests in every 60 seconds per key, shared by all callers, interactive ones first.

`Budget` is the port: a budget kept in a file and shared by several processes fits behind it.
"""

from __future__ import annotations

import asyncio
import bisect
from collections import deque
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count
from typing import TYPE_CHECKING, Protocol

from katana_client.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Generator

    from katana_client.clock import Clock
    from katana_client.headers import RateFacts


class Priority(IntEnum):
    """Who goes first. Bulk work leaves a reserve to the interactive."""

    INTERACTIVE = 0
    BULK = 1


_SAME_RESET = 2.0
"""Two resets this close, in seconds, are the same one; `Date` has a resolution of one second."""

_priority: ContextVar[Priority] = ContextVar("katana_client_priority", default=Priority.INTERACTIVE)


def current_priority() -> Priority:
    """Return the priority of the running task."""
    return _priority.get()


@contextmanager
def prioritised(priority: Priority) -> Generator[None]:
    """Give every request made inside the block (and in tasks started there) this priority."""
    token = _priority.set(priority)
    try:
        yield
    finally:
        _priority.reset(token)


class Budget(Protocol):
    """Permission to send. One budget serves everyone who uses the same API key."""

    async def acquire(self, priority: Priority) -> int:
        """Wait until one request may be sent, count it, and return its ticket.

        A cancelled wait counts nothing.
        """
        ...

    def observe(self, ticket: int, facts: RateFacts | None) -> None:
        """Take note that the request of `ticket` is over; called exactly once per ticket, also after a fault.

        Args:
            ticket: What `acquire` returned.
            facts: What the answer said about the quota; None when no answer came.
        """
        ...


@dataclass(frozen=True, slots=True)
class Quota:
    """How much may be sent.

    Attributes:
        limit: Requests in any window.
        window: Seconds.
        reserve: Requests of each window that bulk work leaves alone; less than `limit`.
    """

    limit: int = 60
    window: float = 60.0
    reserve: int = 15


@dataclass(order=True, slots=True)
class _Waiter:
    priority: Priority
    number: int
    turn: asyncio.Future[None] = field(compare=False)


class SlidingWindowBudget:
    """A true sliding log, in memory, for one event loop.

    A request occupies its place from the moment it may be sent until one window after its answer came,
    because it may have reached the server at any time in between; so the server never counts more than
    `limit` in any window either.

    The quota headers can only make it stricter: a lower limit, fewer requests remaining until the reset, or a
    hold after a 429. What they say is forgotten after 65 seconds at the latest.

    Args:
        clock: Where time comes from.
        quota: How much may be sent.
    """

    def __init__(self, clock: Clock | None = None, quota: Quota | None = None) -> None:
        self._clock = clock or SystemClock()
        self._quota = quota or Quota()
        self._limit = self._quota.limit
        self._open: dict[int, Priority] = {}
        self._done: deque[tuple[float, Priority]] = deque()
        self._waiters: list[_Waiter] = []
        self._numbers = count(1)
        self._held_until = float("-inf")
        self._left = 0
        self._left_until = float("-inf")

    async def acquire(self, priority: Priority) -> int:
        """Wait for a place, interactive before bulk, first come first served within each."""
        waiter = _Waiter(priority, next(self._numbers), asyncio.get_running_loop().create_future())
        bisect.insort(self._waiters, waiter)
        try:
            await self._wait(waiter)
            self._open[waiter.number] = priority
            self._left -= 1
        finally:
            self._waiters.remove(waiter)
            self._wake_first()
        return waiter.number

    def observe(self, ticket: int, facts: RateFacts | None) -> None:
        """Close the ticket and let the headers tighten the budget."""
        now = self._clock.monotonic()
        priority = self._open.pop(ticket, None)
        if priority is not None:
            self._done.append((now, priority))
        if facts is not None:
            self._tighten(now, facts)
        self._wake_first()

    def _tighten(self, now: float, facts: RateFacts) -> None:
        if facts.limit is not None:
            self._limit = min(self._quota.limit, facts.limit)
        self._held_until = max(self._held_until, now + facts.hold)
        if facts.remaining is None or facts.reset_in is None:
            return
        left, until = max(facts.remaining - len(self._open), 0), now + facts.reset_in
        if now >= self._left_until or until > self._left_until + _SAME_RESET:
            self._left, self._left_until = left, until
        elif until >= self._left_until - _SAME_RESET:
            self._left = min(self._left, left)

    async def _wait(self, waiter: _Waiter) -> None:
        while True:
            if self._waiters[0] is not waiter:
                waiter.turn = asyncio.get_running_loop().create_future()
                await waiter.turn
                continue
            delay = self._delay(waiter.priority)
            if delay <= 0:
                return
            if delay == float("inf"):
                waiter.turn = asyncio.get_running_loop().create_future()
                await waiter.turn
                continue
            await self._clock.sleep(delay)

    def _delay(self, priority: Priority) -> float:
        """Return how long the first waiter must still wait; infinite when only an answer can make room."""
        now = self._clock.monotonic()
        while self._done and self._done[0][0] + self._quota.window < now:
            self._done.popleft()
        delay = max(self._held_until - now, self._room_in(now, self._limit, list(self._done), len(self._open)))
        if now < self._left_until and self._left <= 0:
            delay = max(delay, self._left_until - now)
        if priority is Priority.BULK:
            done = [entry for entry in self._done if entry[1] is Priority.BULK]
            in_flight = sum(each is Priority.BULK for each in self._open.values())
            delay = max(delay, self._room_in(now, max(self._limit - self._quota.reserve, 1), done, in_flight))
        return delay

    def _room_in(self, now: float, limit: int, done: list[tuple[float, Priority]], in_flight: int) -> float:
        excess = len(done) + in_flight + 1 - limit
        if excess <= 0:
            return 0.0
        if excess > len(done):
            return float("inf")
        # A hair more than the window, so that a window with both ends in it holds no more than the limit.
        return done[excess - 1][0] + self._quota.window + 0.001 - now

    def _wake_first(self) -> None:
        if self._waiters and not self._waiters[0].turn.done():
            self._waiters[0].turn.set_result(None)
