"""Additional costs of purchase orders, such as shipping and customs (facts 3.4, 4.3)."""

from typing import Literal

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.resource import Resource
from katana_client.wire import Amount, Moment, Omittable, PurchasePrice, ReadModel, Ref, WriteModel

type Distribution = Literal["BY_VALUE", "NON_DISTRIBUTED"]
"""Write: BY_VALUE spreads the cost into the landed cost of the group's rows."""


class PurchaseOrderAdditionalCostRow(ReadModel):
    """A cost of the rows of a group (`PurchaseOrder.default_group_id`); `name` is that of the kind of cost."""

    id: int | None = None
    additional_cost_id: int | None = None
    group_id: int | None = None
    name: str | None = None
    distribution_method: str | None = None
    tax_rate_id: int | None = None
    tax_rate: Amount = None
    price: Amount = None
    price_in_base: Amount = None
    currency: str | None = None
    currency_conversion_rate: Amount = None
    currency_conversion_rate_fix_date: Moment = None
    reference: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class PurchaseOrderAdditionalCostRowCreate(WriteModel):
    """A new cost, in the order's currency; its group never changes."""

    additional_cost_id: Ref
    group_id: Ref
    tax_rate_id: Ref
    price: PurchasePrice
    distribution_method: Omittable[Distribution] = None


class PurchaseOrderAdditionalCostRowUpdate(WriteModel):
    """A change of a cost."""

    additional_cost_id: Omittable[Ref] = None
    tax_rate_id: Omittable[Ref] = None
    price: Omittable[PurchasePrice] = None
    distribution_method: Omittable[Distribution] = None


class PurchaseOrderAdditionalCostRows(
    Resource[PurchaseOrderAdditionalCostRow, PurchaseOrderAdditionalCostRowCreate, PurchaseOrderAdditionalCostRowUpdate]
):
    """`/po_additional_cost_rows`."""

    spec = Spec(
        name="po_additional_cost_rows",
        model=PurchaseOrderAdditionalCostRow,
        create=PurchaseOrderAdditionalCostRowCreate,
        update=PurchaseOrderAdditionalCostRowUpdate,
        deletes=True,
        gets="path",
        filters=Filters(
            single=(
                *DATES,
                *DELETED,
                "group_id",
                "additional_cost_id",
                "distribution_method",
                "tax_rate_id",
                "currency",
            ),
            repeated=("ids",),
        ),
    )
