"""Bills of purchase orders, a collection of its own that only accounting integrations write (facts 3.4).

Katana lists it whole: no dates to filter by, no ids, no deletions (facts 1.13).
"""

from datetime import timedelta

from cache_core.spec import EntitySpec, Searchable

PURCHASE_ORDER_ACCOUNTING_METADATA = EntitySpec(
    name="purchase_order_accounting_metadata",
    collection="purchase_order_accounting_metadata",
    searchable=Searchable(extras=("bill_id",)),
    watermark=False,
    include=(),
    fetch_by="full_list",
    fresh_for=timedelta(minutes=15),
)
