"""Time as a parameter. Nothing in this package reads a clock elsewhere."""

from __future__ import annotations

import asyncio
import heapq
import time
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Protocol


class Clock(Protocol):
    """Wall time, elapsed time and waiting."""

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go backwards."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds`; zero or less lets others run."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never go backwards."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds`."""
        await asyncio.sleep(max(seconds, 0.0))


class ManualClock:
    """A clock for tests: time moves only when everyone who could run is waiting, then to the next wake-up.

    Args:
        start: The wall time at the beginning; aware.
    """

    _IDLE_TURNS = 25

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._alarms: list[tuple[float, int]] = []
        self._numbers = count()

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds since the clock was made."""
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Move time forward by `seconds`."""
        self._elapsed += seconds

    async def sleep(self, seconds: float) -> None:
        """Wait until time has moved by `seconds`, and move it there when nobody wakes up earlier."""
        alarm = (self._elapsed + max(seconds, 0.0), next(self._numbers))
        heapq.heappush(self._alarms, alarm)
        try:
            await asyncio.sleep(0)
            while self._elapsed < alarm[0]:
                for _ in range(self._IDLE_TURNS):
                    await asyncio.sleep(0)
                if self._alarms[0] == alarm:
                    self._elapsed = max(self._elapsed, alarm[0])
        finally:
            self._alarms.remove(alarm)
            heapq.heapify(self._alarms)
