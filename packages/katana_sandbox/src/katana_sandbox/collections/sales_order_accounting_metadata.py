"""Invoices of sales orders; integrations alone write them."""

from katana_sandbox.descriptor import Collection, Ranges, plain_fields, plain_filters

SALES_ORDER_ACCOUNTING_METADATA = Collection(
    name="sales_order_accounting_metadata",
    entity="sales order accounting metadata",
    operations=("list",),
    fields=plain_fields("sales_order_id fulfillment_id invoice_id integration_type"),
    filters=plain_filters("sales_order_id fulfillment_id", kind="int"),
    ranges=Ranges(dates=False, ids=False, deleted=False),
    stamps=("created_at",),
    foreign_keys=("sales_order_id",),
)
