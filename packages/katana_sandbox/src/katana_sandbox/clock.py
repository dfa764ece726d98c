"""Clocks: real time, and a virtual one that tests move by hand and may share with the code under test."""

import asyncio
import heapq
import time
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Protocol

_QUIET_TICKS = 20


class Clock(Protocol):
    """What the sandbox needs of time."""

    def now(self) -> datetime:
        """Wall time, aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return once `seconds` have passed on this clock."""
        ...


class SystemClock:
    """Real time."""

    def now(self) -> datetime:
        """Wall time, aware, UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return once `seconds` have really passed."""
        await asyncio.sleep(seconds)


class ManualClock:
    """Virtual time: it moves by `advance`, and, unless `auto` is false, to the next sleeper when all wait.

    With `auto` the earliest sleeper wakes first, so two parties that sleep on one clock keep their order.
    """

    def __init__(self, start: datetime = datetime(2026, 3, 2, 9, 0, tzinfo=UTC), *, auto: bool = True) -> None:
        self._wall = start.astimezone(UTC)
        self._elapsed = 0.0
        self._auto = auto
        self._order = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._pump: asyncio.Task[None] | None = None

    def now(self) -> datetime:
        """Wall time, aware, UTC."""
        return self._wall + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Seconds since this clock was made."""
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Move both readings forward and wake whoever is due."""
        if seconds < 0:
            raise ValueError("a clock only advances; use shift to move the wall reading alone")
        self._elapsed += seconds
        while self._sleepers and self._sleepers[0][0] <= self._elapsed + 1e-9:
            future = heapq.heappop(self._sleepers)[2]
            if not future.done():
                future.set_result(None)

    def due(self) -> float | None:
        """Seconds until the next sleeper wakes, or None when nobody sleeps."""
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        return max(0.0, self._sleepers[0][0] - self._elapsed) if self._sleepers else None

    def shift(self, seconds: float) -> None:
        """Move the wall reading alone, as a corrected system time would."""
        self._wall += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        """Return once this clock has moved by `seconds`."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), future))
        if self._auto and (self._pump is None or self._pump.done()):
            self._pump = asyncio.create_task(self._wake_in_order())
        await future

    async def _wake_in_order(self) -> None:
        while self._sleepers:
            for _ in range(_QUIET_TICKS):
                await asyncio.sleep(0)
            if self._sleepers:
                self.advance(max(0.0, self._sleepers[0][0] - self._elapsed))
