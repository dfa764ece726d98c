"""Sales orders (facts 3.5, 4.4)."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.answers import answered
from katana_client.collection import Spec
from katana_client.exchange import Call
from katana_client.filters import DATES, DELETED, Filters
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
    FreeFields,
    NonEmpty,
    Omittable,
    Rate,
    Ref,
    WriteModel,
)

type CustomerRef = Annotated[str, StringConstraints(max_length=255)]
"""Write: at most 255 characters."""


class SalesOrderCreate(WriteModel):
    """A new order with at least one row. Picked date, shipping fee and address ids are set by later calls."""

    customer_id: Ref
    sales_order_rows: Annotated[list[NewSalesOrderRow], Field(min_length=1)]
    order_no: Omittable[NonEmpty] = None
    order_created_date: Omittable[AwareDatetime] = None
    delivery_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    status: Omittable[Literal["PENDING", "NOT_SHIPPED"]] = None
    currency: Omittable[str] = None
    additional_info: str | None = None
    customer_ref: CustomerRef | None = None
    ecommerce_order_type: NonEmpty | None = None
    ecommerce_store_name: NonEmpty | None = None
    ecommerce_order_id: NonEmpty | None = None
    tracking_number: Annotated[str, StringConstraints(max_length=256)] | None = None
    tracking_number_url: Annotated[str, StringConstraints(max_length=2048)] | None = None
    addresses: Omittable[list[NewSalesOrderAddress]] = None
    custom_fields: FreeFields | None = None


class SalesOrderUpdate(WriteModel):
    """A change of the order's head; rows are changed through `/sales_order_rows`.

    Number, customer, location, currency and dates change only while pending or not shipped; the conversion
    only when packed or delivered; `custom_fields` merges.
    """

    not_copied = frozenset({"conversion_rate", "conversion_date"})

    customer_id: Omittable[Ref] = None
    order_no: Omittable[NonEmpty] = None
    order_created_date: Omittable[AwareDatetime] = None
    delivery_date: Omittable[AwareDatetime] = None
    picked_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    status: Omittable[Literal["PENDING", "NOT_SHIPPED", "PACKED", "DELIVERED"]] = None
    currency: Omittable[str] = None
    conversion_rate: Omittable[Rate] = None
    conversion_date: Omittable[AwareDatetime] = None
    additional_info: str | None = None
    customer_ref: CustomerRef | None = None
    tracking_number: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    tracking_number_url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = None
    custom_fields: FreeFields | None = None


class SalesOrders(Resource[SalesOrder, SalesOrderCreate, SalesOrderUpdate], Search[SalesOrder, SalesOrderSearch]):
    """`/sales_orders`. Whether a PATCH wipes `additional_info` is not known, so it is kept."""

    spec = Spec(
        name="sales_orders",
        model=SalesOrder,
        create=SalesOrderCreate,
        update=SalesOrderUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                "order_no",
                "source",
                "customer_id",
                "location_id",
                "invoicing_status",
                "product_availability",
                "ingredient_availability",
                "production_status",
                "status",
                "currency",
                "ecommerce_order_type",
                "ecommerce_store_name",
                "ecommerce_order_id",
            ),
            repeated=("ids",),
        ),
    )

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
