"""Stocktakes as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class Stocktake(ReadModel):
    """A count of stock at a location."""

    id: int | None = None
    stocktake_number: str | None = None
    location_id: int | None = None
    status: str | None = None
    stocktake_created_date: Moment = None
    started_date: Moment = None
    completed_date: Moment = None
    status_update_in_progress: bool | None = None
    set_remaining_items_as_counted: bool | None = None
    stock_adjustment_id: int | None = None
    reason: str | None = None
    additional_info: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
