"""A catalogue of any size in every backend, for the slow proofs: what a factory of that size would hold."""

from collections.abc import Sequence
from decimal import Decimal

from bench import data
from bench.data import NOON, PAGE, VOCABULARY

from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, SyncState
from cache_core.records import Record

from .entities import NINE

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


def _now_and_then_archived(nr: int) -> Record:
    return {**data.product(nr), "is_sellable": nr % 4 > 0, "archived_at": NOON if nr % 17 == 0 else None}


def catalogue(variants: int) -> dict[str, Sequence[Record]]:
    """Return the records of each of the nine, parents first; now and then one is archived or deleted."""
    held: dict[str, Sequence[Record]] = {spec.name: [named(nr) for nr in range(1, 301)] for spec in NINE}
    held["operator"] = [named(nr, field="operator_name") for nr in range(1, 101)]
    held["product"] = [_now_and_then_archived(nr) for nr in range(1, data.product_of(variants) + 1)]
    held["variant"] = [data.variant(nr) for nr in range(1, variants + 1)]
    return held


async def fill(cache: CacheBackend, variants: int) -> None:
    """Store the catalogue as sync does."""
    held = catalogue(variants)
    for spec in NINE:
        records = held[spec.name]
        for first in range(0, len(records), PAGE):
            rows = (await prepare(spec, records[first : first + PAGE], cache)).rows
            await cache.apply(Batch(entity=spec.name, at=NOON, upserts=rows, state=COMPLETE))
