"""Stock transfers with the rows that their listing embeds; the rows have no collection (facts 3.7)."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

STOCK_TRANSFER = EntitySpec(
    name="stock_transfer",
    collection="stock_transfers",
    searchable=Searchable(
        keys=("stock_transfer_number",),
        names=(
            Lookup("source_location_id", "location", ("name",)),
            Lookup("target_location_id", "location", ("name",)),
        ),
        extras=("additional_info",),
        related=(Lookup("stock_transfer_rows[].variant_id", "variant", ("sku",)),),
    ),
    key_path="stock_transfer_number",
    keys_at_once=1,
    children=("stock_transfer_rows",),
    moves=("stock_transfer_rows[].variant_id",),
    fresh_for=timedelta(seconds=30),
)
