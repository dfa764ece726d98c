"""A catalogue for the tests of this package: records of the nine entities as Katana sends them."""

import random
from collections.abc import Sequence
from decimal import Decimal

from cache_core.records import Record

NOON = "2025-01-01T12:00:00.000Z"
_SYLLABLES = (
    "ba",
    "ke",
    "li",
    "mo",
    "nu",
    "ra",
    "se",
    "ti",
    "vo",
    "zu",
    "pal",
    "ter",
    "gon",
    "rid",
    "sab",
    "len",
    "wix",
)


def words(count: int) -> list[str]:
    """Return this many different words of two to four syllables, always the same ones."""
    pick = random.Random(7)
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(pick.choices(_SYLLABLES, k=pick.randint(2, 4)))] = None
    return list(found)


def product(nr: int, vocabulary: Sequence[str]) -> Record:
    """Return a product named by three words of the vocabulary."""
    name = " ".join(vocabulary[(nr * step + step) % len(vocabulary)] for step in (1, 7, 31)).title()
    return {
        "id": nr,
        "name": name,
        "uom": "pcs",
        "category_name": vocabulary[nr % 40],
        "is_sellable": True,
        "is_producible": True,
        "is_purchasable": False,
        "is_auto_assembly": False,
        "default_supplier_id": None,
        "additional_info": "",
        "batch_tracked": False,
        "serial_tracked": False,
        "operations_in_sequence": False,
        "purchase_uom": None,
        "purchase_uom_conversion_rate": "1.00000000000",
        "type": "product",
        "custom_field_collection_id": None,
        "variants": [],
        "configs": [{"id": nr, "name": "Colour", "values": ["red", "blue"], "product_id": nr}],
        "created_at": NOON,
        "updated_at": NOON,
        "archived_at": None,
        "deleted_at": None,
    }


def variant(nr: int, products: int) -> Record:
    """Return a variant of one of so many products, with a code, a barcode and an option."""
    return {
        "id": nr,
        "sku": sku(nr),
        "sales_price": Decimal(nr % 900) + Decimal("0.99"),
        "purchase_price": nr % 500,
        "product_id": 1 + nr // 5 % products,
        "material_id": None,
        "type": "product",
        "internal_barcode": str(4_000_000_000_000 + nr * 7),
        "registered_barcode": None,
        "supplier_item_codes": [f"SUP-{nr * 3}"],
        "lead_time": None,
        "minimum_order_quantity": 1,
        "config_attributes": [{"config_name": "Colour", "config_value": ("red", "blue", "green")[nr % 3]}],
        "custom_fields": None,
        "created_at": NOON,
        "updated_at": f"2025-01-{1 + nr % 28:02}T08:{nr % 60:02}:{nr // 60 % 60:02}.{nr % 1000:03}Z",
        "deleted_at": None,
    }


def sku(nr: int) -> str:
    """Return the SKU of a variant, dotted as factories like it."""
    return f"{nr // 100_000:02}.{4000 + nr // 1000 % 100}.{nr // 10 % 100:03}.{nr % 1000:03}"
