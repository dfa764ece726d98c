"""Documents from pages of the wire to stored and searchable, and lists of them, by `pytest -m bench -s`.

Writing is measured in seconds of the processor, reading by the clock.
"""

import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from typed_documents import DOCUMENTS, NOON, PARENTS, day

from cache_core.conditions import Condition, Missing, NoneOf, OneOf, Order, Within
from cache_core.indexing import prepare
from cache_core.protocol import Batch, Search, Selection
from cache_core.records import canonical, decode, encode
from cache_core.specs import SPECS
from cache_typed.backend import TypedBackend

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]

COUNT = 10_000
PAGE = 250
BY_NAME = {spec.name: spec for spec in SPECS}
GOALS = {"purchase_order": 1_500, "manufacturing_order": 1_500}
"""Documents a second."""
MEASURED = (
    *GOALS,
    *("manufacturing_order_recipe_row", "manufacturing_order_operation_row", "manufacturing_order_production"),
    *("sales_order_fulfillment", "stock_transfer", "stock_adjustment", "inventory_movement", "bom_row"),
)


def say(text: str) -> None:
    """Show a figure."""
    sys.stderr.write(f"\n  {text}")


async def times(work: Callable[[int], Awaitable[object]], repeats: int) -> list[float]:
    """Return how long each call took, in milliseconds, shortest first."""
    taken: list[float] = []
    for each in range(repeats):
        start = time.perf_counter()
        await work(each)
        taken.append((time.perf_counter() - start) * 1_000)
    return sorted(taken)


def spread(taken: list[float]) -> str:
    """Return median and 95th percentile."""
    return f"p50 {statistics.median(taken):.2f} ms, p95 {taken[int(len(taken) * 0.95)]:.2f} ms"


def rows_of(page: bytes) -> list[dict[str, object]]:
    """Return the records of a page of the wire."""
    listed = decode(page)["data"]
    return [dict(each) for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


async def lend(cache: TypedBackend) -> None:
    """Store what documents borrow their text from."""
    for entity in ("supplier", "variant"):
        records = [{"id": nr, **record} for (name, nr), record in PARENTS.items() if name == entity]
        prepared = await prepare(BY_NAME[entity], records, cache)
        await cache.apply(Batch(entity=entity, at=NOON, upserts=prepared.rows))


async def fill(cache: TypedBackend, entity: str) -> float:
    """Return the seconds of work from pages of the wire to documents stored and searchable."""
    make = DOCUMENTS[entity]
    starts = range(1, COUNT + 1, PAGE)
    pages = [encode(canonical({"data": [make(nr) for nr in range(first, first + PAGE)]})) for first in starts]
    start = time.process_time()
    for page in pages:
        prepared = await prepare(BY_NAME[entity], rows_of(page), cache)
        await cache.apply(Batch(entity=entity, at=NOON, upserts=prepared.rows))
    return time.process_time() - start


async def test_documents_from_the_wire(tmp_path: Path) -> None:
    cache = TypedBackend(tmp_path)
    await cache.open()
    await lend(cache)
    for entity in MEASURED:
        speed = COUNT / await fill(cache, entity)
        say(f"{entity}: {speed:,.0f} a second")
        assert speed >= GOALS.get(entity, 0)
        assert await cache.count(entity) == COUNT
    await lists(cache)
    await cache.close()


def listed(cache: TypedBackend, entity: str, *where: Condition, by: str = "id") -> Callable[[int], Awaitable[object]]:
    """Return the work of a list of 50."""
    return lambda _: cache.select(entity, Selection(where, Order(by, descending=True), 50))


async def lists(cache: TypedBackend) -> None:
    """Print the figures of reading."""
    open_orders = NoneOf("status", ("DONE",))
    of_a_variant = OneOf("purchase_order_rows[].variant_id", (7,))
    works: dict[str, Callable[[int], Awaitable[object]]] = {
        "purchase orders, latest": listed(cache, "purchase_order", by="order_created_date"),
        "purchase orders due, of a supplier": listed(
            cache, "purchase_order", OneOf("supplier_id", (1,)), Within("expected_arrival_date", None, day(9, 2))
        ),
        "purchase orders of a variant": listed(cache, "purchase_order", of_a_variant),
        "manufacturing orders, open": listed(cache, "manufacturing_order", open_orders, by="production_deadline_date"),
        "manufacturing order of a sales order row": listed(
            cache, "manufacturing_order", OneOf("sales_order_row_id", (300,))
        ),
        "recipe rows of 50 orders": listed(
            cache, "manufacturing_order_recipe_row", OneOf("manufacturing_order_id", tuple(range(50)))
        ),
        "recipe rows that block": listed(
            cache, "manufacturing_order_recipe_row", OneOf("ingredient_availability", ("NOT_AVAILABLE",))
        ),
        "movements of a variant": listed(
            cache, "inventory_movement", OneOf("variant_id", (7,)), Missing("movement_date", missing=False)
        ),
        "search, order number": lambda nr: cache.search("purchase_order", Search(f"PO-{nr + 1}")),
        "search, a serial number": lambda nr: cache.search("manufacturing_order", Search(f"SN{nr + 1:06}")),
        "search, a supplier's code": lambda nr: cache.search("purchase_order", Search(f"SUP-{nr % 50 * 3}")),
    }
    for name, work in works.items():
        say(f"{name}: {spread(await times(work, 50))}")
