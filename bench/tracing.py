"""A recall over three levels: a batch of a material, what was made of it, and what was made of that, in every backend.

Every tenth document speaks of the recalled goods. The floor is a table of what moved which batch, and one statement.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from functools import partial
from itertools import batched
from pathlib import Path

from bench import data, documents, lines
from bench.caches import FLOOR, opened
from bench.figures import Figure, Work, p50, side_by_side
from bench.floor import statements
from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend
from cache_core.records import Record
from cache_core.specs import SPECS
from katana_mcp.values import rows
from katana_mcp.workflows.tracing.events import Lot
from katana_mcp.workflows.tracing.reading import Documents
from katana_mcp.workflows.tracing.walk import Walk

FAMILIES = 10
"""Materials, each with a paste made of it and a kit made of that; of one of them a batch is recalled."""
LOTS = 10
"""Batches of each material that are used in turn."""
_BY_NAME = {spec.name: spec for spec in SPECS}
RECALLED = Lot(1, 1)


def _lot(family: int, level: int, number: int) -> dict[str, object]:
    return {"batch_id": 1 + family + FAMILIES * (level + 3 * number)}


def _variant(family: int, level: int) -> int:
    return 1 + family + FAMILIES * level


def _traced(family: int, level: int, number: int, quantity: int) -> dict[str, object]:
    return {"traceability": [{**_lot(family, level, number), "quantity": str(quantity)}]}


def _first(made: Record, name: str) -> dict[str, object]:
    """Return the first row of a document."""
    return dict(rows(made, name)[0])


def _bought(nr: int) -> Record:
    family, at = nr % FAMILIES, nr // FAMILIES
    made = documents.purchase_order(4 * nr)
    row = {"id": nr, "quantity": 1_000, "variant_id": _variant(family, 0), **_traced(family, 0, at % LOTS, 1_000)}
    lines = [_first(made, "purchase_order_rows") | row]
    return {**made, "id": nr, "order_no": f"PO-{nr}", "status": "RECEIVED", "purchase_order_rows": lines}


def _ordered(nr: int) -> Record:
    family, level = nr % FAMILIES, 1 + nr // FAMILIES % 2
    return {**documents.manufacturing_order(nr), "id": nr, "variant_id": _variant(family, level), "status": "DONE"}


def _produced(nr: int) -> Record:
    """Return the production of the order with this number: pastes and kits in turn, each in a batch of its own."""
    family, level, at = nr % FAMILIES, 1 + nr // FAMILIES % 2, nr // FAMILIES // 2
    made = documents.production(nr)
    source = at % LOTS if level == 1 else max(0, at - 3)
    taken = {"variant_id": _variant(family, level - 1), "quantity": 2, **_traced(family, level - 1, source, 2)}
    used = _first(made, "ingredients") | taken
    return {**made, "quantity": 2, "ingredients": [used], "serial_numbers": [], **_traced(family, level, at, 2)}


def _sold(nr: int) -> Record:
    made = data.order(nr, FAMILIES)
    row = _first(made, "sales_order_rows") | {"id": nr, "variant_id": _variant(nr % FAMILIES, 2)}
    return {**made, "status": "DELIVERED", "sales_order_rows": [row]}


def _shipped(nr: int) -> Record:
    family, at = nr % FAMILIES, nr // FAMILIES
    line = {"id": nr, "sales_order_row_id": nr, "quantity": 1, **_traced(family, 2, at // 2, 1)}
    return {**documents.fulfillment(nr), "sales_order_fulfillment_rows": [line]}


_SHARES = {
    "purchase_order": (1, _bought),
    "manufacturing_order": (2, _ordered),
    "manufacturing_order_production": (2, _produced),
    "sales_order": (2, _sold),
    "sales_order_fulfillment": (2, _shipped),
}
"""How many ninths of all documents are of each kind, and how one looks."""


def made(size: int) -> Iterator[tuple[str, list[Record]]]:
    """Yield pages of so many documents in all, by cache entity."""
    for entity, (share, make) in _SHARES.items():
        for numbers in batched(range(1, size * share // 9 + 1), 250):
            yield entity, [make(nr) for nr in numbers]


async def fill(cache: CacheBackend, size: int) -> None:
    """Store so many documents."""
    for entity, records in made(size):
        prepared = await prepare(_BY_NAME[entity], records, cache)
        await cache.apply(Batch(entity=entity, at=data.NOON, upserts=prepared.rows))


async def recalled(cache: CacheBackend) -> Walk:
    """Return what is reached of the recalled batch: where it went, over all levels."""
    walk = Walk(Documents(cache, {}), levels=5)
    await walk.start_at_lots([RECALLED], ["down"])
    return walk


async def recall(size: int, directory: Path) -> list[Figure]:
    """Measure a recall among this many documents."""
    async with opened(directory, size) as caches:
        works: dict[str, Work] = {}
        for name, cache in caches.items():
            await fill(cache, size)
            works[name] = partial(_recalled, cache)
        with closing(sqlite3.connect(directory / "floor.db")) as floor:
            sql = statements("tracing")
            floor.executescript(sql["schema"])
            walk = await recalled(next(iter(caches.values())))
            floor.executemany(sql["insert"], list(_moves(walk.documents)))
            works[FLOOR] = partial(_followed, floor, sql["recall"])
            took = p50(await side_by_side(works))
    note = f"{len(walk.lots)} batches and {len(walk.steps)} rows reached"
    return [Figure(topic=lines.RECALL, what=lines.RECALLED, size=size, values=took, note=note)]


async def _recalled(cache: CacheBackend, _: int) -> object:
    return await recalled(cache)


async def _followed(floor: sqlite3.Connection, sql: str, _: int) -> object:
    return floor.execute(sql, (RECALLED.batch_id,)).fetchall()


def _moves(read: Documents) -> Iterator[tuple[object, ...]]:
    for events in read.by_lot.values():
        for event in events:
            process = None if event.process is None else event.process[1]
            quantity = str(Decimal(event.quantity))
            yield event.lot.batch_id, event.kind, process, event.document.number, quantity, event.date
