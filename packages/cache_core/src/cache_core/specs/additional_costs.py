"""Additional costs: Katana's presets that a purchase order can carry (facts 3.3)."""

from datetime import timedelta

from cache_core.spec import EntitySpec, Searchable

ADDITIONAL_COST = EntitySpec(
    name="additional_cost",
    collection="additional_costs",
    searchable=Searchable(names=("name",)),
    key_path="name",
    fresh_for=timedelta(minutes=15),
)
