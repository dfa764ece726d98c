"""Manufacturing orders (facts 3.6); Katana embeds neither recipe rows nor operation rows nor productions."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

MANUFACTURING_ORDER = EntitySpec(
    name="manufacturing_order",
    collection="manufacturing_orders",
    searchable=Searchable(
        keys=("order_no",),
        extras=("additional_info", "serial_numbers[].serial_number"),
        related=(Lookup("variant_id", "variant", ("sku",)),),
    ),
    key_path="order_no",
    keys_at_once=1,
    moves=("variant_id",),
    fresh_for=timedelta(seconds=30),
)
