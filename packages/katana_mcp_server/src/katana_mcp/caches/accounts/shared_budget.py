"""The client's `Budget`, kept in a file: all processes that use a key together send what one of them might.

It waits for no lock on the event loop, and holds none over a wait. Where the file cannot serve, it is an ordinary
budget of this process, and looks for the file once a minute.
"""

import asyncio
import random
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import structlog

from katana_client import Clock, Priority, Quota, RateFacts
from katana_client.ledger import QUEUE_RENEWED_EVERY, RENEWED_EVERY, Ledger
from katana_client.turns import Turn, Turns
from katana_mcp.caches.accounts.ledger_file import Busy, LedgerFile, Unusable

_log = structlog.get_logger("katana_mcp.katana")

_BUSY_PAUSE = 0.005
_BUSY_FOR = 2.0
_LOST_FOR = 60.0


class SharedBudget:
    """At most 60 requests in every 60 seconds over all processes; each kind of work has a share of them.

    Within a process callers stand in a line per priority; the first of each stands in line with those of the others. It
    takes a place only when there is also room for all who stand before it, so a free place wakes one and not everybody.

    Args:
        path: The file of the key.
        clock: Where time comes from; `monotonic` must be the same for all processes of the machine, as the system's is.
        quota: How much may be sent.
    """

    def __init__(self, path: Path, clock: Clock, quota: Quota | None = None) -> None:
        chosen = quota or Quota()
        self._clock = clock
        self._file = LedgerFile(path, chosen)
        self._owner = secrets.token_hex(6)
        self._turns = Turns()
        self._ledger = Ledger(chosen)
        self._flying: set[int] = set()
        self._over: list[tuple[int, RateFacts | None, float]] = []
        self._keeper: asyncio.Task[None] | None = None
        self._busy_since: float | None = None
        self._lost_until: float | None = None
        self._said = False

    async def acquire(self, priority: Priority) -> int:
        """Wait until one request may be sent, count it, and return its ticket; a cancelled wait counts nothing."""
        with self._turns.waiting(priority) as turn:
            while True:
                await self._turns.wait_for_front(turn)
                try:
                    delay = self._settled(lambda ledger, now: self._tried(turn, ledger, now))
                except Busy:
                    delay = random.uniform(0.2, 1.0) * _BUSY_PAUSE
                if delay <= 0:
                    self._flying.add(turn.number)
                    self._keep()
                    return turn.number
                await self._clock.sleep(min(delay, QUEUE_RENEWED_EVERY))

    def observe(self, ticket: int, facts: RateFacts | None) -> None:
        """Take note that the request of `ticket` is over, and what its answer said about the quota."""
        self._flying.discard(ticket)
        self._over.append((ticket, facts, self._clock.monotonic()))
        with suppress(Busy):
            self._settled(_nothing)
        self._keep()
        self._turns.call()

    def expected(self, priority: Priority) -> float:
        """Return in how many seconds the next request may go at the earliest, by what the file said last."""
        return self._ledger.delay(self._owner, priority, self._clock.monotonic())

    def room_in(self, places: int, priority: Priority) -> float:
        """Return in how many seconds so many requests could go, over all processes, as it looks now."""
        try:
            return self._settled(lambda ledger, now: ledger.room_in(places, priority, now))
        except Busy:
            return _BUSY_PAUSE

    def close(self) -> None:
        """Close the file for good; what is sent afterwards is counted in this process alone."""
        self._lost_until = float("inf")
        if self._keeper is not None:
            self._keeper.cancel()
        self._file.close()

    def _tried(self, turn: Turn, ledger: Ledger, now: float) -> float:
        """Take a place if there is one; otherwise return how long to wait."""
        delay = ledger.delay(self._owner, turn.priority, now)
        if delay <= 0:
            ledger.take(self._ticket(turn.number), self._owner, turn.priority, now)
        return delay

    def _settled[T](self, work: Callable[[Ledger, float], T]) -> T:
        """Bring the ledger up to date with this process, run `work` on it, and keep it.

        Raises:
            Busy: another process holds the file just now; nothing happened.
        """

        def whole(ledger: Ledger) -> T:
            now = self._clock.monotonic()
            if ledger is not self._ledger and (self._lost_until is not None or self._file.is_new):
                ledger.merge(self._owner, self._ledger)
            ledger.heartbeat(self._owner, now)
            for ticket, facts, at in self._over:
                ledger.close(self._ticket(ticket), facts, at)
            ledger.line_up(self._owner, self._turns.priorities, now)
            return work(ledger, now)

        result = self._in_file(whole)
        self._over.clear()
        return result

    def _in_file[T](self, work: Callable[[Ledger], T]) -> T:
        now = self._clock.monotonic()
        if self._lost_until is not None and now < self._lost_until:
            return work(self._ledger)
        try:
            self._ledger, result = self._file.change(work)
        except Busy:
            self._busy_since = now if self._busy_since is None else self._busy_since
            if now - self._busy_since < _BUSY_FOR:
                raise
            reason = "another process does not let go of it"
        except Unusable as error:
            reason = str(error)
        else:
            self._busy_since = self._lost_until = None
            return result
        self._lose(reason, now)
        return work(self._ledger)

    def _lose(self, reason: str, now: float) -> None:
        self._busy_since, self._lost_until = None, now + _LOST_FOR
        if not self._said:
            _log.warning("the request budget is not shared with other processes", reason=reason)
        self._said = True

    def _keep(self) -> None:
        """Have it said that this process is alive while requests are in flight, and what could not be said yet."""
        if self._keeper is not None:
            self._keeper.cancel()
            self._keeper = None
        if self._flying or self._over:
            self._keeper = asyncio.get_running_loop().create_task(self._renewed())

    async def _renewed(self) -> None:
        while self._flying or self._over:
            await self._clock.sleep(_BUSY_PAUSE if self._over else RENEWED_EVERY)
            with suppress(Busy):
                self._settled(_nothing)

    def _ticket(self, number: int) -> str:
        return f"{self._owner}.{number}"


def _nothing(ledger: Ledger, now: float) -> None:
    del ledger, now
