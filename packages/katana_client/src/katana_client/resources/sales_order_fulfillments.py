"""Fulfillments: what of a sales order was packed or delivered (facts 3.5, 4.5); the listing knows no ids.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.sales_order_fulfillments import SalesOrderFulfillment
from katana_client.resource import Resource
from katana_client.tracking import TraceabilityInputs
from katana_client.wire import Omittable, Ref, WriteModel


class FulfillmentBatchInput(WriteModel):
    """How much comes from a batch; a null `batch_id` is unbatched stock."""

    batch_id: Ref | None
    quantity: Decimal


class FulfillmentRowInput(WriteModel):
    """`SalesOrderFulfillmentRowRequest` of the facts."""

    sales_order_row_id: Ref
    quantity: Annotated[Decimal, Field(gt=0, le=Decimal("1e+17"))]
    serial_numbers: Omittable[list[Ref]] = None
    traceability: Omittable[TraceabilityInputs] = None
    batch_transactions: Omittable[list[FulfillmentBatchInput]] = None


class SalesOrderFulfillmentCreate(WriteModel):
    """`CreateSalesOrderFulfillmentRequest` of the facts."""

    sales_order_id: Ref
    status: Literal["PACKED", "DELIVERED"]
    sales_order_fulfillment_rows: Annotated[list[FulfillmentRowInput], Field(min_length=1)]
    picked_date: Omittable[AwareDatetime] = None
    conversion_rate: Annotated[Decimal, Field(ge=0, le=Decimal("1e+12"))] | None = None
    conversion_date: AwareDatetime | None = None
    tracking_number: Annotated[str, StringConstraints(max_length=256)] | None = None
    tracking_url: Annotated[str, StringConstraints(max_length=2048)] | None = None
    tracking_carrier: str | None = None
    tracking_method: str | None = None


class SalesOrderFulfillmentUpdate(WriteModel):
    """A change of a fulfillment; its rows never change."""

    picked_date: Omittable[AwareDatetime] = None
    status: Omittable[Literal["PACKED", "DELIVERED"]] = None
    conversion_rate: Annotated[Decimal, Field(ge=0, le=Decimal("1e+12"))] | None = None
    packer_id: Omittable[Ref] = None
    conversion_date: AwareDatetime | None = None
    tracking_number: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    tracking_url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = None
    tracking_carrier: Annotated[str, StringConstraints(min_length=1)] | None = None
    tracking_method: Annotated[str, StringConstraints(min_length=1)] | None = None


class SalesOrderFulfillments(Resource[SalesOrderFulfillment, SalesOrderFulfillmentCreate, SalesOrderFulfillmentUpdate]):
    """`/sales_order_fulfillments`."""

    spec = spec_of(
        "sales_order_fulfillments",
        SalesOrderFulfillment,
        create=SalesOrderFulfillmentCreate,
        update=SalesOrderFulfillmentUpdate,
    )
