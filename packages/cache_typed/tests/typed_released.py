"""Makes the file of the present schema version that later versions must open.

Run once per schema version, from the root: `PYTHONPATH=. python packages/cache_typed/tests/typed_released.py`; a
released file is never made again.
"""

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from bench.data import product, variant, words
from bench.documents import DOCUMENTS
from typed_orders import NOON, batch, only_file, order

from cache_core.indexing import prepare
from cache_core.protocol import Batch, Checkpoint, Quarantined, Row, SyncState
from cache_core.records import canonical
from cache_core.search_rules import SearchText
from cache_core.specs import SPECS
from cache_typed.backend import TypedBackend
from cache_typed.schema import SCHEMA_VERSION

FIXTURES = Path(__file__).parent / "fixtures"
STATE = SyncState(NOON, NOON, 3, Checkpoint(2, 9, None, NOON, NOON))
QUARANTINED = Quarantined(7, "why", "{}")
ORDERS = (*(order(nr) for nr in range(1, 6)), order(6, wire_news={"a": [1]}, total="a lot", deleted_at=NOON))
LEVEL = {"variant_id": 1, "location_id": 2, "quantity_in_stock": "10.00000", "average_cost": "1.5000000000"}
NAMED = ("location", "tax_rate", "operator", "supplier", "customer", "material", "service")
CATALOGUE = {
    **{entity: [{"id": 1, "name": f"the {entity}", "operator_name": "Åse", "updated_at": NOON}] for entity in NAMED},
    "product": [product(1, words(200))],
    "variant": [variant(nr) for nr in (1, 2)],
}
BOOKS = CATALOGUE | {entity: [make(nr) for nr in (1, 2)] for entity, make in DOCUMENTS.items()}
HELD = {
    "typed-1": {},
    "typed-2": CATALOGUE,
    "typed-3": BOOKS,
    "typed-4": BOOKS,
    "typed-5": BOOKS,
    "typed-6": BOOKS,
    "typed-7": BOOKS,
    "typed-8": BOOKS,
    "typed-9": BOOKS,
    "typed-10": BOOKS,
    "typed-11": BOOKS,
    "typed-12": BOOKS,
}
"""What the file of each version holds beside orders and stock."""


async def fill(cache: TypedBackend) -> None:
    """Store what every fixture of this version on holds."""
    held = HELD[f"typed-{SCHEMA_VERSION}"]
    for spec in SPECS:
        prepared = await prepare(spec, held.get(spec.name, []), cache)
        await cache.apply(Batch(entity=spec.name, at=NOON, upserts=prepared.rows))
    await cache.apply(batch(*ORDERS))
    await cache.apply(Batch(entity="sales_order", at=NOON, state=STATE, quarantine=(QUARANTINED,)))
    levels = tuple(Row(nr, None, canonical({"variant_id": nr, "levels": [LEVEL]}), SearchText()) for nr in (1, 2, 3))
    await cache.apply(Batch(entity="stock", at=NOON, upserts=levels))


async def make() -> None:
    """Write the file of the present version, as small as it can be."""
    with tempfile.TemporaryDirectory() as directory:
        cache = TypedBackend(Path(directory))
        await cache.open()
        await fill(cache)
        await cache.close()
        path = only_file(Path(directory))
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            for statement in ("PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM"):
                db.execute(statement)
        (FIXTURES / path.name).write_bytes(path.read_bytes())


if __name__ == "__main__":
    asyncio.run(make())
