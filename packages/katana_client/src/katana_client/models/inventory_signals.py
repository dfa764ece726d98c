"""Inventory signals as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class InventorySignal(ReadModel):
    """How long the stock of a variant lasts; demand is per day of its window."""

    avg_daily_demand: Amount = None
    committed: Amount = None
    days_of_stock_left: int | None = None
    demand_calculated_at: Moment = None
    demand_window: int | None = None
    expected_before_safety_stock_breach: Amount = None
    in_stock: Amount = None
    lead_time_source: str | None = None
    lead_time_used: int | None = None
    reorder_point: Amount = None
    safety_stock: Amount = None
    safety_stock_breach_at: Moment = None
    stock_risk: int | None = None
    variant_id: int | None = None
