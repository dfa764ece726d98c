"""Additional costs of purchase orders, such as shipping and customs (facts 3.4, 4.3)."""

from typing import Literal

from katana_client.bodies.po_additional_cost_rows import (
    PurchaseOrderAdditionalCostRowCreateBody,
    PurchaseOrderAdditionalCostRowUpdateBody,
)
from katana_client.collection import spec_of
from katana_client.models.po_additional_cost_rows import PurchaseOrderAdditionalCostRow
from katana_client.resource import Resource
from katana_client.wire import Omittable, PurchasePrice

type Distribution = Literal["BY_VALUE", "NON_DISTRIBUTED"]
"""Write: BY_VALUE spreads the cost into the landed cost of the group's rows."""


class PurchaseOrderAdditionalCostRowCreate(PurchaseOrderAdditionalCostRowCreateBody):
    """A new cost, in the order's currency; its group never changes."""


class PurchaseOrderAdditionalCostRowUpdate(PurchaseOrderAdditionalCostRowUpdateBody):
    """A change of a cost."""

    price: Omittable[PurchasePrice] = None


class PurchaseOrderAdditionalCostRows(
    Resource[PurchaseOrderAdditionalCostRow, PurchaseOrderAdditionalCostRowCreate, PurchaseOrderAdditionalCostRowUpdate]
):
    """`/po_additional_cost_rows`."""

    spec = spec_of(
        "po_additional_cost_rows",
        PurchaseOrderAdditionalCostRow,
        PurchaseOrderAdditionalCostRowCreate,
        PurchaseOrderAdditionalCostRowUpdate,
    )
