"""Fulfillments: what of a sales order was packed or delivered (facts 3.5, 4.5)."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.sales_order_fulfillments import SalesOrderFulfillment
from katana_client.resource import Resource
from katana_client.tracking import TraceabilityInputs
from katana_client.wire import NonEmpty, Omittable, Quantity, Rate, Ref, WriteModel


class FulfillmentBatchInput(WriteModel):
    """How much comes from a batch; a null `batch_id` is unbatched stock."""

    batch_id: Ref | None
    quantity: Quantity


class FulfillmentRowInput(WriteModel):
    """How much of an order row to fulfil; more than zero."""

    sales_order_row_id: Ref
    quantity: Quantity
    batch_transactions: Omittable[list[FulfillmentBatchInput]] = None
    serial_numbers: Omittable[list[Ref]] = None
    traceability: Omittable[TraceabilityInputs] = None


class SalesOrderFulfillmentCreate(WriteModel):
    """A new fulfillment of at least one row."""

    sales_order_id: Ref
    status: Literal["PACKED", "DELIVERED"]
    sales_order_fulfillment_rows: Annotated[list[FulfillmentRowInput], Field(min_length=1)]
    picked_date: Omittable[AwareDatetime] = None
    conversion_rate: Rate | None = None
    conversion_date: AwareDatetime | None = None
    tracking_number: Annotated[str, StringConstraints(max_length=256)] | None = None
    tracking_url: Annotated[str, StringConstraints(max_length=2048)] | None = None
    tracking_carrier: str | None = None
    tracking_method: str | None = None


class SalesOrderFulfillmentUpdate(WriteModel):
    """A change of a fulfillment; its rows never change."""

    status: Omittable[Literal["PACKED", "DELIVERED"]] = None
    picked_date: Omittable[AwareDatetime] = None
    conversion_rate: Rate | None = None
    conversion_date: AwareDatetime | None = None
    tracking_number: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    tracking_url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = None
    tracking_carrier: NonEmpty | None = None
    tracking_method: NonEmpty | None = None
    packer_id: Omittable[Ref] = None


class SalesOrderFulfillments(Resource[SalesOrderFulfillment, SalesOrderFulfillmentCreate, SalesOrderFulfillmentUpdate]):
    """`/sales_order_fulfillments`; the listing knows no ids."""

    spec = Spec(
        name="sales_order_fulfillments",
        model=SalesOrderFulfillment,
        create=SalesOrderFulfillmentCreate,
        update=SalesOrderFulfillmentUpdate,
        deletes=True,
        gets="path",
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                "picked_date_min",
                "tracking_number",
                "tracking_url",
                "tracking_carrier",
                "tracking_method",
                "sales_order_id",
                "status",
                "invoice_status",
            ),
        ),
        get_filters=Filters(single=DELETED),
    )
