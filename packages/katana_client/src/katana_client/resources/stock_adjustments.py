"""Stock adjustments: they take effect at once, and their rows never change (facts 3.7, 4.9)."""

from decimal import Decimal
from typing import Annotated, Self

from pydantic import Field, model_validator

from katana_client.bodies.stock_adjustments import (
    NewStockAdjustmentRowBody,
    StockAdjustmentCreateBody,
    StockAdjustmentUpdate,
)
from katana_client.collection import spec_of
from katana_client.models.stock_adjustments import StockAdjustment
from katana_client.resource import Resource
from katana_client.wire import NonZero

__all__ = ("NewStockAdjustmentRow", "StockAdjustmentCreate", "StockAdjustmentUpdate", "StockAdjustments")


class NewStockAdjustmentRow(NewStockAdjustmentRowBody):
    """A row of a new adjustment: how much comes (positive, with a cost if wanted) or goes (negative, without).

    Without a cost the present average counts. Copied from a row that was read are its batches, not its serial numbers
    and bins: they have moved.
    """

    not_copied = frozenset({"traceability"})

    quantity: Annotated[NonZero, Field(le=Decimal(10) ** 17)]

    @classmethod
    def fitting(cls, values: dict[str, object]) -> dict[str, object]:
        """Leave the cost out of the copy of a row that takes stock away."""
        quantity = values.get("quantity")
        taken = isinstance(quantity, Decimal) and quantity < 0
        return {name: value for name, value in values.items() if not taken or name != "cost_per_unit"}

    @model_validator(mode="after")
    def _cost_of_what_comes(self) -> Self:
        if self.quantity < 0 and self.cost_per_unit is not None:
            message = "cost_per_unit is not allowed when the quantity is negative"
            raise ValueError(message)
        return self


class StockAdjustmentCreate(StockAdjustmentCreateBody):
    """A new adjustment with at least one row; Katana makes no number."""

    stock_adjustment_number: str
    stock_adjustment_rows: Annotated[list[NewStockAdjustmentRow], Field(min_length=1)]


class StockAdjustments(Resource[StockAdjustment, StockAdjustmentCreate, StockAdjustmentUpdate]):
    """`/stock_adjustments`; `get` goes through the listing."""

    spec = spec_of("stock_adjustments", StockAdjustment, StockAdjustmentCreate, StockAdjustmentUpdate)
