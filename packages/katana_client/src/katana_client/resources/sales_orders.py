"""Sales orders (facts 3.5, 4.4)."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.answers import answered
from katana_client.bodies.sales_orders import SalesOrderCreateBody, SalesOrderUpdateBody
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.models.reranks import RerankedOrders
from katana_client.models.sales_orders import ReturnableItem, SalesOrder
from katana_client.paths import record_path
from katana_client.resource import Resource
from katana_client.resources.reranks import RerankSalesOrder
from katana_client.resources.sales_order_addresses import NewSalesOrderAddress
from katana_client.resources.sales_order_rows import NewSalesOrderRow
from katana_client.resources.searches import SalesOrderSearch
from katana_client.search import Search
from katana_client.wire import (
    NonEmpty,
    Omittable,
    Rate,
)

type CustomerRef = Annotated[str, StringConstraints(max_length=255)]
"""Write: at most 255 characters."""


class SalesOrderCreate(SalesOrderCreateBody):
    """A new order with at least one row. Picked date, shipping fee and address ids are set by later calls."""

    sales_order_rows: Annotated[list[NewSalesOrderRow], Field(min_length=1)]
    order_no: Omittable[NonEmpty] = None
    order_created_date: Omittable[AwareDatetime] = None
    delivery_date: Omittable[AwareDatetime] = None
    status: Omittable[Literal["PENDING", "NOT_SHIPPED"]] = None
    currency: Omittable[str] = None
    customer_ref: CustomerRef | None = None
    ecommerce_order_type: NonEmpty | None = None
    ecommerce_store_name: NonEmpty | None = None
    ecommerce_order_id: NonEmpty | None = None
    tracking_number: Annotated[str, StringConstraints(max_length=256)] | None = None
    tracking_number_url: Annotated[str, StringConstraints(max_length=2048)] | None = None
    addresses: Omittable[list[NewSalesOrderAddress]] = None


class SalesOrderUpdate(SalesOrderUpdateBody):
    """A change of the order's head; rows are changed through `/sales_order_rows`.

    Number, customer, location, currency and dates change only while pending or not shipped; the conversion
    only when packed or delivered; `custom_fields` merges.
    """

    not_copied = frozenset({"conversion_rate", "conversion_date"})

    conversion_rate: Omittable[Rate] = None
    conversion_date: Omittable[AwareDatetime] = None
    tracking_number: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    tracking_number_url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = None


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

    async def rerank(self, wanted: RerankSalesOrder) -> tuple[int, ...]:
        """Move orders within their ranking, and return the ids of all whose rank changed, where Katana tells.

        Raises:
            OutcomeUnknown: The orders may or may not have moved.
        """
        call = Call("POST", "/sales_order_rerank", (), wanted.wire())
        return tuple((await answered(self.sender, call, RerankedOrders)).order_ids or ())
