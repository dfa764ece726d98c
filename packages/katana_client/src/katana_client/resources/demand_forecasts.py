"""Expected demand of a variant at a location.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Never

from pydantic import AwareDatetime, Field

from katana_client.answers import answered
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.models.demand_forecasts import DemandForecast
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


class DemandForecastCreatePeriod(WriteModel):
    """A part of the body below."""

    period_start: AwareDatetime
    period_end: AwareDatetime
    committed: str


class DemandForecastCreate(WriteModel):
    """`CreateDemandForecastRequest` of the facts."""

    variant_id: Ref
    location_id: Ref
    periods: Annotated[list[DemandForecastCreatePeriod], Field(min_length=1, max_length=100)]


class ClearDemandForecastPeriod(WriteModel):
    """A part of the body below."""

    period_start: AwareDatetime
    period_end: AwareDatetime


class ClearDemandForecast(WriteModel):
    """`ClearDemandForecastRequest` of the facts."""

    variant_id: Ref
    location_id: Ref
    periods: Annotated[list[ClearDemandForecastPeriod], Field(min_length=1, max_length=100)]


class DemandForecasts(Resource[DemandForecast, Never, Never]):
    """`/demand_forecasts`."""

    spec = spec_of("demand_forecasts", DemandForecast, key=("variant_id", "location_id"))

    async def read(self, variant_id: int, location_id: int) -> DemandForecast:
        """Return the forecast of a variant at a location."""
        return await answered(
            self.sender,
            Call(
                "GET",
                "/demand_forecasts",
                (
                    ("variant_id", str(variant_id)),
                    ("location_id", str(location_id)),
                ),
            ),
            DemandForecast,
        )

    async def forecast(self, body: DemandForecastCreate) -> None:
        """Add periods to a forecast."""
        await self.sender.send(Call("POST", "/demand_forecasts", (), body.wire()))

    async def clear(self, body: ClearDemandForecast) -> None:
        """Clear periods of a forecast."""
        await self.sender.send(Call("DELETE", "/demand_forecasts", (), body.wire()))
