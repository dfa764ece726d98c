"""Additional cost rows of purchase orders, a collection of their own (facts 3.4).

They name no order but a group: `default_group_id` of the order, or `group_id` of its rows.
"""

from datetime import timedelta

from cache_core.spec import EntitySpec, Searchable

PURCHASE_ORDER_ADDITIONAL_COST_ROW = EntitySpec(
    name="purchase_order_additional_cost_row",
    collection="po_additional_cost_rows",
    searchable=Searchable(names=("name",), extras=("reference",)),
    fresh_for=timedelta(seconds=30),
)
