"""Batches, bins and serial numbers of rows: shared by sales, purchasing, manufacturing and stock (facts 3.1, 4.11)."""

from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, Field

from katana_client.wire import NonZero, Omittable, Ref, WriteModel


class BatchInput(WriteModel):
    """How much goes into or comes from a batch."""

    batch_id: Ref
    quantity: Decimal


class StockBatchInput(WriteModel):
    """How much goes into or comes from a batch; a null `batch_id` is unbatched stock."""

    batch_id: Ref | None
    quantity: Decimal


class TraceabilityInput(WriteModel):
    """The batch, bin or serial number of part of a row; at most one of batch and serial number."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    bin_location_id: Annotated[int, Field(ge=0)] | None = None
    serial_number_id: Annotated[int, Field(ge=0)] | None = None
    quantity: Omittable[NonZero] = None


class StockTraceabilityInput(WriteModel):
    """The batch, bin or serial number of part of a stock adjustment's row, and its signed quantity."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    bin_location_id: Annotated[int, Field(ge=0)] | None = None
    serial_number_id: Annotated[int, Field(ge=0)] | None = None
    quantity: NonZero


def _once_each[T: TraceabilityInput | StockTraceabilityInput](rows: list[T]) -> list[T]:
    batches = any(row.batch_id is not None for row in rows)
    serials = any(row.serial_number_id is not None for row in rows)
    if batches and serials:
        message = "a variant is tracked by batch or by serial number, never both in a row"
        raise ValueError(message)
    return rows


type TraceabilityInputs = Annotated[list[TraceabilityInput], AfterValidator(_once_each)]
"""Write: replaces the allocations of a row; an empty list clears them."""
type StockTraceabilityInputs = Annotated[list[StockTraceabilityInput], AfterValidator(_once_each)]
"""Write: the allocations of a stock adjustment's row; their sum is the row's quantity."""
