"""Additional costs of purchase orders, such as shipping and customs (facts 3.4, 4.3)."""

from typing import Literal

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.po_additional_cost_rows import PurchaseOrderAdditionalCostRow
from katana_client.resource import Resource
from katana_client.wire import Omittable, PurchasePrice, Ref, WriteModel

type Distribution = Literal["BY_VALUE", "NON_DISTRIBUTED"]
"""Write: BY_VALUE spreads the cost into the landed cost of the group's rows."""


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
