"""Rows of sales orders (facts 3.5, 4.4).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from katana_client.collection import spec_of
from katana_client.models.sales_order_rows import SalesOrderRow
from katana_client.resource import Resource
from katana_client.resources.searches import SalesOrderRowSearch
from katana_client.search import Search
from katana_client.tracking import TraceabilityInputs
from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class SalesOrderRowCreateAttribute(WriteModel):
    """A part of the body below."""

    key: str
    value: str


class SalesOrderRowCreate(WriteModel):
    """A new row of an order that is pending or not shipped."""

    sales_order_id: Ref
    variant_id: Ref
    quantity: Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))]
    price_per_unit: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+18"))]] = None
    tax_rate_id: Omittable[Ref] = None
    location_id: Omittable[Ref] = None
    attributes: Omittable[list[SalesOrderRowCreateAttribute]] = None
    total_discount: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+18"))]] = None
    custom_fields: FreeFields | None = None


class RowBatchInput(WriteModel):
    """`SalesOrderRowBatchTransactionUpdate` of the facts."""

    batch_id: Ref
    quantity: Omittable[Decimal] = None


class RowSerialInput(WriteModel):
    """A serial number to put on (1) or take off (0) a row."""

    serial_number_id: Ref
    quantity: Omittable[Annotated[int, Field(ge=0, le=1)]] = None


class SalesOrderRowUpdateAttribute(WriteModel):
    """A part of the body below."""

    key: str
    value: str


class SalesOrderRowUpdate(WriteModel):
    """A change of a row; `attributes` replaces the list, `custom_fields` merges.

    Batches and serial numbers are not copied from a row that was read: written, they are movements.
    """

    not_copied = frozenset({"batch_transactions", "serial_number_transactions", "traceability"})

    variant_id: Omittable[Ref] = None
    quantity: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))]] = None
    price_per_unit: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+18"))]] = None
    tax_rate_id: Omittable[Ref] = None
    location_id: Omittable[Ref] = None
    total_discount: Omittable[Annotated[Decimal, Field(ge=0, le=Decimal("1e+18"))]] = None
    batch_transactions: Omittable[list[RowBatchInput]] = None
    serial_number_transactions: Omittable[list[RowSerialInput]] = None
    traceability: Omittable[TraceabilityInputs] = None
    attributes: Omittable[list[SalesOrderRowUpdateAttribute]] = None
    custom_fields: FreeFields | None = None


class SalesOrderRows(
    Resource[SalesOrderRow, SalesOrderRowCreate, SalesOrderRowUpdate], Search[SalesOrderRow, SalesOrderRowSearch]
):
    """`/sales_order_rows`."""

    spec = spec_of("sales_order_rows", SalesOrderRow, create=SalesOrderRowCreate, update=SalesOrderRowUpdate)
