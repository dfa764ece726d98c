"""Rows of stocktakes, a collection of its own (facts 6.2); gone with their stocktake, and never searched."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup

STOCKTAKE_ROW = EntitySpec(
    name="stocktake_row",
    collection="stocktake_rows",
    inherits=(Lookup("stocktake_id", "stocktake", ()),),
    fresh_for=timedelta(seconds=30),
)
