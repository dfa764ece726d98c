"""Sales orders (facts 3.5, 4.4)."""

from katana_client.answers import answered
from katana_client.bodies.sales_orders import (
    AttributeInput,
    NewSalesOrderAddress,
    NewSalesOrderRow,
    SalesOrderCreate,
    SalesOrderUpdate,
)
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.models.reranks import RerankedOrders
from katana_client.models.sales_orders import ReturnableItem, SalesOrder
from katana_client.paths import record_path
from katana_client.resource import Resource
from katana_client.resources.reranks import RerankSalesOrder
from katana_client.resources.searches import SalesOrderSearch
from katana_client.search import Search

__all__ = (
    "AttributeInput",
    "NewSalesOrderAddress",
    "NewSalesOrderRow",
    "SalesOrderCreate",
    "SalesOrderUpdate",
    "SalesOrders",
)


class SalesOrders(Resource[SalesOrder, SalesOrderCreate, SalesOrderUpdate], Search[SalesOrder, SalesOrderSearch]):
    """`/sales_orders`. Whether a PATCH wipes `additional_info` is not known, so it is kept."""

    spec = spec_of("sales_orders", SalesOrder, SalesOrderCreate, SalesOrderUpdate)

    async def returnable_items(self, order_id: int) -> tuple[ReturnableItem, ...]:
        """Return what of an order can still be returned.

        Raises:
            NotFound: There is no such order.
            UnexpectedResponse: The answer is no list, or a row of it cannot be read.
        """
        return await self.read_rows(f"{record_path(self.spec.name, order_id)}/returnable_items", ReturnableItem)

    async def rerank(self, body: RerankSalesOrder) -> tuple[int, ...]:
        """Move orders within their ranking, and return the ids of all whose rank changed, where Katana tells.

        Raises:
            OutcomeUnknown: The orders may or may not have moved.
        """
        call = Call("POST", "/sales_order_rerank", (), body.wire())
        return tuple((await answered(self.sender, call, RerankedOrders)).order_ids or ())
