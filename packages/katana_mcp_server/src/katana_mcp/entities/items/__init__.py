"""Items: products, materials and services, found through their variants."""

from katana_mcp.descriptor import Entity, View
from katana_mcp.entities.items.rows import ItemRow, service_row, variant_row
from katana_mcp.names import FACTORY

_LATER = "items are read through get_variant_details until the whole read surface lands"
_WRITES = "writing comes with the write rail"

ITEMS = Entity(
    name="item",
    plural="items",
    toolset="catalog",
    sources=("variant", "service"),
    reads=("product", "material", *FACTORY),
    searched=("SKU", "item name", "config values", "supplier item codes", "barcodes", "service name"),
    summary=View(model=ItemRow, own=variant_row, names={"variant": ("id",), "factory": ()}),
    views={"service": View(model=ItemRow, own=service_row, names={"factory": ()})},
    absent={"list": _LATER, "get": _LATER, "create": _WRITES, "modify": _WRITES, "delete": _WRITES},
    notes={"search": "Hits name `variant_id`, `item_id` and `item_type` (product, material, service)."},
)
