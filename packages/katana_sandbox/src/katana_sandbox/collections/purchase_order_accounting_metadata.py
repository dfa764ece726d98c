"""Bills of purchase orders; accounting integrations write them, the API only reads."""

from katana_sandbox.descriptor import Collection

PURCHASE_ORDER_ACCOUNTING_METADATA = Collection(
    name="purchase_order_accounting_metadata",
    stamps=("created_at",),
    foreign_keys=("purchase_order_id",),
)
