"""Bills that the accounting integration made of receipts; no delta (facts 3.4).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.purchase_order_accounting_metadata import PurchaseOrderAccountingMetadata
from katana_client.resource import Resource


class PurchaseOrderAccounting(Resource[PurchaseOrderAccountingMetadata, Never, Never]):
    """`/purchase_order_accounting_metadata`."""

    spec = spec_of("purchase_order_accounting_metadata", PurchaseOrderAccountingMetadata)
