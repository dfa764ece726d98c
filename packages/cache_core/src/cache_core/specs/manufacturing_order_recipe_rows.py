"""Ingredients of manufacturing orders, a collection of their own (facts 3.6); gone with their order."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

MANUFACTURING_ORDER_RECIPE_ROW = EntitySpec(
    name="manufacturing_order_recipe_row",
    collection="manufacturing_order_recipe_rows",
    searchable=Searchable(extras=("notes",)),
    inherits=(Lookup("manufacturing_order_id", "manufacturing_order", ()),),
    moves=("variant_id",),
    fresh_for=timedelta(seconds=30),
)
