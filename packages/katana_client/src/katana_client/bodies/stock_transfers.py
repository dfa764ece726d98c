"""Bodies of `stock_transfers` as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

from typing import Literal

from pydantic import AwareDatetime

from katana_client.tracking import StockBatchInput, TraceabilityInputs
from katana_client.wire import Omittable, Ref, TextAmount, WriteModel


class NewStockTransferRow(WriteModel):
    """A row of a new transfer; the quantity travels as text.

    Copied from a row that was read are its batches, not its serial numbers and bins: they have moved.
    """

    not_copied = frozenset({"traceability"})

    variant_id: Ref
    quantity: TextAmount
    traceability: Omittable[TraceabilityInputs] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None


class StockTransferCreate(WriteModel):
    """A new transfer with at least one row; it starts as a draft."""

    source_location_id: Ref
    target_location_id: Ref
    stock_transfer_rows: list[NewStockTransferRow]
    stock_transfer_number: Omittable[str] = None
    transfer_date: Omittable[AwareDatetime] = None
    order_created_date: AwareDatetime | None = None
    expected_arrival_date: AwareDatetime | None = None
    additional_info: str | None = None


class StockTransferUpdate(WriteModel):
    """A change of the transfer's head; locations and rows never change, the status by `set_status`."""

    stock_transfer_number: Omittable[str] = None
    transfer_date: Omittable[AwareDatetime] = None
    order_created_date: AwareDatetime | None = None
    expected_arrival_date: AwareDatetime | None = None
    additional_info: str | None = None


class StockTransferStatusUpdate(WriteModel):
    """`UpdateStockTransferStatusRequest` of the facts."""

    status: Omittable[Literal["draft", "received", "inTransit"]] = None
