"""Both cache backends against plain sqlite3: writing, reading, opening, size."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from bench import data
from bench.figures import Figure, Work, spread, spread_of
from bench.floor import OrderFloor, VariantFloor, records_of
from cache_core.conditions import Condition, OneOf, Order, Within
from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, Search, Selection
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.specs.products import PRODUCT
from cache_core.specs.sales_orders import SALES_ORDER
from cache_core.specs.variants import VARIANT
from katana_mcp.backends import BACKENDS

_CATALOGUE = ("product", "material", "service", "variant")


def backend(name: str, directory: Path) -> CacheBackend:
    """Return a backend on a directory, not yet open."""
    return BACKENDS[name](directory, tuple(spec for spec in SPECS if spec.name in _CATALOGUE))


async def variants(name: str, size: int, directory: Path) -> list[Figure]:
    """Measure a catalogue of this many variants."""
    cache = backend(name, directory / name)
    await cache.open()
    products = data.pages(data.product(nr) for nr in range(1, data.product_of(size) + 1))
    await fill(cache, PRODUCT, products)
    await cache.close()
    before = _bytes(directory / name)
    await cache.open()
    figures = await _written(cache, size, directory)
    await cache.close()
    bytes_each = (_bytes(directory / name) - before) / size
    floor_bytes = (directory / "floor.db").stat().st_size / size
    topic = f"Catalogue, {name} cache"
    figures.append(
        Figure(
            topic=topic,
            what="file, per variant",
            size=size,
            value=bytes_each,
            unit="bytes",
            floor=floor_bytes,
            goal=1_200,
        )
    )
    figures.append(await _opened(name, size, directory))
    await cache.open()
    figures += await _variant_reads(cache, size, directory)
    await cache.close()
    return figures


async def _written(cache: CacheBackend, size: int, directory: Path) -> list[Figure]:
    def wire() -> Iterator[bytes]:
        return data.pages(data.variant(nr) for nr in range(1, size + 1))

    with closing(VariantFloor(directory / "floor.db")) as floor:
        least = floor.fill(wire())
    figures: list[Figure] = []
    for what, goal in (("pages → stored and searchable", 6_000.0), ("the same pages again, unchanged", None)):
        taken = await fill(cache, VARIANT, wire())
        figures.append(
            Figure(
                topic=f"Catalogue, {cache.name} cache",
                what=what,
                size=size,
                value=size / taken,
                unit="rows/s",
                floor=size / least,
                goal=goal,
                note="per second of the processor",
            )
        )
    return figures


async def fill(cache: CacheBackend, spec: EntitySpec, wire: Iterator[bytes]) -> float:
    """Store every page; return the seconds of the processor from bytes to committed and searchable."""
    spent = 0.0
    for page in wire:
        start = time.process_time()
        prepared = await prepare(spec, records_of(page), cache)
        await cache.apply(Batch(entity=spec.name, at=data.NOON, upserts=prepared.rows))
        spent += time.process_time() - start
    return spent


async def _opened(name: str, size: int, directory: Path) -> Figure:
    """Time opening an existing cache and reading one record."""
    taken: list[float] = []
    least: list[float] = []
    for _ in range(20):
        cache = backend(name, directory / name)
        start = time.perf_counter()
        await cache.open()
        await cache.get_many("variant", [1])
        taken.append((time.perf_counter() - start) * 1_000)
        await cache.close()
        start = time.perf_counter()
        with closing(sqlite3.connect(directory / "floor.db")) as db:
            db.execute("SELECT json FROM variant WHERE id = 1").fetchall()
        least.append((time.perf_counter() - start) * 1_000)
    return Figure(
        topic=f"Catalogue, {name} cache",
        what="open and first read, p50",
        size=size,
        value=spread_of(taken).p50,
        unit="ms",
        floor=spread_of(least).p50,
        goal=60,
    )


async def _variant_reads(cache: CacheBackend, size: int, directory: Path) -> list[Figure]:
    hit, step = (10.0 if size <= 50_000 else 40.0), max(1, size // 110)
    words = data.VOCABULARY
    with closing(VariantFloor(directory / "floor.db")) as floor:
        reads: list[_Read] = [
            ("by id", lambda nr: cache.get_many("variant", [nr * step + 1]), lambda nr: floor.by_id(nr * step + 1), 1),
            (
                "100 by id",
                lambda nr: cache.get_many(
                    "variant", range(nr * step % (size - 100) + 1, nr * step % (size - 100) + 101)
                ),
                lambda nr: floor.hundred(nr * step % (size - 100) + 1),
                5,
            ),
            (
                "by SKU",
                lambda nr: cache.find_by_key("variant", data.sku(nr * step + 1)),
                lambda nr: floor.by_sku(data.sku(nr * step + 1)),
                1,
            ),
            (
                "search, SKU",
                lambda nr: _found(cache, data.sku(nr * step + 1)),
                lambda nr: floor.by_code(data.sku(nr * step + 1)),
                hit,
            ),
            (
                "search, start of a SKU",
                lambda nr: _found(cache, data.sku(nr * step + 1)[:11]),
                lambda nr: floor.by_code(data.sku(nr * step + 1)[:11]),
                hit,
            ),
            (
                "search, supplier code",
                lambda nr: _found(cache, data.supplier_code(nr * step + 1)),
                lambda nr: floor.by_code(data.supplier_code(nr * step + 1)),
                hit,
            ),
            (
                "search, a word",
                lambda nr: _found(cache, words[nr + 50]),
                lambda nr: floor.by_words(words[nr + 50]),
                hit,
            ),
            (
                "search, two words",
                lambda nr: _found(cache, data.product_name(nr * step // 5 + 1)[:14]),
                lambda nr: floor.by_words(*data.product_name(nr * step // 5 + 1)[:14].split()),
                hit,
            ),
            ("search, broad: a third of all", lambda _: _found(cache, "red"), None, 150),
            ("search, miss", lambda nr: _found(cache, f"qqxyz{nr}"), lambda nr: floor.by_words(f"qqxyz{nr}"), 150),
            ("search, typo", lambda nr: _found(cache, "x" + words[nr + 500]), None, 150),
            ("search, inside a word", lambda nr: _found(cache, words[nr + 3_000][1:]), None, 150),
        ]
        return await _timed(f"Catalogue, {cache.name} cache", size, reads)


type _Read = tuple[str, Work, Work | None, float]


async def _found(cache: CacheBackend, text: str) -> object:
    return await cache.search("variant", Search(text))


async def _timed(topic: str, size: int, reads: Sequence[_Read]) -> list[Figure]:
    figures: list[Figure] = []
    for what, work, least, goal in reads:
        took = await spread(work)
        floor = (await spread(least)).p95 if least else None

        figures.append(
            Figure(topic=topic, what=f"{what}, p95", size=size, value=took.p95, unit="ms", floor=floor, goal=goal)
        )
    return figures


async def orders(size: int, directory: Path) -> list[Figure]:
    """Measure an order book of this many sales orders with three rows each."""
    known = 20_000

    def wire() -> Iterator[bytes]:
        return data.pages(data.order(nr, known) for nr in range(1, size + 1))

    cache = backend("typed", directory / "typed")
    await cache.open()
    topic = "Sales orders with 3 rows, typed cache"
    figures: list[Figure] = []
    with closing(OrderFloor(directory / "floor.db")) as floor:
        least = floor.fill(wire())
        for what, goal in (("pages → stored and searchable", 1_500.0), ("the same pages again, unchanged", None)):
            rate = size / await fill(cache, SALES_ORDER, wire())

            figures.append(
                Figure(
                    topic=topic,
                    what=what,
                    note="per second of the processor",
                    size=size,
                    value=rate,
                    unit="orders/s",
                    floor=size / least,
                    goal=goal,
                )
            )
        figures += await _timed(topic, size, _order_reads(cache, floor, size))
    await cache.close()
    return figures


def _order_reads(cache: CacheBackend, floor: OrderFloor, size: int) -> list[_Read]:
    def page(*where: Condition, order: Order | None = None) -> Work:
        selection = Selection(where, order or Order("id", descending=True), 50)
        return lambda _: cache.select("sales_order", selection)

    low, high = "2024-03-01T00:00:00.000Z", "2024-03-31T23:59:59.999Z"
    status, window = OneOf("status", ("PACKED",)), Within("delivery_date", low, high)
    parts = OneOf("sales_order_rows[].variant_id", (77,))
    return [
        ("page of 50, newest", page(), lambda _: floor.page("page"), 15),
        ("page of 50, status", page(status), lambda _: floor.page("page_by_status", "PACKED"), 15),
        ("page of 50, delivery window", page(window), lambda _: floor.page("page_by_window", low, high), 15),
        ("page of 50, variant in rows", page(parts), lambda _: floor.page("page_by_variant", 77), 15),
        ("page of 50, customer", page(OneOf("customer_id", (7,))), None, 15),
        ("page of 50, status and window, by date", page(status, window, order=Order("delivery_date")), None, 15),
        ("page of 50, four filters", page(status, window, parts, OneOf("location_id", (1, 2))), None, 15),
        ("count, status and window", lambda _: cache.count("sales_order", (status, window)), None, 15),
        ("by id", lambda nr: cache.get_many("sales_order", [nr + 1]), None, 1),
        ("by number", lambda nr: cache.find_by_key("sales_order", f"SO-{nr + 1}"), None, 1),
        ("search, number", lambda nr: cache.search("sales_order", Search(f"SO-{size - nr}")), None, 40),
        ("search, reference", lambda nr: cache.search("sales_order", Search(f"REF/{size - nr}")), None, 40),
        ("search, miss", lambda nr: cache.search("sales_order", Search(f"qqxyz{nr}")), None, 150),
    ]


def _bytes(directory: Path) -> int:
    return sum(each.stat().st_size for each in directory.glob("*.db"))
