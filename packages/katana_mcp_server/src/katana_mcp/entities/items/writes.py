"""How items are written: products, materials and services, a declaration each, behind the same three tools."""

from katana_mcp.documents.kinds import writes_of_kinds
from katana_mcp.entities.items.goods import MATERIAL, PRODUCT
from katana_mcp.entities.items.services import SERVICE

_IN_VARIANTS = "its variants do: give it in `variants`, `add_variants` or `update_variants`"
WRITES = writes_of_kinds(
    (PRODUCT, MATERIAL, SERVICE),
    {
        "create": ": a product, material or service, with its variants and prices",
        "modify": ": head, options, variants with SKU, prices, barcode and lead time, or whether it is archived",
        "delete": " with its variants",
    },
    {
        **dict.fromkeys(("sku", "sales_price"), _IN_VARIANTS),
        "default_cost": "the `purchase_price` of its variants is what it costs",
        **dict.fromkeys(
            ("variants", "add_variants", "update_variants", "delete_variant_ids"),
            "its SKU and prices are arguments of their own",
        ),
    },
)
