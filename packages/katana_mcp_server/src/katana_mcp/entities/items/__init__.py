"""Items: products, materials and services, found through their variants."""

from katana_mcp.entities.items.boms import WORKFLOWS
from katana_mcp.entities.items.filters import ListItemsRequest, SearchItemsRequest, listing, searching
from katana_mcp.entities.items.get import GET_ITEM
from katana_mcp.entities.items.prices import PRICE_WORKFLOWS
from katana_mcp.entities.items.rows import ItemRow, service_row, variant_row
from katana_mcp.entities.items.writes import WRITES
from katana_mcp.references.display_names import FACTORY
from katana_mcp.surface.descriptor import Entity, View

ITEMS = Entity(
    name="item",
    plural="items",
    toolset="items",
    sources=("variant", "service"),
    reads=("product", "material", "supplier", *FACTORY),
    searched=("SKU", "item name", "config values", "supplier item codes", "barcodes", "category", "notes"),
    forgiving=True,
    summary=View(model=ItemRow, computed_fields=variant_row, names={"variant": ("id",), "supplier": (), "factory": ()}),
    views={"service": View(model=ItemRow, computed_fields=service_row, names={"factory": ()})},
    search_request=SearchItemsRequest,
    searching=searching,
    list_request=ListItemsRequest,
    listing=listing,
    get=GET_ITEM,
    writes=WRITES,
    workflows={**WORKFLOWS, **PRICE_WORKFLOWS},
    notes={
        "search": "Hits name `variant_id`, `item_id` and `item_type` (product, material, service).",
        "list": "Filters combine; newest first. Item ids are unique per type: pass `type` along with `ids`.",
        "modify": "Fields left out stay unchanged; null clears a field.",
        "delete": "Documents keep it; made again it gets new ids. Archiving only hides it.",
    },
)
