"""Products: items that hold stock through their variants."""

from cache_core.spec import EntitySpec, Lookup, Searchable

PRODUCT = EntitySpec(
    name="product",
    collection="products",
    searchable=Searchable(
        names=("name",),
        extras=("category_name", "additional_info"),
        related=(Lookup("default_supplier_id", "supplier", ("name",)),),
    ),
    key_path="name",
    include=("deleted", "archived"),
    children=("variants", "configs"),
)
