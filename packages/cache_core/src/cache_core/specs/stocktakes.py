"""Stocktakes: counts of the stock of a location (facts 6.2); their rows are an entity of their own."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

STOCKTAKE = EntitySpec(
    name="stocktake",
    collection="stocktakes",
    searchable=Searchable(
        keys=("stocktake_number",),
        names=(Lookup("location_id", "location", ("name",)),),
        extras=("reason", "additional_info"),
    ),
    key_path="stocktake_number",
    keys_at_once=1,
    fresh_for=timedelta(seconds=30),
)
