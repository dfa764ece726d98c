"""Manufacturing orders, made to stock or to order (facts 3.6, 4.7). Recipe and operation rows have collections."""

from katana_client.answers import answered
from katana_client.bodies.manufacturing_orders import (
    MakeToOrder,
    ManufacturingOrderCreate,
    ManufacturingOrderTraceability,
    ManufacturingOrderUpdate,
    Unlinking,
)
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.models.manufacturing_orders import ManufacturingOrder
from katana_client.models.reranks import RerankedOrders
from katana_client.resource import Resource
from katana_client.resources.reranks import RerankManufacturingOrder
from katana_client.resources.searches import ManufacturingOrderSearch
from katana_client.search import Search

__all__ = (
    "MakeToOrder",
    "ManufacturingOrderCreate",
    "ManufacturingOrderTraceability",
    "ManufacturingOrderUpdate",
    "ManufacturingOrders",
    "Unlinking",
)
MAKE_TO_ORDER = "/manufacturing_order_make_to_order"
UNLINK = "/manufacturing_order_unlink"


class ManufacturingOrders(
    Resource[ManufacturingOrder, ManufacturingOrderCreate, ManufacturingOrderUpdate],
    Search[ManufacturingOrder, ManufacturingOrderSearch],
):
    """`/manufacturing_orders`, `/manufacturing_order_make_to_order` and `/manufacturing_order_unlink`."""

    spec = spec_of("manufacturing_orders", ManufacturingOrder, ManufacturingOrderCreate, ManufacturingOrderUpdate)

    async def make_to_order(self, body: MakeToOrder) -> ManufacturingOrder:
        """Make an order that is linked to a sales order row; returns and raises as `create`."""
        return await self.carry_out(self.making_to_order(body))

    def making_to_order(self, body: MakeToOrder) -> Call:
        """Return the call that `make_to_order` sends."""
        return Call("POST", MAKE_TO_ORDER, (), body.wire())

    async def unlink(self, sales_order_row_id: int) -> None:
        """Cut the link between a sales order row and its order; both stay. A link cannot be made again.

        Raises:
            OutcomeUnknown: The link may or may not be cut.
        """
        await self.sender.send(self.unlinking(sales_order_row_id))

    def unlinking(self, sales_order_row_id: int) -> Call:
        """Return the call that `unlink` sends."""
        return Call("POST", UNLINK, (), Unlinking(sales_order_row_id=sales_order_row_id).wire())

    async def rerank(self, body: RerankManufacturingOrder) -> tuple[int, ...]:
        """Move orders within their ranking, and return the ids of all whose rank changed, where Katana tells.

        Raises:
            OutcomeUnknown: The orders may or may not have moved.
        """
        call = Call("POST", "/manufacturing_order_rerank", (), body.wire())
        return tuple((await answered(self.sender, call, RerankedOrders)).order_ids or ())
