"""Stock adjustments: they take effect at once, and their rows never change (facts 3.7, 4.9)."""

from decimal import Decimal
from typing import Annotated, Self

from pydantic import AwareDatetime, Field, model_validator

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.stock_adjustments import StockAdjustment
from katana_client.resource import Resource
from katana_client.tracking import StockBatchInput, StockTraceabilityInputs
from katana_client.wire import (
    NonEmpty,
    NonZero,
    Omittable,
    Ref,
    RowPrice,
    WriteModel,
)


class NewStockAdjustmentRow(WriteModel):
    """A row of a new adjustment: how much comes (positive, with a cost if wanted) or goes (negative, without).

    Without a cost the present average counts. Copied from a row that was read are its batches, not its serial numbers
    and bins: they have moved.
    """

    not_copied = frozenset({"traceability"})

    variant_id: Ref
    quantity: Annotated[NonZero, Field(le=Decimal(10) ** 17)]
    cost_per_unit: Omittable[RowPrice] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None
    traceability: Omittable[StockTraceabilityInputs] = None

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


class StockAdjustmentCreate(WriteModel):
    """A new adjustment with at least one row; Katana makes no number."""

    stock_adjustment_number: str
    location_id: Ref
    stock_adjustment_rows: Annotated[list[NewStockAdjustmentRow], Field(min_length=1)]
    stock_adjustment_date: Omittable[AwareDatetime] = None
    reason: Omittable[str] = None
    additional_info: str | None = None


class StockAdjustmentUpdate(WriteModel):
    """A change of the adjustment's head; its rows are corrected by another adjustment."""

    stock_adjustment_number: Omittable[NonEmpty] = None
    stock_adjustment_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    reason: Omittable[str] = None
    additional_info: str | None = None


class StockAdjustments(Resource[StockAdjustment, StockAdjustmentCreate, StockAdjustmentUpdate]):
    """`/stock_adjustments`; `get` goes through the listing."""

    spec = Spec(
        name="stock_adjustments",
        model=StockAdjustment,
        create=StockAdjustmentCreate,
        update=StockAdjustmentUpdate,
        deletes=True,
        gets="ids",
        keeps=("additional_info",),
        filters=Filters(single=(*DATES, *DELETED, "stock_adjustment_number", "location_id"), repeated=("ids",)),
    )
