"""Ingredients of outsourced purchase orders, a collection of their own (facts 3.4); gone with their order."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

OUTSOURCED_PURCHASE_ORDER_RECIPE_ROW = EntitySpec(
    name="outsourced_purchase_order_recipe_row",
    collection="outsourced_purchase_order_recipe_rows",
    searchable=Searchable(extras=("notes",)),
    moves=("ingredient_variant_id",),
    inherits=(Lookup("purchase_order_id", "purchase_order", ()),),
    fresh_for=timedelta(seconds=30),
)
