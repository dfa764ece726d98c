"""Fields of bodies of `stock_adjustments` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from typing import Annotated

from pydantic import AwareDatetime, StringConstraints

from katana_client.wire import Omittable, Ref, WriteModel


class StockAdjustmentCreateBody(WriteModel):
    """What `CreateStockAdjustmentRequest` has of the facts alone."""

    location_id: Ref
    stock_adjustment_date: Omittable[AwareDatetime] = None
    reason: Omittable[str] = None


class StockAdjustmentUpdateBody(WriteModel):
    """What `UpdateStockAdjustmentRequest` has of the facts alone."""

    stock_adjustment_number: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    stock_adjustment_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    reason: Omittable[str] = None
