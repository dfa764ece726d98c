"""Rows of purchase orders (facts 3.4, 4.3)."""

from pydantic import AwareDatetime

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.resource import Resource
from katana_client.tracking import BatchTransaction
from katana_client.wire import (
    Amount,
    Moment,
    Omittable,
    PurchasePrice,
    Quantity,
    ReadModel,
    Ref,
    TextAmount,
    Unit,
    WriteModel,
)


class PurchaseOrderRow(ReadModel):
    """A row. `quantity` and `price_per_unit` are per purchase unit; `total` is without tax.

    A partial receipt splits a row: the open rest keeps the id, and what arrived is a new row (facts 5.52), so rows are
    told apart by id, never by variant. `received_date` is null until received.
    """

    id: int | None = None
    purchase_order_id: int | None = None
    quantity: Amount = None
    variant_id: int | None = None
    tax_rate_id: int | None = None
    price_per_unit: Amount = None
    price_per_unit_in_base_currency: Amount = None
    purchase_uom: str | None = None
    purchase_uom_conversion_rate: Amount = None
    currency: str | None = None
    conversion_rate: Amount = None
    conversion_date: Moment = None
    total: Amount = None
    total_in_base_currency: Amount = None
    landed_cost: Amount = None
    received_date: Moment = None
    arrival_date: Moment = None
    batch_transactions: list[BatchTransaction] | None = None
    location_id: int | None = None
    group_id: int | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class NewPurchaseOrderRow(WriteModel):
    """A row inside a new purchase order. It takes the order's location: Katana ignores another one here.

    `tax_rate` (percent, with `tax_name`) travels as text.
    """

    variant_id: Ref
    quantity: Quantity
    price_per_unit: PurchasePrice
    tax_rate_id: Omittable[Ref] = None
    tax_name: Omittable[str] = None
    tax_rate: Omittable[TextAmount] = None
    purchase_uom: Unit | None = None
    purchase_uom_conversion_rate: Quantity | None = None
    arrival_date: Omittable[AwareDatetime] = None


class PurchaseOrderRowCreate(NewPurchaseOrderRow):
    """A new row of an order that is not wholly received, with a location of its own if wanted."""

    purchase_order_id: Ref
    location_id: Omittable[Ref] = None
    currency: Omittable[str] = None


class PurchaseOrderRowUpdate(WriteModel):
    """A change of a row. Before it is received all but `received_date`, afterwards `received_date` alone."""

    not_copied = frozenset({"received_date"})

    variant_id: Omittable[Ref] = None
    quantity: Omittable[Quantity] = None
    price_per_unit: Omittable[PurchasePrice] = None
    tax_rate_id: Omittable[Ref] = None
    tax_name: Omittable[str] = None
    tax_rate: Omittable[TextAmount] = None
    purchase_uom: Unit | None = None
    purchase_uom_conversion_rate: Quantity | None = None
    location_id: Omittable[Ref] = None
    arrival_date: Omittable[AwareDatetime] = None
    received_date: Omittable[AwareDatetime] = None


class PurchaseOrderRows(Resource[PurchaseOrderRow, PurchaseOrderRowCreate, PurchaseOrderRowUpdate]):
    """`/purchase_order_rows`."""

    spec = Spec(
        name="purchase_order_rows",
        model=PurchaseOrderRow,
        create=PurchaseOrderRowCreate,
        update=PurchaseOrderRowUpdate,
        deletes=True,
        gets="path",
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                "purchase_order_id",
                "variant_id",
                "tax_rate_id",
                "purchase_uom",
                "location_id",
            ),
            repeated=("ids",),
        ),
    )
