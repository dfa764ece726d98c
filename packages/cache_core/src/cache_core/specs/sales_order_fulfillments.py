"""Fulfillments with their rows, a collection of its own (facts 3.5); gone with their order."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

SALES_ORDER_FULFILLMENT = EntitySpec(
    name="sales_order_fulfillment",
    collection="sales_order_fulfillments",
    searchable=Searchable(keys=("tracking_number",), extras=("tracking_carrier", "tracking_method")),
    children=("sales_order_fulfillment_rows",),
    inherits=(Lookup("sales_order_id", "sales_order", ()),),
    fetch_by="get",
    fresh_for=timedelta(seconds=30),
)
