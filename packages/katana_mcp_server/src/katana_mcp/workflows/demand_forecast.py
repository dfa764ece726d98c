"""`get_demand_forecast`: what is planned to leave and to come of variants at a location, period by period.

Katana works it out when it is asked, so it is not cached: each call asks once per variant, or is refused.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from cache_core.protocol import Stored
from cache_core.records import canonical, iso
from katana_client.models.demand_forecasts import DemandForecast
from katana_mcp.references.display_names import VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.live_reads import LiveRead
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import Refers, where
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.operations.rows import filled
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import NameOrId, Request, SkuOrVariantId
from katana_mcp.tools.warnings import ToolWarning, truncated
from katana_mcp.workflows.stock import is_service, places_in
from katana_mcp.workflows.variants import NotFound, bounded, resolve

_READS = (*VARIANT_ENTITIES, "location")
MAX_PERIODS = 100
"""Periods of a variant that an answer holds."""


class GetDemandForecastRequest(Request):
    """Arguments of `get_demand_forecast`."""

    skus_or_variant_ids: Annotated[list[SkuOrVariantId], Field(min_length=1, max_length=10)]
    """At most 10, in this order."""
    location_id: Annotated[NameOrId, Refers("location", "location_id", "location")]
    """Id, name or a part of it."""


class ForecastPeriod(Answer):
    """What is forecast for a period, both of its ends included."""

    period_start: str | None = None
    period_end: str | None = None
    committed: Number | None = None
    """Planned to leave."""
    expected: Number | None = None
    """On its way."""
    in_stock: Number | None = None
    """At its end."""


class VariantForecast(Answer):
    """The forecast of a variant, in the item's unit."""

    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    in_stock: Number | None = None
    """Now."""
    periods: list[ForecastPeriod]


class DemandForecastAnswer(Envelope):
    """The answer of `get_demand_forecast`."""

    location_id: int | None = None
    location: str | None = None
    forecasts: list[VariantForecast]
    not_found: list[NotFound]
    without: list[int] | None = None
    """Variants asked for that have no planned demand there."""


async def _run(request: GetDemandForecastRequest, services: Services) -> Answer:
    live = LiveRead.begin(services)
    now = await current(services, _READS, ("variant", "location"))
    resolved = await resolve(request.skus_or_variant_ids, services)
    # Of a deleted variant Katana has no forecast: it answers 404.
    goods = [variant for variant in resolved.variants if not (is_service(variant) or variant.deleted)]
    with now.refusals():
        request, notices = await completed(request, services)
        (place,) = places_in(await where(request, services))
        read = await live.ask("demand forecasts", _read(goods, place, services))
    names = await look_up(
        services.cache, {"variant": [], "location": [place]}, [("variant", product) for product in goods]
    )
    planned = [(variant, forecast) for variant, forecast in zip(goods, read, strict=True) if forecast.periods]
    fit = bounded("get_demand_forecast", [_shown(*pair, names) for pair in planned], resolved)
    having = {variant.id for variant, _ in planned}
    return now.answer(
        DemandForecastAnswer,
        *notices,
        *fit.warnings,
        *_cut(planned),
        location_id=place,
        location=names.name("location", place),
        forecasts=fit.rows,
        not_found=fit.not_found,
        without=[variant.id for variant in resolved.variants if variant.id not in having] or None,
        next_actions=[_at(place, action) for action in fit.next_actions],
        as_of=iso(services.clock.now()),
    )


async def _read(variants: Sequence[Stored], place: object, services: Services) -> list[DemandForecast]:
    forecasts = services.client.demand_forecasts
    pairs = [(variant.id, place) for variant in variants]
    return [
        await forecasts.read(variant, location)
        for variant, location in pairs
        if isinstance(variant, int) and isinstance(location, int)
    ]


def _shown(variant: Stored, forecast: DemandForecast, names: Names) -> VariantForecast:
    periods = [canonical(period.model_dump()) for period in (forecast.periods or ())[:MAX_PERIODS]]
    return VariantForecast(
        variant_id=variant.id if isinstance(variant.id, int) else None,
        sku=text(variant.record, "sku"),
        name=names.display(variant.record),
        in_stock=forecast.in_stock,
        periods=[filled(ForecastPeriod, period) for period in periods],
    )


def _cut(planned: Sequence[tuple[Stored, DemandForecast]]) -> list[ToolWarning]:
    longer = [variant for variant, forecast in planned if len(forecast.periods or ()) > MAX_PERIODS]
    skus = ", ".join(text(variant.record, "sku") or str(variant.id) for variant in longer)
    return [truncated(f"only the first {MAX_PERIODS} periods are shown of {skus}")] if longer else []


def _at(place: object, action: str) -> str:
    """Return an action with the location, where it is a call."""
    return f"{action.removesuffix(')')}, location_id={place})" if action.endswith(")") else action


GET_DEMAND_FORECAST = ToolSpec(
    name="get_demand_forecast",
    toolset="inventory",
    description=(
        "Show the demand forecast of items at a location: what leaves and arrives in each period, and the "
        "stock at its end.\n\n"
        "Pass SKUs (texts) or variant ids (integers) to ``skus_or_variant_ids`` — mix freely. Katana is asked each "
        "time, once per variant."
    ),
    request=GetDemandForecastRequest,
    answer=DemandForecastAnswer,
    run=_run,
    reads=_READS,
)
