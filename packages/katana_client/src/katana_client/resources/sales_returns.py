"""Returns of sold goods.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Literal

from pydantic import AwareDatetime

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.sales_returns import SalesReturn, SalesReturnReason
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


class SalesReturnCreate(WriteModel):
    """`CreateSalesReturnRequest` of the facts."""

    sales_order_id: int
    return_location_id: int
    order_created_date: Omittable[AwareDatetime] = None
    order_no: Omittable[str] = None
    additional_info: Omittable[str] = None
    tracking_number: str | None = None
    tracking_number_url: str | None = None
    tracking_carrier: str | None = None
    tracking_method: str | None = None


class SalesReturnUpdate(WriteModel):
    """`UpdateSalesReturnRequest` of the facts."""

    status: Omittable[Literal["NOT_RETURNED", "RETURNED_ALL", "RESTOCKED_ALL"]] = None
    return_date: Omittable[AwareDatetime] = None
    order_created_date: Omittable[AwareDatetime] = None
    return_location_id: Omittable[int] = None
    order_no: Omittable[str] = None
    additional_info: str | None = None
    tracking_number: str | None = None
    tracking_number_url: str | None = None
    tracking_carrier: str | None = None
    tracking_method: str | None = None


class SalesReturns(Resource[SalesReturn, SalesReturnCreate, SalesReturnUpdate]):
    """`/sales_returns`."""

    spec = Spec(
        name="sales_returns",
        model=SalesReturn,
        create=SalesReturnCreate,
        update=SalesReturnUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(
            single=(
                "status",
                "include_deleted",
                "created_at_min",
                "created_at_max",
                "updated_at_min",
                "updated_at_max",
                "order_no",
                "return_location_id",
                "refund_status",
                "order_return_date_min",
                "order_return_date_max",
                "order_created_date_min",
                "order_created_date_max",
            ),
            repeated=("ids",),
        ),
    )

    async def return_reasons(self) -> tuple[SalesReturnReason, ...]:
        """Return the reasons that a row can have."""
        return await self.read_rows("/sales_returns/return_reasons", SalesReturnReason)
