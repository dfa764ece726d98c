"""Rows of purchase orders (facts 3.4, 4.3)."""

from pydantic import AwareDatetime

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_client.resource import Resource
from katana_client.wire import (
    Omittable,
    PurchasePrice,
    Quantity,
    Ref,
    TextAmount,
    Unit,
    WriteModel,
)


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
                "group_id",
            ),
            repeated=("ids",),
        ),
    )
