"""Bills of purchase orders; accounting integrations write them, the API only reads."""

from katana_sandbox.descriptor import Collection, Filter, Ranges

PURCHASE_ORDER_ACCOUNTING_METADATA = Collection(
    name="purchase_order_accounting_metadata",
    entity="purchase order accounting metadata",
    operations=("list",),
    filters=(Filter("purchase_order_id", "int"), Filter("received_items_group_id", "int")),
    ranges=Ranges(dates=False, ids=False, deleted=False),
    stamps=("created_at",),
    foreign_keys=("purchase_order_id",),
)
