"""Which days an account has: those of the time zone that its cached factory record names, said where days matter."""

from dataclasses import replace

from cache_core.protocol import Selection
from katana_mcp.days import days_in
from katana_mcp.descriptor import AnyTool
from katana_mcp.names import FACTORY, text
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope
from katana_mcp.tools.warnings import info

_DATED = frozenset(
    {
        *("sales_order", "purchase_order", "manufacturing_order", "stock_transfer"),
        *("stock_adjustment", "inventory_movement"),
    }
)
"""Entities with dates: which day a moment of theirs is, only the time zone tells."""


def dated(spec: AnyTool) -> AnyTool:
    """Return the tool, saying that it reads the factory where its answers show dates."""
    return spec if _DATED.isdisjoint(spec.reads) else replace(spec, reads=tuple(dict.fromkeys((*spec.reads, *FACTORY))))


def has_days(spec: AnyTool, *, asked: bool) -> bool:
    """Return whether an answer depends on the factory's time zone: it shows dates, or arguments name a day."""
    return bool(FACTORY) and (asked or not _DATED.isdisjoint(spec.reads))


async def with_days(services: Services) -> Services:
    """Return the services with the days of the factory, which is read first where it never was.

    What that takes counts as waited for the answer.
    """
    (entity,) = FACTORY
    states = await services.cache.states(FACTORY)
    if states[entity].completed_at is None:
        began = services.clock.monotonic()
        with services.awaited(FACTORY):
            await services.fresh.ensure(FACTORY)
        services = replace(services, fresh=services.fresh.after(services.clock.monotonic() - began))
    stored = await services.cache.select(entity, Selection(limit=1))
    return replace(services, days=days_in(text(stored[0].record, "timezone") if stored else None))


def with_zone(answer: Answer, services: Services) -> Answer:
    """Return an answer that says in which time zone its days were counted, and why that is UTC where it is unknown."""
    if not isinstance(answer, Envelope):
        return answer
    days, warnings = services.days, answer.warnings
    if days.unknown is not None:
        # What it is called is a text of Katana's, which none of our own sentences repeats.
        called = "has a name in katana://factory that is not known here" if days.unknown else "is not known"
        told = f"the factory's time zone {called}: days are those of UTC"
        warnings = [*warnings, info(warning_codes.TIME_ZONE_UNKNOWN, told)]
    return answer.model_copy(update={"time_zone": days.name, "warnings": warnings})
