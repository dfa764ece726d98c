"""Questions about a whole account: they wait for what was never read as long as clients do, and go on from there."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from cache_core.specs.stock import STOCK
from cache_core.sync import StockReads
from katana_mcp.services import Current, Services

WAITS = 40.0
"""Seconds that an answer about a whole account waits for what was never read; clients give a call up after 60."""
_FOR_LEVELS = 2.0
"""Seconds of these that are left to stock levels where listings took all others."""


@dataclass(frozen=True, slots=True)
class PatientReads:
    """What such a question is answered from.

    Attributes:
        services: with which listings are waited for.
        until: when the wait ends, by the monotonic clock.
    """

    services: Services
    until: float

    def stock(self) -> StockReads:
        """Return stock levels that are waited for as long as time is left."""
        left = max(_FOR_LEVELS, self.until - self.services.clock.monotonic())
        return self.services.stock.waiting(left, self.services.tell)


@contextmanager
def patient(services: Services) -> Generator[PatientReads]:
    """Let first listings, and then stock levels, be waited for, ahead of work that nobody waits for."""
    with ExitStack() as stack:

        def on_due(due: Sequence[str], first: Sequence[str]) -> None:
            stack.enter_context(services.awaited(first))
            services.on_due([*due, STOCK.name], first)

        fresh = services.fresh.waiting(WAITS - _FOR_LEVELS)
        until = services.clock.monotonic() + WAITS
        yield PatientReads(replace(services, fresh=fresh, on_due=on_due), until)


def goes_on(tool: str, now: Current, unread: int = 0) -> list[str]:
    """Return the call that goes on where this one ended, if it did not read everything."""
    left = [f"the first sync is at {now.warming}"] if now.warming is not None else []
    left += [f"{unread} variants are not checked yet"] if unread else []
    return [f"{tool}(...) again: {' and '.join(left)}; it goes on from there"] if left else []
