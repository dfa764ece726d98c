"""At most 60 requests in every 60 seconds per key, shared by all callers: each kind of work has a share of them.

`Budget` is the port: a budget kept in a file and shared by several processes fits behind it.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from katana_client.clock import SystemClock
from katana_client.ledger import QUEUE_RENEWED_EVERY, Ledger, Priority, Quota
from katana_client.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Generator

    from katana_client.clock import Clock
    from katana_client.headers import RateFacts

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

    def expected(self, priority: Priority) -> float:
        """Return in how many seconds the next request may go at the earliest, as far as this process knows."""
        ...

    def room_in(self, places: int, priority: Priority) -> float:
        """Return in how many seconds so many requests could go, as it looks now; 0 when they can, and none is counted.

        For callers that must not begin and then wait half-way.
        """
        ...


_ALONE = ""
"""A budget in memory has one owner."""


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
        self._ledger = Ledger(quota or Quota())
        self._turns = Turns()

    async def acquire(self, priority: Priority) -> int:
        """Wait for a place; first come first served within a priority."""
        with self._turns.waiting(priority) as turn:
            while True:
                await self._turns.wait_for_front(turn)
                now = self._now()
                delay = self._ledger.delay(_ALONE, priority, now)
                if delay <= 0:
                    self._ledger.take(str(turn.number), _ALONE, priority, now)
                    return turn.number
                if delay == float("inf"):
                    await self._turns.called(turn)
                else:
                    # A place that another line leaves alone is free before this delay has passed.
                    await self._clock.sleep(min(delay, QUEUE_RENEWED_EVERY))

    def observe(self, ticket: int, facts: RateFacts | None) -> None:
        """Close the ticket and let the headers tighten the budget."""
        self._ledger.close(str(ticket), facts, self._now())
        self._turns.call()

    def expected(self, priority: Priority) -> float:
        """Return in how many seconds the next request may go at the earliest."""
        return self._ledger.delay(_ALONE, priority, self._now())

    def room_in(self, places: int, priority: Priority) -> float:
        """Return in how many seconds so many requests could go, as it looks now."""
        return self._ledger.room_in(places, priority, self._now())

    def _now(self) -> float:
        now = self._clock.monotonic()
        self._ledger.heartbeat(_ALONE, now)
        self._ledger.line_up(_ALONE, self._turns.priorities, now)
        return now
