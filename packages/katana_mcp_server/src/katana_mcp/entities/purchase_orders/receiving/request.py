"""What may be asked of receiving: which rows of an order have come, how much of each, when, where, in which batches."""

from typing import Annotated, ClassVar

from pydantic import Field

from katana_mcp.documents.quantities import BatchQuantity, RowQuantity
from katana_mcp.surface.operations.filters import Moment
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NOT_EMPTY, NameOrId, RecordNumber, WriteQuantity, WriteRequest, own_id


class ReceivedRow(RowQuantity):
    """What has come of a row."""

    also: ClassVar[Offers] = {"purchase_order_row_id": ("row_id",)}

    quantity: WriteQuantity | None = None
    """In purchase units; the open quantity by default."""
    received_date: Moment | None = None
    location_id: NameOrId | None = None
    """Where it arrived, if not where it was expected."""
    batches: Annotated[list[BatchQuantity], Field(max_length=50)] = Field(default_factory=list[BatchQuantity])
    """In purchase units; the rest gets no batch."""
    serial_number_ids: Annotated[list[RecordNumber], Field(max_length=500)] = Field(default_factory=list[int])
    """One for each stock unit."""


class ReceivePurchaseOrderRequest(WriteRequest):
    """Arguments of `receive_purchase_order`."""

    also: ClassVar[Offers] = own_id("purchase_order_id")
    words: ClassVar[Words] = dict.fromkeys(("lines", "items", "received_rows"), ("rows",))
    never_null: ClassVar[frozenset[str]] = frozenset({"rows"})

    purchase_order_id: NameOrId
    """Id or number."""
    rows: Annotated[list[ReceivedRow], Field(max_length=250), NOT_EMPTY] = Field(default_factory=list[ReceivedRow])
    """What arrived; every open row in full by default."""
    received_date: Moment | None = None
    """Of rows without one; now by default."""
