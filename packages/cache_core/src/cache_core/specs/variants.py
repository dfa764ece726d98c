"""Variants: what a SKU names; archived and deleted with their product or material."""

from cache_core.spec import EntitySpec, Lookup, Searchable

_PRODUCT = Lookup("product_id", "product", ("name",))
_MATERIAL = Lookup("material_id", "material", ("name",))
_ABOUT = ("category_name", "additional_info")

VARIANT = EntitySpec(
    name="variant",
    collection="variants",
    searchable=Searchable(
        keys=("sku",),
        names=(_PRODUCT, _MATERIAL, "config_attributes[].config_value"),
        extras=("supplier_item_codes[]", "internal_barcode", "registered_barcode"),
        related=(Lookup("product_id", "product", _ABOUT), Lookup("material_id", "material", _ABOUT)),
    ),
    key_path="sku",
    keys_at_once=100,
    codes=("supplier_item_codes",),
    include=("deleted", "archived"),
    inherits=(_PRODUCT, _MATERIAL),
)
