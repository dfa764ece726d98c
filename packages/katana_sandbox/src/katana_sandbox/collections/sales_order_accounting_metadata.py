"""Invoices of sales orders; integrations alone write them."""

from katana_sandbox.descriptor import Collection, plain_fields

SALES_ORDER_ACCOUNTING_METADATA = Collection(
    name="sales_order_accounting_metadata",
    fields=plain_fields("sales_order_id fulfillment_id invoice_id integration_type"),
    stamps=("created_at",),
    foreign_keys=("sales_order_id",),
)
