"""Sales returns: what customers send back of what was shipped (facts 6.1); their rows are an entity of their own.

Katana's own pages show no rows in a return, so what a listing embeds is not read. The gateway does not know
`include_deleted`: where it is ignored, only an id audit finds a deleted return gone.
"""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

SALES_RETURN = EntitySpec(
    name="sales_return",
    collection="sales_returns",
    searchable=Searchable(
        keys=("order_no",),
        names=(
            Lookup("customer_id", "customer", ("name", "company")),
            Lookup("sales_order_id", "sales_order", ("order_no",)),
        ),
        extras=("additional_info", "tracking_number"),
    ),
    key_path="order_no",
    moves=("sales_return_rows[].variant_id",),
    keys_at_once=1,
    fresh_for=timedelta(seconds=30),
)
