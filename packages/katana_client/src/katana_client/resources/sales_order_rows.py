"""Rows of sales orders (facts 3.5, 4.4)."""

from typing import Annotated

from pydantic import Field

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.sales_order_rows import SalesOrderRow
from katana_client.resource import Resource
from katana_client.resources.searches import SalesOrderRowSearch
from katana_client.search import Search
from katana_client.tracking import TraceabilityInputs
from katana_client.wire import (
    FreeFields,
    Omittable,
    Quantity,
    Ref,
    RowPrice,
    WriteModel,
)


class AttributeInput(WriteModel):
    """A key and its value on a row."""

    key: str
    value: str


class RowBatchInput(WriteModel):
    """How much of a row comes from a batch."""

    batch_id: Ref
    quantity: Omittable[Quantity] = None


class RowSerialInput(WriteModel):
    """A serial number to put on (1) or take off (0) a row."""

    serial_number_id: Ref
    quantity: Omittable[Annotated[int, Field(ge=0, le=1)]] = None


class NewSalesOrderRow(WriteModel):
    """A row inside a new sales order."""

    variant_id: Ref
    quantity: Quantity
    price_per_unit: Omittable[RowPrice] = None
    total_discount: Omittable[RowPrice] = None
    tax_rate_id: Omittable[Ref] = None
    location_id: Omittable[Ref] = None
    attributes: Omittable[list[AttributeInput]] = None
    custom_fields: FreeFields | None = None


class SalesOrderRowCreate(NewSalesOrderRow):
    """A new row of an order that is pending or not shipped."""

    sales_order_id: Ref


class SalesOrderRowUpdate(WriteModel):
    """A change of a row; `attributes` replaces the list, `custom_fields` merges.

    Batches and serial numbers are not copied from a row that was read: written, they are movements.
    """

    not_copied = frozenset({"batch_transactions", "serial_number_transactions", "traceability"})

    variant_id: Omittable[Ref] = None
    quantity: Omittable[Quantity] = None
    price_per_unit: Omittable[RowPrice] = None
    total_discount: Omittable[RowPrice] = None
    tax_rate_id: Omittable[Ref] = None
    location_id: Omittable[Ref] = None
    attributes: Omittable[list[AttributeInput]] = None
    batch_transactions: Omittable[list[RowBatchInput]] = None
    serial_number_transactions: Omittable[list[RowSerialInput]] = None
    traceability: Omittable[TraceabilityInputs] = None
    custom_fields: FreeFields | None = None


class SalesOrderRows(
    Resource[SalesOrderRow, SalesOrderRowCreate, SalesOrderRowUpdate], Search[SalesOrderRow, SalesOrderRowSearch]
):
    """`/sales_order_rows`."""

    spec = Spec(
        name="sales_order_rows",
        model=SalesOrderRow,
        create=SalesOrderRowCreate,
        update=SalesOrderRowUpdate,
        deletes=True,
        gets="path",
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                "variant_id",
                "tax_rate_id",
                "linked_manufacturing_order_id",
                "location_id",
                "product_availability",
            ),
            repeated=("ids", "sales_order_ids", "extend"),
        ),
        get_filters=Filters(repeated=("extend",)),
    )
