"""Demand forecasts as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class DemandForecastPeriod(ReadModel):
    """The expected demand of a period."""

    period_start: Moment = None
    period_end: Moment = None
    in_stock: Amount = None
    expected: Amount = None
    committed: Amount = None


class DemandForecast(ReadModel):
    """The expected demand of a variant at a location."""

    variant_id: int | None = None
    location_id: int | None = None
    in_stock: Amount = None
    periods: list[DemandForecastPeriod] | None = None
