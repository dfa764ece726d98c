"""A plan's turn: its lanes taken all at once, kept alive, and let go of; and never while the budget is waited for."""

import asyncio
import secrets
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from cache_core.records import iso
from katana_client import Priority
from katana_mcp.journal.entries import Entry
from katana_mcp.journal.errors import JournalError
from katana_mcp.journal.file import BEAT_EVERY
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, blocking

_READS = 2
"""Requests that it takes at least to read what a plan depends on."""
_LOOK = 0.5
_CROWDED = 1.0
"""Seconds between two looks at the budget while facts are read, and without room in it until that is given up."""


CONTINUE = "apply its token again to continue, or with roll_back to put the record back"
"""What becomes of a plan that stopped halfway."""


class Crowded(Exception):
    """The budget had no room for the facts of a plan; nothing was claimed."""


class Turn:
    """The lanes of a plan, held; every request that changes something is sent while they are.

    Attributes:
        names: of the lanes.
    """

    def __init__(self, names: Sequence[str], services: Services, entry: int = 0) -> None:
        self.names = names
        self._holder = secrets.token_hex(8)
        self._entry = entry
        self._services = services
        self._beating: asyncio.Task[None] | None = None

    async def begin(self) -> str | None:
        """Take the lanes, all or none; return one that another holds, None when they are ours."""
        try:
            held = await self._services.journal.take_lanes(self.names, self._holder, self._entry)
        except asyncio.CancelledError:
            await self._leave()  # they were taken nevertheless
            raise
        if held is None:
            self._beating = asyncio.create_task(self._beat(), name="lanes")
        return held

    async def go_on(self) -> None:
        """Say that we are alive.

        Raises:
            LaneLost: another has taken a lane, because we were not heard of for long.
        """
        await self._services.journal.renew_lanes(self.names, self._holder)

    async def end(self) -> None:
        """Let go of the lanes; a journal that cannot be used lets go of them by itself."""
        beating, self._beating = self._beating, None
        if beating is None:
            return
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
        await self._leave()

    async def _leave(self) -> None:
        with suppress(JournalError):
            await self._services.journal.leave_lanes(self._holder)

    async def reading[T](self, facts: Coroutine[Any, Any, T]) -> T:
        """Return what is read.

        Raises:
            Crowded: the budget has no room for it, so the lanes are to be let go of.
        """
        services = self._services
        task, full = asyncio.ensure_future(facts), 0.0
        try:
            while not await _done(task, services):
                full = full + _LOOK if services.client.budget.room_in(1, Priority.WRITE) > 0 else 0.0
                if full > _CROWDED and not task.done():
                    raise Crowded
            return task.result()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _beat(self) -> None:
        with suppress(JournalError):
            while True:
                await self._services.clock.sleep(BEAT_EVERY)
                await self.go_on()


async def _done(task: "asyncio.Task[Any]", services: Services) -> bool:
    timer = asyncio.ensure_future(services.clock.sleep(_LOOK))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        return task.done()
    finally:
        timer.cancel()


def turn_of(entry: Entry, services: Services) -> Turn:
    """Return the turn of a plan, not begun; plans of older versions share one for each tool."""
    plan = entry.plan
    return Turn(lane_names(plan.lanes or (plan.tool,), plan.tenant), services, entry.id)


def lane_names(lanes: Sequence[str], tenant: str) -> list[str]:
    """Return what the journal calls these lanes of an account."""
    return [f"{tenant}: {lane}" for lane in lanes]


def room_in(entry: Entry, services: Services) -> float:
    """Return in how many seconds the budget has room for all that a plan reads and sends."""
    return services.client.budget.room_in(_READS + len(entry.plan.actions), Priority.WRITE)


def not_its_turn(entry: Entry, lane: str) -> ToolWarning:
    """Return that another plan of the same record or number space is being applied."""
    what = lane.partition(": ")[2]
    message = (
        f"{entry.plan.summary}: not applied yet, because another plan for the same record is being applied ({what})"
    )
    return blocking(
        warning_codes.PLAN_RUNNING, f"{message}; nothing was written, apply it again with the same token", "plan_tokens"
    )


def kept(entry: Entry, other: int) -> ToolWarning:
    """Return that a plan of the same record stopped halfway, and has to be brought to an end first."""
    message = f"{entry.plan.summary}: not applied, because another plan of the same record stopped halfway"
    return blocking(warning_codes.PLAN_RUNNING, f"{message} (journal entry {other}): {CONTINUE}", "plan_tokens")


def steps_done(entry: Entry) -> str:
    """Return how far a plan of many steps is: `3 of 12 steps are done`."""
    return f"{sum(action.state == 'applied' for action in entry.actions)} of {len(entry.actions)} steps are done"


def no_place(entry: Entry, seconds: float, services: Services) -> ToolWarning:
    """Return that Katana's requests of the minute are used up, and when to come back."""
    until = iso(services.clock.now() + timedelta(seconds=seconds))
    message = f"{entry.plan.summary}: not applied yet, because Katana's 60 requests of the minute are used up"
    return blocking(
        warning_codes.KATANA_UNAVAILABLE,
        f"{message}: nothing was written; the token stays valid, apply it again at {until} or later",
        "plan_tokens",
    )
