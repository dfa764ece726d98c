"""Bills that the accounting integration made of receipts; read-only, no delta (facts 3.4)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.resource import Resource
from katana_client.wire import Moment, ReadModel


class PurchaseOrderAccountingMetadata(ReadModel):
    """The bill of a group of received rows."""

    id: int | None = None
    purchase_order_id: int | None = None
    received_items_group_id: int | None = None
    integration_type: str | None = None
    bill_id: str | None = None
    created_at: Moment = None


class PurchaseOrderAccounting(Resource[PurchaseOrderAccountingMetadata, Never, Never]):
    """`/purchase_order_accounting_metadata`; it knows no ids."""

    spec = Spec(
        name="purchase_order_accounting_metadata",
        model=PurchaseOrderAccountingMetadata,
        filters=Filters(single=("purchase_order_id", "received_items_group_id")),
    )
