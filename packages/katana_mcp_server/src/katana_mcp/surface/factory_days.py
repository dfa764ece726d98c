"""Which days an account has: those of the time zone that its cached factory record names, said where days matter.

People are shown days and hours of that zone; other moments of rows stay as Katana sent them.
"""

from dataclasses import replace
from decimal import Decimal
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, TypeAliasType, Union, cast, get_args, get_origin

from cache_core.protocol import Selection
from katana_mcp.references.display_names import FACTORY, text
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import AnyTool
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Envelope
from katana_mcp.tools.days import Days, days_in
from katana_mcp.tools.outgoing import Payload, payload_of
from katana_mcp.tools.warnings import Refused, ToolWarning, info

_DATED = frozenset(
    {
        *("sales_order", "purchase_order", "manufacturing_order", "stock_transfer"),
        *("stock_adjustment", "stocktake", "inventory_movement"),
    }
)
"""Entities with dates: which day a moment of theirs is, only the time zone tells."""
_DAYS = frozenset(
    {
        *("expected_arrival_date", "arrival_date", "delivery_date", "production_deadline_date", "order_created_date"),
        *("transfer_date", "sales_order_delivery_deadline", "expected_date", "due_date"),
        *("product_expected_date", "ingredient_expected_date"),
    }
)
"""Fields of rows of which people know the day alone; at which hour of it Katana keeps them says nothing."""


def dated(spec: AnyTool) -> AnyTool:
    """Return the tool, saying that it reads the factory where its answers show dates."""
    return replace(spec, reads=tuple(dict.fromkeys((*spec.reads, *FACTORY)))) if _is_dated(spec) else spec


def has_days(spec: AnyTool, *, asked: bool) -> bool:
    """Return whether an answer depends on the factory's time zone: it shows dates, or arguments name a day."""
    return bool(FACTORY) and (asked or _is_dated(spec))


def _is_dated(spec: AnyTool) -> bool:
    """Return whether answers of a tool show dates, as those do that say what was written."""
    return spec.destructive or (spec.shows_dates and not _DATED.isdisjoint(spec.reads))


_ZONE = Selection(limit=1, fields=frozenset(("timezone",)))


async def with_days(services: Services) -> Services:
    """Return the services with the days of the factory, which is read first where it never was.

    What that takes counts as waited for the answer.
    """
    (entity,) = FACTORY
    stored = await services.cache.select(entity, _ZONE)
    if not stored and (await services.cache.state(entity)).completed_at is None:
        began = services.clock.monotonic()
        with services.awaited(FACTORY):
            await services.fresh.ensure(FACTORY)
        services = services.waited(services.clock.monotonic() - began)
        stored = await services.cache.select(entity, _ZONE)
    days = days_in(text(stored[0].record, "timezone") if stored else None)
    return services._replace(days=days, day=days.today(services.clock.now()))


def with_zone(answer: Answer, services: Services) -> Payload:
    """Return the JSON of an answer, which says the time zone of its days, and why that is UTC where it is unknown."""
    if not isinstance(answer, Envelope):
        return payload_of(answer)
    days, warnings = services.days, answer.warnings
    if days.unknown is not None:
        # What it is called is a text of Katana's, which none of our own sentences repeats.
        called = "has a name in katana://factory that is not known here" if days.unknown else "is not known"
        message = f"the factory's time zone {called}: days are those of UTC"
        warnings = [*warnings, info(warning_codes.TIME_ZONE_UNKNOWN, message)]
    answer = answer.model_copy(update={"time_zone": days.name, "warnings": warnings})
    said = payload_of(answer)
    _put_in_words(answer, said, days)
    return said


def refused_in(days: Days, refusal: Refused) -> Refused:
    """Return a refusal whose sentences name days and hours of the factory."""
    return Refused(*(_warning(warning, days) for warning in refusal.warnings), envelope=refusal.envelope)


def _warning(warning: ToolWarning, days: Days) -> ToolWarning:
    return warning.model_copy(update={"message": days.in_words(warning.message)})


def _put_in_words(part: Answer, said: Payload, days: Days) -> None:
    """Name days and hours of the factory in the sentences of a part of an answer's JSON, and make its days days."""
    for name in _speaking(type(part)):
        value = getattr(part, name)
        if value is not None:
            said[name] = _value(name, value, said[name], days)


@cache
def _speaking(model: type[Answer]) -> tuple[str, ...]:
    """Return the fields of an answer that may hold a day, a sentence, or a part that does."""
    return tuple(
        name
        for name, field in model.model_fields.items()
        if name in _DAYS or name == "message" or not _PLAIN.issuperset(_types(field.annotation))
    )


_PLAIN = frozenset({str, int, float, bool, Decimal, NoneType})


def _types(annotation: object) -> frozenset[object]:
    """Return the types that a field may be of."""
    if isinstance(annotation, TypeAliasType):
        return _types(annotation.__value__)
    if get_origin(annotation) is Annotated:
        return _types(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return frozenset[object]().union(*(_types(member) for member in get_args(annotation)))
    return frozenset({annotation})


def _value(name: str, value: object, said: object, days: Days) -> object:
    """Return what an answer says of a value, whose JSON is given; an object is changed in place."""
    if isinstance(value, str):
        return days.day(value) if name in _DAYS else days.in_words(value) if name == "message" else said
    if isinstance(value, Answer):
        _put_in_words(value, cast("Payload", said), days)
    elif isinstance(value, ToolWarning):
        return {**cast("Payload", said), "message": days.in_words(value.message)}
    elif isinstance(value, list):
        pairs = zip(cast("list[object]", value), cast("list[object]", said), strict=True)
        return [_value("", item, of_it, days) for item, of_it in pairs]
    return said
