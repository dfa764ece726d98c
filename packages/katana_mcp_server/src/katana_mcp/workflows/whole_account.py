"""Questions about a whole account: they wait for what was never read as long as clients do, and go on from there.

Where Katana's requests of the minute are used up, they answer at once with what is known, and say when to come back.
"""

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache

from cache_core.specs.stock import STOCK
from cache_core.sync import StockReads
from katana_client import Priority
from katana_mcp.references.services import AT_ONCE, Current, Services
from katana_mcp.tools.answers import so_many

WAITS = 40.0
"""Seconds that an answer about a whole account waits for what was never read; clients give a call up after 60."""
_FOR_LEVELS = 2.0
"""Seconds of these that are left to stock levels where listings took all others."""
_FEW, _CROWDED = 5, 5.0
"""Seconds until so many requests may go from which on waiting for all is in vain; waited are so many seconds too."""


@dataclass(frozen=True, slots=True)
class PatientReads:
    """What such a question is answered from.

    Attributes:
        services: with which listings are waited for.
        began: when, by the monotonic clock.
        waits: gives the seconds until the wait ends, as it looked when that was asked first.
    """

    services: Services
    began: float
    waits: Callable[[], float]

    def stock(self) -> StockReads:
        """Return stock levels that are waited for as long as time is left."""
        return self.services.stock.waiting(self._for_levels, self.services.tell)

    def _for_levels(self) -> float:
        waited = self.services.clock.monotonic() - self.began
        waits = self.waits() if waited < AT_ONCE else _waits(self.services)
        return max(_FOR_LEVELS, min(self.waits() - waited, waits))


@contextmanager
def patient(services: Services, left: float = _FOR_LEVELS) -> Generator[PatientReads]:
    """Let first listings, and then stock levels, be waited for, ahead of work that nobody waits for.

    Args:
        services: of the call.
        left: seconds that are kept for what is asked after the listings.
    """
    with ExitStack() as stack:

        def on_due(due: Sequence[str], first: Sequence[str]) -> None:
            stack.enter_context(services.awaited(first))
            services.on_due([*due, STOCK.name], first)

        # Asked where something is waited for: all processes share the requests, and a fresh read need not know of them.
        waits = cache(lambda: _waits(services))
        fresh = services.fresh.waiting(lambda: max(_FOR_LEVELS, waits() - left))
        yield PatientReads(services._replace(fresh=fresh, on_due=on_due), services.clock.monotonic(), waits)


def _next_place(services: Services) -> float:
    """Return in how many seconds a few requests may go."""
    return services.client.budget.room_in(_FEW, Priority.INTERACTIVE)


def _waits(services: Services) -> float:
    return _CROWDED if _next_place(services) > _CROWDED else WAITS


def goes_on(tool: str, now: Current, services: Services, unread: int = 0) -> list[str]:
    """Return the call that goes on where this one ended, if it did not read everything, and when to make it."""
    left = [f"the first sync is at {now.warming}"] if now.warming is not None else []
    left += [f"{so_many(unread, 'variant')} {'is' if unread == 1 else 'are'} not checked yet"] if unread else []
    if not left:
        return []
    seconds = _next_place(services)
    when = f" in {math.ceil(seconds)} s, when Katana takes requests again" if seconds >= 1 else ""
    return [f"{tool}(...) again{when}: {' and '.join(left)}; it goes on from there"]
