"""Purchase orders, regular and outsourced, and their receipts (facts 3.4, 4.3)."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from katana_client.collection import Spec
from katana_client.errors import InvalidRequest
from katana_client.exchange import Call
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.purchase_orders import PurchaseOrder
from katana_client.resource import Resource
from katana_client.resources.purchase_order_rows import NewPurchaseOrderRow
from katana_client.resources.searches import PurchaseOrderSearch
from katana_client.search import Search
from katana_client.tracking import StockBatchInput
from katana_client.wire import NonEmpty, Omittable, Quantity, Ref, WriteModel

RECEIVE = "/purchase_order_receive"


class PurchaseOrderCreate(WriteModel):
    """A new order with at least one row; regular unless `entity_type` says otherwise.

    An outsourced order needs `tracking_location_id`, where its ingredients are processed; a regular one has none.
    """

    supplier_id: Ref
    location_id: Ref
    purchase_order_rows: Annotated[list[NewPurchaseOrderRow], Field(min_length=1)]
    order_no: Omittable[NonEmpty] = None
    entity_type: Omittable[Literal["regular", "outsourced"]] = None
    tracking_location_id: Omittable[Ref] = None
    status: Omittable[Literal["DRAFT", "NOT_RECEIVED"]] = None
    currency: Omittable[NonEmpty] = None
    expected_arrival_date: Omittable[AwareDatetime] = None
    order_created_date: Omittable[AwareDatetime] = None
    additional_info: Omittable[str] = None

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


class PurchaseOrderUpdate(WriteModel):
    """A change of the order's head; rows are changed through `/purchase_order_rows`.

    Not copied from an order that was read: `status`, because RECEIVED receives every open row and NOT_RECEIVED takes
    receipts back, and `expected_arrival_date`, because it overwrites the `arrival_date` of all rows. Supplier, currency
    and locations change only before anything is received.
    """

    not_copied = frozenset({"status", "expected_arrival_date"})

    order_no: Omittable[NonEmpty] = None
    supplier_id: Omittable[Ref] = None
    currency: Omittable[NonEmpty] = None
    expected_arrival_date: Omittable[AwareDatetime] = None
    order_created_date: Omittable[AwareDatetime] = None
    additional_info: Omittable[str] = None
    location_id: Omittable[Ref] = None
    tracking_location_id: Omittable[Ref] = None
    status: Omittable[Literal["DRAFT", "NOT_RECEIVED", "PARTIALLY_RECEIVED", "RECEIVED"]] = None


class Receipt(WriteModel):
    """What arrived of a row, in purchase units; less than the row's quantity splits the row.

    `batch_transactions` is needed for batch-tracked variants. `received_date` is now when left out; `location_id`
    overrides the row's destination.
    """

    purchase_order_row_id: Ref
    quantity: Quantity
    received_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None


class PurchaseOrders(
    Resource[PurchaseOrder, PurchaseOrderCreate, PurchaseOrderUpdate], Search[PurchaseOrder, PurchaseOrderSearch]
):
    """`/purchase_orders` and `/purchase_order_receive`."""

    spec = Spec(
        name="purchase_orders",
        model=PurchaseOrder,
        create=PurchaseOrderCreate,
        update=PurchaseOrderUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                "status",
                "order_no",
                "currency",
                "billing_status",
                "last_document_status",
                "supplier_id",
                "location_id",
                "entity_type",
                "tracking_location_id",
            ),
            repeated=("ids", "extend"),
        ),
        get_filters=Filters(repeated=("extend",)),
    )

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
        return Call("POST", RECEIVE, (), [each.wire() for each in arrived])
