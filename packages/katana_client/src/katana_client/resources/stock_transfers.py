"""Stock transfers between locations (facts 3.7, 4.8). Their rows never change and have no collection."""

from typing import Literal

from katana_client.bodies.stock_transfers import (
    NewStockTransferRow,
    StockTransferCreate,
    StockTransferStatusUpdate,
    StockTransferUpdate,
)
from katana_client.collection import Identity, spec_of
from katana_client.exchange import Call
from katana_client.models.stock_transfers import StockTransfer
from katana_client.paths import record_path
from katana_client.resource import Resource

__all__ = (
    "NewStockTransferRow",
    "StockTransferCreate",
    "StockTransferStatusUpdate",
    "StockTransferUpdate",
    "StockTransfers",
)
type TransferStatus = Literal["draft", "inTransit", "received"]
"""Write: where the goods are."""


class StockTransfers(Resource[StockTransfer, StockTransferCreate, StockTransferUpdate]):
    """`/stock_transfers`; `get` goes through the listing.

    Whether a PATCH wipes `additional_info` is not known, so it is kept.
    """

    spec = spec_of("stock_transfers", StockTransfer, StockTransferCreate, StockTransferUpdate)

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
