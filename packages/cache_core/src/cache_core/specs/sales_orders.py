"""Sales orders with the rows, addresses and shipping fee that their listing embeds (facts 3.5).

Reading one by id may leave its addresses out (facts 5.7); fulfillments are a collection of their own.
"""

from datetime import timedelta

from cache_core.spec import EntitySpec, Feed, Lookup, Searchable

# Phone numbers and postcodes are left out: with them, the number of any order would find many others.
_ADDRESS = ("first_name", "last_name", "company", "line_1", "line_2", "city")

SALES_ORDER = EntitySpec(
    name="sales_order",
    collection="sales_orders",
    searchable=Searchable(
        keys=("order_no",),
        names=(Lookup("customer_id", "customer", ("name", "company")),),
        extras=("customer_ref", "additional_info", "tracking_number", "ecommerce_order_id"),
        related=(
            Lookup("sales_order_rows[].variant_id", "variant", ("sku",)),
            Lookup("customer_id", "customer", ("email",)),
            *(f"addresses[].{field}" for field in _ADDRESS),
        ),
    ),
    key_path="order_no",
    keys_at_once=1,
    children=("sales_order_rows", "addresses", "shipping_fee"),
    feeds=(
        Feed("sales_order_rows", "sales_order_id", "sales_order_rows[]"),
        Feed("sales_order_addresses", "sales_order_id", "addresses[]"),
        Feed("sales_order_shipping_fee", "sales_order_id", "shipping_fee"),
    ),
    moves=("sales_order_rows[].variant_id",),
    fresh_for=timedelta(seconds=30),
)
