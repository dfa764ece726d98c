"""Services: sold and bought, never in stock; each has exactly one variant."""

from cache_core.spec import EntitySpec, Searchable

SERVICE = EntitySpec(
    name="service",
    collection="services",
    searchable=Searchable(keys=("variants[].sku",), names=("name",), extras=("category_name", "additional_info")),
    key_path="name",
    include=("deleted", "archived"),
    children=("variants",),
)
