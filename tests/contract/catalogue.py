"""A catalogue of any size in every backend, for the slow proofs: what a factory of that size would hold."""

import random
from collections.abc import Sequence
from decimal import Decimal

from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, SyncState
from cache_core.records import Record

from .entities import NINE

PAGE = 250
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
    pick, found = random.Random(7), dict[str, None]()
    while len(found) < count:
        found["".join(pick.choices(_SYLLABLES, k=pick.randint(2, 4)))] = None
    return list(found)


VOCABULARY = words(20_000)
COMPLETE = SyncState(cursor=NOON, completed_at=NOON)


def named(nr: int, *, field: str = "name") -> Record:
    """Return a record with the fields that people are found by."""
    first, second = VOCABULARY[nr % 997].title(), VOCABULARY[nr * 7 % 997].title()
    return {
        "id": nr,
        field: f"{first} & {second}" if nr % 3 else f"{first} GmbH",
        "email": f"{first}@{second}.example".lower(),
        "phone": f"+49 30 {nr:07}",
        "category": ("dealer", "factory", None)[nr % 3],
        "rate": Decimal(nr % 20),
        "created_at": NOON,
        "updated_at": NOON,
        "deleted_at": NOON if nr % 29 == 0 else None,
    }


def product(nr: int) -> Record:
    """Return a product named by three words; now and then it is archived."""
    return {
        "id": nr,
        "name": " ".join(VOCABULARY[(nr * step + step) % len(VOCABULARY)] for step in (1, 7, 31)).title(),
        "uom": "pcs",
        "category_name": VOCABULARY[nr % 40],
        "is_sellable": nr % 4 > 0,
        "configs": [{"id": nr, "name": "Colour", "values": ["red", "blue"], "product_id": nr}],
        "created_at": NOON,
        "updated_at": NOON,
        "archived_at": NOON if nr % 17 == 0 else None,
        "deleted_at": None,
    }


def variant(nr: int, products: int) -> Record:
    """Return a variant of one of so many products, with a dotted SKU, a barcode and an option."""
    return {
        "id": nr,
        "sku": f"{nr // 100_000:02}.{4000 + nr // 1000 % 100}.{nr // 10 % 100:03}.{nr % 1000:03}",
        "sales_price": Decimal(nr % 900) + Decimal("0.99"),
        "purchase_price": nr % 500,
        "product_id": 1 + nr // 5 % products,
        "type": "product",
        "internal_barcode": str(4_000_000_000_000 + nr * 7),
        "supplier_item_codes": [f"SUP-{nr * 3}"],
        "lead_time": None,
        "config_attributes": [{"config_name": "Colour", "config_value": ("red", "blue", "green")[nr % 3]}],
        "created_at": NOON,
        "updated_at": f"2025-01-{1 + nr % 28:02}T08:{nr % 60:02}:{nr // 60 % 60:02}.{nr % 1000:03}Z",
        "deleted_at": None,
    }


def catalogue(variants: int) -> dict[str, Sequence[Record]]:
    """Return the records of each of the nine, parents first; now and then one is archived or deleted."""
    products = max(1, variants // 5)
    items = [product(nr) for nr in range(1, products + 1)]
    held: dict[str, Sequence[Record]] = {spec.name: [named(nr) for nr in range(1, 301)] for spec in NINE}
    held["operator"] = [named(nr, field="operator_name") for nr in range(1, 101)]
    held["product"] = items
    held["variant"] = [variant(nr, products) for nr in range(1, variants + 1)]
    return held


async def fill(cache: CacheBackend, variants: int) -> None:
    """Store the catalogue as sync does."""
    held = catalogue(variants)
    for spec in NINE:
        records = held[spec.name]
        for first in range(0, len(records), PAGE):
            rows = (await prepare(spec, records[first : first + PAGE], cache)).rows
            await cache.apply(Batch(entity=spec.name, at=NOON, upserts=rows, state=COMPLETE))
