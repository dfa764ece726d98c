"""Bodies of `stock_adjustments` as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.tracking import StockBatchInput, StockTraceabilityInputs
from katana_client.wire import Omittable, Ref, WriteModel


class NewStockAdjustmentRowBody(WriteModel):
    """A part of the body below."""

    variant_id: Ref
    cost_per_unit: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+18"))]] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None
    traceability: Omittable[StockTraceabilityInputs] = None


class StockAdjustmentCreateBody(WriteModel):
    """`CreateStockAdjustmentRequest` of the facts."""

    location_id: Ref
    stock_adjustment_date: Omittable[AwareDatetime] = None
    reason: Omittable[str] = None
    additional_info: str | None = None


class StockAdjustmentUpdate(WriteModel):
    """A change of the adjustment's head; its rows are corrected by another adjustment."""

    stock_adjustment_number: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    stock_adjustment_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    reason: Omittable[str] = None
    additional_info: str | None = None
