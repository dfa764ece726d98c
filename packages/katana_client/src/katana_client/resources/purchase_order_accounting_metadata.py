"""Bills that the accounting integration made of receipts; read-only, no delta (facts 3.4)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.purchase_order_accounting_metadata import PurchaseOrderAccountingMetadata
from katana_client.resource import Resource


class PurchaseOrderAccounting(Resource[PurchaseOrderAccountingMetadata, Never, Never]):
    """`/purchase_order_accounting_metadata`; it knows no ids."""

    spec = Spec(
        name="purchase_order_accounting_metadata",
        model=PurchaseOrderAccountingMetadata,
        filters=Filters(single=("purchase_order_id", "received_items_group_id")),
    )
