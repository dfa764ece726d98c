"""What a plan needs, read on the share of writes: waited for as long as a client waits, with reports of what for.

Refuses to guess: what cannot be read in time is a refusal that says why, and when to come back.
"""

import asyncio
from contextlib import suppress

from cache_core.clock import Clock
from cache_core.sync.waiting import finished
from katana_client import Priority
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.writing.change import AnyChange

WAITS = 40.0
"""Seconds that a plan waits for Katana in all; clients give a call up after 60."""
_LEAST = 10.0
_MARGIN = 5.0
"""Seconds that are left for reading single records once a first listing has been waited for."""
_FIRST, _EVERY = 2.0, 5.0
_SOONEST, _LATEST = 10.0, 60.0
_PLACE = "one of Katana's 60 requests a minute"


def in_time(services: Services) -> Services:
    """Return services with which a call waits for its plan, and for all before it, as long as that."""
    return services._replace(until=ends_waiting(services.clock))


def ends_waiting(clock: Clock) -> float:
    """Return when a plan of a call that begins now stops waiting, by the monotonic clock."""
    return clock.monotonic() + WAITS


async def gathered(change: AnyChange, request: Request, services: Services) -> object:
    """Return the facts of a request.

    Raises:
        Refused: something that it names is not there, or Katana did not say in time.
    """
    now = services.clock.monotonic()
    until = now + WAITS if services.until is None else services.until
    left, began = max(_LEAST, until - now), min(now, until - WAITS)
    patient = services._replace(fresh=services.fresh.waiting(lambda: max(_LEAST, left - _MARGIN)))
    standings = await services.cache.standings(change.reads)
    cold = [name for name, standing in standings.items() if standing.state.completed_at is None]
    with services.awaited(cold), services.client.priority(Priority.WRITE):
        gathering = asyncio.ensure_future(change.gather(request, patient))
        telling = asyncio.ensure_future(_tell(services))
        try:
            if not await finished(gathering, left, services.clock):
                message = "not all data for the plan could be read from Katana, so nothing was done"
                raise Refused(blocking(warning_codes.KATANA_UNAVAILABLE, message))
            return gathering.result()
        except Refused as refusal:
            raise Refused(
                *(_with_reason(warning, began, services) for warning in refusal.warnings), envelope=refusal.envelope
            ) from None
        finally:
            gathering.cancel()
            telling.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(gathering, telling, return_exceptions=True)


async def _tell(services: Services) -> None:
    """Say again and again what is waited for."""
    await services.clock.sleep(_FIRST)
    while True:
        seconds = services.client.budget.expected(Priority.WRITE)
        about = f"; a place is free in about {seconds:.0f} s" if 1 <= seconds <= _LATEST else ""
        services.note(f"waiting for {_PLACE}{about}" if seconds > 0 else "waiting for Katana to answer")
        await services.clock.sleep(_EVERY)


def _with_reason(warning: ToolWarning, began: float, services: Services) -> ToolWarning:
    """Return a warning with how long Katana was waited for in vain, and when to come back."""
    waited = services.clock.monotonic() - began
    if warning.code != warning_codes.KATANA_UNAVAILABLE or waited < 1:
        return warning
    seconds = services.client.budget.expected(Priority.WRITE)
    what = _PLACE if seconds > 0 else "its answer"
    again = min(max(seconds, _SOONEST), _LATEST)
    message = f"{warning.message}; waited {waited:.0f} s for {what}: ask again in {again:.0f} s"
    return blocking(warning.code, message, warning.field_path)
