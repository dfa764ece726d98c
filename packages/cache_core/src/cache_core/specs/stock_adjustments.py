"""Stock adjustments with the rows that their listing embeds; the rows have no collection (facts 3.7)."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

STOCK_ADJUSTMENT = EntitySpec(
    name="stock_adjustment",
    collection="stock_adjustments",
    searchable=Searchable(
        keys=("stock_adjustment_number",),
        names=(Lookup("location_id", "location", ("name",)),),
        extras=("reason", "additional_info"),
        related=(Lookup("stock_adjustment_rows[].variant_id", "variant", ("sku",)),),
    ),
    key_path="stock_adjustment_number",
    keys_at_once=1,
    children=("stock_adjustment_rows",),
    moves=("stock_adjustment_rows[].variant_id",),
    fresh_for=timedelta(seconds=30),
)
