"""Returns of sold goods.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.sales_returns import SalesReturn, SalesReturnReason
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class SalesReturnCreate(WriteModel):
    """`CreateSalesReturnRequest` of the facts."""

    sales_order_id: Ref
    return_location_id: Ref
    order_created_date: Omittable[AwareDatetime] = None
    order_no: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    additional_info: Omittable[Annotated[str, StringConstraints(max_length=255)]] = None
    tracking_number: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    tracking_number_url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = None
    tracking_carrier: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    tracking_method: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None


class SalesReturnUpdate(WriteModel):
    """`UpdateSalesReturnRequest` of the facts."""

    status: Omittable[Literal["NOT_RETURNED", "RETURNED_ALL", "RESTOCKED_ALL"]] = None
    return_date: Omittable[AwareDatetime] = None
    order_created_date: Omittable[AwareDatetime] = None
    return_location_id: Omittable[Ref] = None
    order_no: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    additional_info: Annotated[str, StringConstraints(max_length=255)] | None = None
    tracking_number: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    tracking_number_url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = None
    tracking_carrier: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    tracking_method: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None


class SalesReturns(Resource[SalesReturn, SalesReturnCreate, SalesReturnUpdate]):
    """`/sales_returns`."""

    spec = spec_of("sales_returns", SalesReturn, create=SalesReturnCreate, update=SalesReturnUpdate)

    async def return_reasons(self) -> tuple[SalesReturnReason, ...]:
        """Return the reasons that a row can have."""
        return await self.read_rows("/sales_returns/return_reasons", SalesReturnReason)
