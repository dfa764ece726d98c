"""Whatever moves stock marks the levels of its variants, when it comes, changes or goes."""

import pytest

from cache_core.indexing import row_of
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch
from cache_core.records import Record, RecordId, canonical, iso
from cache_core.specs import SPECS
from cache_core.specs.stock import STOCK
from cache_core.sync.source import SourcePage
from cache_core.sync.storing import Extra, Store
from cache_core.testing import START, ManualClock

MOVES = {
    "inventory_movement": "variant_id",
    "manufacturing_order": "variant_id",
    "manufacturing_order_production": "ingredients[].variant_id",
    "manufacturing_order_recipe_row": "variant_id",
    "outsourced_purchase_order_recipe_row": "ingredient_variant_id",
    "purchase_order": "purchase_order_rows[].variant_id",
    "sales_order": "sales_order_rows[].variant_id",
    "sales_return": "sales_return_rows[].variant_id",
    "stock_adjustment": "stock_adjustment_rows[].variant_id",
    "stock_transfer": "stock_transfer_rows[].variant_id",
}


def naming(path: str, variant_id: int) -> Record:
    """Return a record that names a variant at this path."""
    head, _, field = path.rpartition("[].")
    named: Record = {field: variant_id}
    return {"id": 1, "updated_at": iso(START), **({head: [named]} if head else named)}


def test_no_other_entity_moves_stock() -> None:
    assert {spec.name for spec in SPECS if spec.moves} == MOVES.keys()


@pytest.mark.parametrize(("entity", "path"), MOVES.items(), ids=MOVES)
async def test_what_moves_stock_marks_it_when_it_comes_changes_or_goes(entity: str, path: str) -> None:
    clock, cache = ManualClock(), MemoryBackend(SPECS)
    specs = {spec.name: spec for spec in SPECS}
    store = Store(specs, cache, clock)
    levels = [
        row_of(STOCK, canonical({"variant_id": variant_id, "fetched_at": iso(START), "levels": []}), {})
        for variant_id in (5, 6)
    ]
    fetched = Batch(entity=STOCK.name, at=iso(START), upserts=levels)

    async def marked(*records: Record, removed: tuple[RecordId, ...] = ()) -> list[RecordId]:
        await cache.apply(fetched)
        clock.advance(1)
        await store.keep(specs[entity], SourcePage(records, None), Extra(removed=removed))
        rows = (await cache.get_many(STOCK.name, [5, 6])).rows
        return [row.id for row in rows if row.record.get("dirty_at") == iso(clock.now())]

    assert await marked(naming(path, 5)) == [5]
    assert await marked(naming(path, 5)) == []
    assert await marked(naming(path, 6)) == [5, 6]
    assert await marked(removed=(1, 2)) == [6]
