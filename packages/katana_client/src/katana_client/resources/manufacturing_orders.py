"""Manufacturing orders, made to stock or to order (facts 3.6, 4.7). Recipe and operation rows have collections."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from katana_client.answers import answered
from katana_client.collection import Spec
from katana_client.exchange import Call
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.manufacturing_orders import ManufacturingOrder
from katana_client.models.reranks import RerankedOrders
from katana_client.resource import Resource
from katana_client.resources.reranks import RerankManufacturingOrder
from katana_client.resources.searches import ManufacturingOrderSearch
from katana_client.search import Search
from katana_client.tracking import BatchInput
from katana_client.wire import MadeQuantity, NonEmpty, Omittable, Ref, WriteModel

type ActualQuantity = Annotated[Decimal, Field(ge=0, le=Decimal(10) ** 15)]
"""Write: a quantity that was made."""
MAKE_TO_ORDER = "/manufacturing_order_make_to_order"
UNLINK = "/manufacturing_order_unlink"


class ManufacturingOrderCreate(WriteModel):
    """A new order; Katana copies the variant's recipe and operations into it.

    Not copied from an order that was read: what was made, and into which batch.
    """

    not_copied = frozenset({"actual_quantity", "batch_transactions"})

    variant_id: Ref
    planned_quantity: MadeQuantity
    location_id: Ref
    order_no: Omittable[NonEmpty] = None
    status: Omittable[Literal["NOT_STARTED"]] = None
    actual_quantity: ActualQuantity | None = None
    batch_transactions: Omittable[list[BatchInput]] = None
    order_created_date: Omittable[AwareDatetime] = None
    production_deadline_date: Omittable[AwareDatetime] = None
    additional_info: NonEmpty | None = None


class ManufacturingOrderUpdate(WriteModel):
    """A change of the order's head; a done order changes only its `additional_info`, dates and status.

    `status` DONE makes what is planned, IN_PROGRESS on a done order takes its productions back, `done_date` is accepted
    in a second call after DONE (facts 5.26), `production_deadline_date` only where deadlines are not automatic, and an
    order is made into one batch. So these are not copied from an order that was read.
    """

    not_copied = frozenset({"status", "actual_quantity", "batch_transactions", "done_date", "production_deadline_date"})

    status: Omittable[Literal["NOT_STARTED", "BLOCKED", "IN_PROGRESS", "PARTIALLY_COMPLETED", "DONE"]] = None
    order_no: Omittable[NonEmpty] = None
    variant_id: Omittable[Ref] = None
    planned_quantity: Omittable[MadeQuantity] = None
    actual_quantity: ActualQuantity | None = None
    batch_transactions: Omittable[list[BatchInput]] = None
    location_id: Omittable[Ref] = None
    order_created_date: Omittable[AwareDatetime] = None
    production_deadline_date: Omittable[AwareDatetime] = None
    done_date: Omittable[AwareDatetime] = None
    additional_info: NonEmpty | None = None


class MakeToOrder(WriteModel):
    """An order for a sales order row that has none yet; with orders for its subassemblies if wanted."""

    sales_order_row_id: Ref
    create_subassemblies: Omittable[bool] = None


class Unlinking(WriteModel):
    """The sales order row that lets go of its manufacturing order."""

    sales_order_row_id: Ref


class ManufacturingOrders(
    Resource[ManufacturingOrder, ManufacturingOrderCreate, ManufacturingOrderUpdate],
    Search[ManufacturingOrder, ManufacturingOrderSearch],
):
    """`/manufacturing_orders`, `/manufacturing_order_make_to_order` and `/manufacturing_order_unlink`."""

    spec = Spec(
        name="manufacturing_orders",
        model=ManufacturingOrder,
        create=ManufacturingOrderCreate,
        update=ManufacturingOrderUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(
            single=(*DATES, *DELETED, "status", "order_no", "location_id", "is_linked_to_sales_order"),
            repeated=("ids",),
        ),
    )

    async def make_to_order(self, wanted: MakeToOrder) -> ManufacturingOrder:
        """Make an order that is linked to a sales order row; returns and raises as `create`."""
        return await self.carry_out(self.making_to_order(wanted))

    def making_to_order(self, wanted: MakeToOrder) -> Call:
        """Return the call that `make_to_order` sends."""
        return Call("POST", MAKE_TO_ORDER, (), wanted.wire())

    async def unlink(self, sales_order_row_id: int) -> None:
        """Cut the link between a sales order row and its order; both stay. A link cannot be made again.

        Raises:
            OutcomeUnknown: The link may or may not be cut.
        """
        await self.sender.send(self.unlinking(sales_order_row_id))

    def unlinking(self, sales_order_row_id: int) -> Call:
        """Return the call that `unlink` sends."""
        return Call("POST", UNLINK, (), Unlinking(sales_order_row_id=sales_order_row_id).wire())

    async def rerank(self, wanted: RerankManufacturingOrder) -> tuple[int, ...]:
        """Move orders within their ranking, and return the ids of all whose rank changed, where Katana tells.

        Raises:
            OutcomeUnknown: The orders may or may not have moved.
        """
        call = Call("POST", "/manufacturing_order_rerank", (), wanted.wire())
        return tuple((await answered(self.sender, call, RerankedOrders)).order_ids or ())
