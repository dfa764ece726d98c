"""Productions of manufacturing orders, a collection of their own (facts 3.6); gone with their order.

The listing embeds what each production used of ingredients and operations.
"""

from datetime import timedelta

from cache_core.spec import EntitySpec, Lookup, Searchable

MANUFACTURING_ORDER_PRODUCTION = EntitySpec(
    name="manufacturing_order_production",
    collection="manufacturing_order_productions",
    searchable=Searchable(keys=("serial_numbers[].serial_number",)),
    children=("ingredients", "operations"),
    moves=("ingredients[].variant_id",),
    inherits=(Lookup("manufacturing_order_id", "manufacturing_order", ()),),
    fresh_for=timedelta(seconds=30),
)
