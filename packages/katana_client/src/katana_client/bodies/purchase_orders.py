"""Bodies of `purchase_orders` as the facts and the forms have them.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or bodies.toml.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from katana_client.tracking import StockBatchInput
from katana_client.wire import FreeFields, Omittable, Ref, TextAmount, WriteModel


class NewPurchaseOrderRow(WriteModel):
    """A row inside a new purchase order. It takes the order's location: Katana ignores another one here.

    `tax_rate` (percent, with `tax_name`) travels as text.
    """

    quantity: Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))]
    price_per_unit: Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))]
    variant_id: Ref
    tax_rate_id: Omittable[Ref] = None
    purchase_uom_conversion_rate: Annotated[Decimal, Field(ge=0, le=Decimal("1e+17"))] | None = None
    purchase_uom: Annotated[str, StringConstraints(min_length=1, max_length=7)] | None = None
    arrival_date: Omittable[AwareDatetime] = None
    custom_fields: FreeFields | None = None
    tax_name: Omittable[str] = None
    tax_rate: Omittable[TextAmount] = None


class PurchaseOrderCreateBody(WriteModel):
    """`CreatePurchaseOrderRequest` of the facts."""

    supplier_id: Ref
    location_id: Ref
    purchase_order_rows: Annotated[list[NewPurchaseOrderRow], Field(min_length=1)]
    custom_fields: FreeFields | None = None
    order_no: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    entity_type: Omittable[Literal["regular", "outsourced"]] = None
    currency: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    status: Omittable[Literal["DRAFT", "NOT_RECEIVED"]] = None
    order_created_date: Omittable[AwareDatetime] = None
    additional_info: Omittable[str] = None
    expected_arrival_date: Omittable[AwareDatetime] = None
    tracking_location_id: Omittable[Ref] = None


class PurchaseOrderUpdate(WriteModel):
    """A change of the order's head; rows are changed through `/purchase_order_rows`.

    Not copied from an order that was read: `status`, because RECEIVED receives every open row and NOT_RECEIVED takes
    receipts back, and `expected_arrival_date`, because it overwrites the `arrival_date` of all rows. Supplier, currency
    and locations change only before anything is received.
    """

    not_copied = frozenset({"status", "expected_arrival_date"})

    custom_fields: FreeFields | None = None
    order_no: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    supplier_id: Omittable[Ref] = None
    currency: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    tracking_location_id: Omittable[Ref] = None
    status: Omittable[Literal["DRAFT", "NOT_RECEIVED", "PARTIALLY_RECEIVED", "RECEIVED"]] = None
    expected_arrival_date: Omittable[AwareDatetime] = None
    order_created_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    additional_info: Omittable[str] = None


class PurchaseOrderReceiveTraceability(WriteModel):
    """`PurchaseOrderReceiveTraceability` of the facts."""

    batch_id: Annotated[int, Field(ge=0)] | None = None
    bin_location_id: Annotated[int, Field(ge=0)] | None = None
    serial_number_id: Annotated[int, Field(ge=0)] | None = None
    quantity: Omittable[TextAmount] = None


class Receipt(WriteModel):
    """What arrived of a row, in purchase units; less than the row's quantity splits the row.

    `batch_transactions` is needed for batch-tracked variants. `received_date` is now when left out; `location_id`
    overrides the row's destination.
    """

    purchase_order_row_id: Ref
    quantity: Annotated[Decimal, Field(ge=0)]
    received_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
    traceability: Omittable[list[PurchaseOrderReceiveTraceability]] = None
    batch_transactions: Omittable[list[StockBatchInput]] = None
