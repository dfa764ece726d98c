"""Purchase orders, regular and outsourced, and their receipts (facts 3.4, 4.3)."""

from collections.abc import Sequence
from typing import Self

from pydantic import model_validator

from katana_client.bodies.purchase_orders import (
    NewPurchaseOrderRow,
    PurchaseOrderCreateBody,
    PurchaseOrderReceiveTraceability,
    PurchaseOrderUpdate,
    Receipt,
)
from katana_client.collection import spec_of
from katana_client.errors import InvalidRequest
from katana_client.exchange import Call
from katana_client.models.purchase_orders import PurchaseOrder
from katana_client.resource import Resource
from katana_client.resources.searches import PurchaseOrderSearch
from katana_client.search import Search

__all__ = (
    "NewPurchaseOrderRow",
    "PurchaseOrderCreate",
    "PurchaseOrderReceiveTraceability",
    "PurchaseOrderUpdate",
    "PurchaseOrders",
    "Receipt",
)
RECEIVE = "/purchase_order_receive"


class PurchaseOrderCreate(PurchaseOrderCreateBody):
    """A new order with at least one row; regular unless `entity_type` says otherwise.

    An outsourced order needs `tracking_location_id`, where its ingredients are processed; a regular one has none.
    """

    @classmethod
    def fitting(cls, values: dict[str, object]) -> dict[str, object]:
        """Leave the tracking location out of a copy that is not outsourced."""
        outsourced = values.get("entity_type") == "outsourced"
        return {name: value for name, value in values.items() if outsourced or name != "tracking_location_id"}

    @model_validator(mode="after")
    def _tracked_when_outsourced(self) -> Self:
        if (self.entity_type == "outsourced") != (self.tracking_location_id is not None):
            message = "tracking_location_id is needed for an outsourced order, and not for a regular one"
            raise ValueError(message)
        return self


class PurchaseOrders(
    Resource[PurchaseOrder, PurchaseOrderCreate, PurchaseOrderUpdate], Search[PurchaseOrder, PurchaseOrderSearch]
):
    """`/purchase_orders` and `/purchase_order_receive`."""

    spec = spec_of("purchase_orders", PurchaseOrder, PurchaseOrderCreate, PurchaseOrderUpdate)

    async def receive(self, arrived: Receipt | Sequence[Receipt]) -> None:
        """Receive rows of purchase orders. Katana answers nothing: read the rows afterwards.

        Args:
            arrived: One receipt, sent as an object, or at least one, sent as an array.

        Raises:
            InvalidRequest: There is no receipt.
            OutcomeUnknown: The stock may or may not have moved; look at the rows, never resend.
        """
        await self.sender.send(self.reception(arrived))

    def reception(self, arrived: Receipt | Sequence[Receipt]) -> Call:
        """Return the call that `receive` sends.

        Raises:
            InvalidRequest: There is no receipt.
        """
        if isinstance(arrived, Receipt):
            return Call("POST", RECEIVE, (), arrived.wire())
        if not arrived:
            message = f"POST {RECEIVE} takes at least one receipt"
            raise InvalidRequest(message)
        return Call("POST", RECEIVE, (), [receipt.wire() for receipt in arrived])
