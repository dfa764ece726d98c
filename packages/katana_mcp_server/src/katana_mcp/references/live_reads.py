"""Reads of what is not cached: each call asks Katana, waits until its deadline, and is refused without an answer."""

import asyncio
import math
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cache_core.records import Record, canonical
from cache_core.sync.waiting import finished
from katana_client import Priority
from katana_client.errors import KatanaError
from katana_client.page import Page
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking, truncated

MAX_ROWS = 5_000
"""Rows that one call reads of Katana at most."""
CALL_SECONDS, MIN_SECONDS = 9.0, 1.0
"""How long a call may take, and what its live read has of that at least, however long the cache took."""


@dataclass(frozen=True, slots=True)
class LiveRead:
    """The live read of one call.

    Attributes:
        services: of the call.
        deadline: when it stops waiting, by the monotonic clock.
    """

    services: Services
    deadline: float

    @classmethod
    def begin(cls, services: Services) -> "LiveRead":
        """Return the live read of a call that begins now."""
        return cls(services, services.clock.monotonic() + CALL_SECONDS)

    async def ask[T](self, subject: str, request: Coroutine[Any, Any, T]) -> T:
        """Return what Katana answers.

        Args:
            subject: what is asked for, in the plural.
            request: asks for it; cancelled at the deadline.

        Raises:
            Refused: Katana did not answer, or not in time.
        """
        clock = self.services.clock
        seconds = max(MIN_SECONDS, self.deadline - clock.monotonic())
        task = asyncio.ensure_future(request)
        try:
            if await finished(task, seconds, clock):
                return task.result()
            reason = self._why_late(seconds)
        except KatanaError as error:
            reason = str(error)
        finally:
            task.cancel()
        message = f"Katana could not be asked for {subject}, which are not cached: {reason}"
        raise Refused(blocking(warning_codes.KATANA_UNAVAILABLE, message))

    def _why_late(self, waited: float) -> str:
        room = self.services.client.budget.expected(Priority.INTERACTIVE)
        if room > 0:
            return f"its 60 requests of the minute are used up; ask again in {math.ceil(room)} s"
        return f"there was no answer within {waited:.0f} s; ask again in a moment"


@dataclass(frozen=True, slots=True)
class LiveRows:
    """What is shown of at most `MAX_ROWS` rows of listings, and whether Katana may have more."""

    rows: Sequence[Record]
    cut: bool = False

    def warnings(self, narrower: str) -> list[ToolWarning]:
        """Return that there may be more rows, and how to ask for fewer; nothing where all were read."""
        if not self.cut:
            return []
        message = f"the first {MAX_ROWS:,} that Katana lists were read, and there may be more: {narrower}"
        return [truncated(message)]


async def read_rows(listings: Iterable[AsyncIterator[Page[Any]]]) -> LiveRows:
    """Return the rows of these listings, one listing after the other."""
    rows: list[Record] = []
    remaining = list(listings)
    while remaining:
        async for page in remaining.pop(0):
            rows += [canonical(record) for record in page.valid_records]
            if len(rows) >= MAX_ROWS and (len(rows) > MAX_ROWS or remaining or not page.is_last):
                return LiveRows(rows[:MAX_ROWS], cut=True)
    return LiveRows(rows)
