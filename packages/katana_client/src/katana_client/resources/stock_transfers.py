"""Stock transfers between locations (facts 3.7, 4.8). Their rows never change and have no collection."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from katana_client.collection import Identity, Spec
from katana_client.exchange import Call
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.stock_transfers import StockTransfer
from katana_client.paths import record_path
from katana_client.resource import Resource
from katana_client.tracking import StockBatchInput, TraceabilityInputs
from katana_client.wire import Omittable, Ref, TextAmount, WriteModel

type TransferStatus = Literal["draft", "inTransit", "received"]
"""Write: where the goods are."""


class NewStockTransferRow(WriteModel):
    """A row of a new transfer; the quantity travels as text.

    Copied from a row that was read are its batches, not its serial numbers and bins: they have moved.
    """

    not_copied = frozenset({"traceability"})

    variant_id: Ref
    quantity: TextAmount
    batch_transactions: Omittable[list[StockBatchInput]] = None
    traceability: Omittable[TraceabilityInputs] = None


class StockTransferCreate(WriteModel):
    """A new transfer with at least one row; it starts as a draft."""

    stock_transfer_number: str
    source_location_id: Ref
    target_location_id: Ref
    stock_transfer_rows: Annotated[list[NewStockTransferRow], Field(min_length=1)]
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
    """A new status."""

    status: TransferStatus


class StockTransfers(Resource[StockTransfer, StockTransferCreate, StockTransferUpdate]):
    """`/stock_transfers`; `get` goes through the listing.

    Whether a PATCH wipes `additional_info` is not known, so it is kept.
    """

    spec = Spec(
        name="stock_transfers",
        model=StockTransfer,
        create=StockTransferCreate,
        update=StockTransferUpdate,
        deletes=True,
        gets="ids",
        keeps=("additional_info",),
        filters=Filters(
            single=(*DATES, *DELETED, "stock_transfer_number", "source_location_id", "target_location_id"),
            repeated=("ids",),
        ),
    )

    async def set_status(self, identity: Identity, status: TransferStatus) -> StockTransfer:
        """Move the goods: `inTransit` takes them from the source, `received` brings them to the target.

        Returns:
            As `update`.

        Raises:
            pydantic.ValidationError: There is no such status.
            RequestRejected: Katana has no such move from the present status.
            OutcomeUnknown: The status may or may not have changed; look, never resend.
        """
        return await self.carry_out(self.status_change(identity, status))

    def status_change(self, identity: Identity, status: TransferStatus) -> Call:
        """Return the call that `set_status` sends.

        Raises:
            pydantic.ValidationError: There is no such status.
        """
        body = StockTransferStatusUpdate(status=status).wire()
        return Call("PATCH", f"{record_path(self.spec.name, identity)}/status", (), body)
