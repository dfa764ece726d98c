"""Purchase orders, regular and outsourced, with the rows that their listing embeds (facts 3.4)."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Feed, Lookup, Searchable

PURCHASE_ORDER = EntitySpec(
    name="purchase_order",
    collection="purchase_orders",
    searchable=Searchable(
        keys=("order_no",),
        names=(Lookup("supplier_id", "supplier", ("name",)),),
        extras=("additional_info",),
        related=(
            Lookup("purchase_order_rows[].variant_id", "variant", ("sku", "supplier_item_codes[]")),
            Lookup("supplier_id", "supplier", ("email",)),
        ),
    ),
    key_path="order_no",
    keys_at_once=1,
    children=("purchase_order_rows",),
    feeds=(
        Feed(
            "purchase_order_rows",
            "purchase_order_id",
            "purchase_order_rows[]",
            sums=("total", "total_in_base_currency"),
        ),
    ),
    moves=("purchase_order_rows[].variant_id",),
    fresh_for=timedelta(seconds=30),
)
