"""An invented catalogue and order book of any size, page by page as Katana sends them, always the same."""

import random
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import Decimal

from cache_core.records import Record, encode

NOON = "2025-01-01T12:00:00.000Z"
PAGE = 250
VARIANTS_PER_PRODUCT = 5
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
_STATUSES = ("NOT_SHIPPED", "PACKED", "DELIVERED", "PENDING")


def words(count: int = 20_000) -> list[str]:
    """Return this many different words of two to four syllables."""
    pick = random.Random(7)
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(pick.choices(_SYLLABLES, k=pick.randint(2, 4)))] = None
    return list(found)


VOCABULARY = words()


def sku(nr: int) -> str:
    """Return the SKU of a variant, dotted as factories like it."""
    return f"{nr // 100_000:02}.{4000 + nr // 1000 % 100}.{nr // 10 % 100:03}.{nr % 1000:03}"


def supplier_code(nr: int) -> str:
    """Return the supplier's code of a variant."""
    return f"SUP-{nr * 3}"


def product_name(nr: int, vocabulary: Sequence[str] = VOCABULARY) -> str:
    """Return the name of a product: three words."""
    return " ".join(vocabulary[(nr * step + step) % len(vocabulary)] for step in (1, 7, 31)).title()


def category(nr: int, vocabulary: Sequence[str] = VOCABULARY) -> str:
    """Return the category of a product: one of forty words."""
    return vocabulary[nr % 40]


def words_in_names(variants: int, most: int) -> list[str]:
    """Return the words that the names of at most so many variants begin with or have, the commonest first."""
    per_word = variants * 3 / len(VOCABULARY)  # a product has three words and five variants
    sorted_words = sorted(VOCABULARY)
    begun = {
        word: bisect_left(sorted_words, f"{word}\U0010ffff") - bisect_left(sorted_words, word) for word in VOCABULARY
    }
    return sorted((word for word in VOCABULARY if begun[word] * per_word <= most), key=lambda word: -begun[word])


def product(nr: int, vocabulary: Sequence[str] = VOCABULARY) -> Record:
    """Return a product as Katana sends it."""
    return {
        "id": nr,
        "name": product_name(nr, vocabulary),
        "uom": "pcs",
        "category_name": category(nr, vocabulary),
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


def variant(nr: int) -> Record:
    """Return a variant with a code, a barcode and an option, as Katana sends it."""
    return {
        "id": nr,
        "sku": sku(nr),
        "sales_price": Decimal(nr % 900) + Decimal("0.99"),
        "purchase_price": nr % 500,
        "product_id": product_of(nr),
        "material_id": None,
        "type": "product",
        "internal_barcode": str(4_000_000_000_000 + nr * 7),
        "registered_barcode": None,
        "supplier_item_codes": [supplier_code(nr)],
        "lead_time": None,
        "minimum_order_quantity": 1,
        "config_attributes": [{"config_name": "Colour", "config_value": ("red", "blue", "green")[nr % 3]}],
        "custom_fields": None,
        "created_at": NOON,
        "updated_at": f"2025-01-{1 + nr % 28:02}T08:{nr % 60:02}:{nr // 60 % 60:02}.{nr % 1000:03}Z",
        "deleted_at": None,
    }


def product_of(nr: int) -> int:
    """Return the id of a variant's product."""
    return 1 + nr // VARIANTS_PER_PRODUCT


def day_of(nr: int) -> str:
    """Return the day of a document, somewhere in three years."""
    return f"{2023 + nr % 3}-{1 + nr // 3 % 12:02}-{1 + nr // 36 % 28:02}"


def order(nr: int, variants: int) -> dict[str, object]:
    """Return a sales order with three rows, as Katana sends it."""
    day = day_of(nr)
    return {
        "id": nr,
        "customer_id": 1 + nr % 500,
        "order_no": f"SO-{nr}",
        "source": "API",
        "order_created_date": f"{day}T08:00:00.000Z",
        "delivery_date": None if nr % 7 == 0 else f"{day}T16:00:00.000Z",
        "location_id": 1 + nr % 3,
        "status": _STATUSES[nr % 4],
        "currency": "EUR",
        "conversion_rate": 1,
        "conversion_date": None,
        "invoicing_status": None,
        "total": Decimal(nr) / 4 + Decimal("0.10"),
        "total_in_base_currency": nr,
        "additional_info": f"note {nr % 97} please call",
        "customer_ref": f"REF/{nr}",
        "sales_order_rows": [_row(nr, index, variants) for index in range(3)],
        "tracking_number": None,
        "ecommerce_order_id": None,
        "shipping_fee": None,
        "addresses": [{"id": nr, "entity_type": "billing", "city": "Köln", "line_1": "Weg 1", "zip": "1"}],
        "fulfillments": [],
        "custom_fields": {},
        "created_at": f"{day}T08:00:00.000Z",
        "updated_at": f"{day}T08:00:00.000Z",
    }


def _row(nr: int, position: int, variants: int) -> dict[str, object]:
    return {
        "id": nr * 10 + position,
        "sales_order_id": nr,
        "quantity": position + 1,
        "variant_id": 1 + (nr * 3 + position) % variants,
        "tax_rate_id": 1,
        "location_id": None,
        "price_per_unit": "12.5000000000",
        "total": Decimal("12.50"),
        "total_discount": "0.00",
        "cogs_value": None,
        "attributes": [],
        "batch_transactions": [],
        "serial_numbers": [],
        "created_at": NOON,
        "updated_at": NOON,
    }


def pages(records: Iterator[Record]) -> Iterator[bytes]:
    """Yield the bodies of a listing."""
    page: list[Record] = []
    for record in records:
        page.append(record)
        if len(page) == PAGE:
            yield body(page)
            page = []
    if page:
        yield body(page)


def body(page: Sequence[Record]) -> bytes:
    """Return the body of one page."""
    return encode({"data": page})
