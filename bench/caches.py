"""A catalogue of variants in every backend and in plain sqlite3: page by page beside each other, the newest first."""

import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

from bench import data, lines
from bench.figures import TIMER, Figure, Work, p50, p95, side_by_side, spread_of
from bench.floor import VariantFloor
from bench.wire import read
from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, Search
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.specs.products import PRODUCT
from cache_core.specs.variants import VARIANT
from katana_mcp.caches.backends import BACKENDS

FLOOR = "floor"
MEASURED_TO: dict[str, int] = {}
"""Up to how many variants or orders a backend is measured, where it is not measured at all sizes."""
MEASURED_TO["legacy"] = 10_000  # goes with cache_legacy
AGAIN = 50_000
"""Variants of which pages are stored a second time."""
MATCHING = 2_000
"""Rows that hold the word of a search at most."""

type Caches = Mapping[str, CacheBackend]
type Store = Callable[[bytes], Awaitable[object]]
_catalogue = partial(Figure, topic=lines.CATALOGUE)


def backend(name: str, directory: Path) -> CacheBackend:
    """Return a backend that holds every entity in a directory of its own, not yet open."""
    return BACKENDS[name](directory / name, SPECS)


def measured_at(size: int) -> list[str]:
    """Return the backends that are measured at this size."""
    return [name for name in BACKENDS if size <= MEASURED_TO.get(name, size)]


@asynccontextmanager
async def opened(directory: Path, size: int) -> AsyncGenerator[Caches]:
    """Open every backend that is measured at this size beside the others."""
    caches = {name: backend(name, directory) for name in measured_at(size)}
    for cache in caches.values():
        await cache.open()
    try:
        yield caches
    finally:
        for cache in caches.values():
            await cache.close()


async def store(cache: CacheBackend, spec: EntitySpec, page: bytes) -> None:
    """Take a page from bytes to committed and searchable, as a sync does."""
    prepared = await prepare(spec, read(spec, page), cache)
    await cache.apply(Batch(entity=spec.name, at=data.NOON, upserts=prepared.rows))


def stores(caches: Caches, spec: EntitySpec) -> dict[str, Store]:
    """Return for each backend what stores a page."""
    return {name: partial(store, cache, spec) for name, cache in caches.items()}


async def rates(sides: Mapping[str, Store], pages: Iterable[bytes], size: int) -> dict[str, float]:
    """Store every page on each side, one side after the other; return the records per second of each."""
    spent = dict.fromkeys(sides, 0.0)
    for page in pages:
        for name, side in sides.items():
            start = TIMER.now()
            await side(page)
            spent[name] += TIMER.now() - start
    return {name: size / seconds for name, seconds in spent.items()}


async def variants(size: int, directory: Path) -> list[Figure]:
    """Measure a catalogue of this many variants."""
    async with opened(directory, size) as caches:
        products = data.pages(data.product(nr) for nr in range(data.product_of(size), 0, -1))
        await rates(stores(caches, PRODUCT), products, size)
    before = _bytes(directory)
    with closing(VariantFloor(directory / "floor.db")) as floor:
        async with opened(directory, size) as caches:
            figures = await _written(caches, floor, size)
        grown = {name: (stored - before.get(name, 0)) / size for name, stored in _bytes(directory).items()}
        figures.append(_catalogue(what="file, per variant", size=size, values=grown))
        opening = await _openings(directory, measured_at(size))
        figures.append(_catalogue(what="open and first read, p50", size=size, values=opening))
        async with opened(directory, size) as caches:
            figures += await _by_key(caches, floor, size)
            figures += await _searched(caches, floor, size)
            figures += await _guessed(caches, floor, size)
    return figures


async def _written(caches: Caches, floor: VariantFloor, size: int) -> list[Figure]:
    def wire(count: int) -> Iterable[bytes]:
        return data.pages(data.variant(nr) for nr in range(size, size - count, -1))

    first = await rates(stores(caches, VARIANT) | {FLOOR: floor.store}, wire(size), size)
    again = min(size, AGAIN)
    second = await rates(stores(caches, VARIANT), wire(again), again)
    return [
        _catalogue(what=lines.STORED, size=size, values=first),
        _catalogue(what=lines.AGAIN, size=size, values=second | {FLOOR: first[FLOOR]}),
    ]


async def _openings(directory: Path, names: list[str]) -> dict[str, float]:
    """Time opening an existing cache and reading one record, closing aside."""
    taken: dict[str, list[float]] = {name: [] for name in (*names, FLOOR)}
    for _ in range(20):
        for name in names:
            cache = backend(name, directory)
            start = TIMER.now()
            await cache.open()
            await cache.get_many("variant", [1])
            taken[name].append((TIMER.now() - start) * 1_000)
            await cache.close()
        start = TIMER.now()
        with closing(sqlite3.connect(directory / "floor.db")) as db:
            db.execute("SELECT json FROM variant WHERE id = 1").fetchall()
        taken[FLOOR].append((TIMER.now() - start) * 1_000)
    return p50({name: spread_of(times) for name, times in taken.items()})


def sides(
    caches: Caches, work: Callable[[CacheBackend, int], Awaitable[object]], floor: Work | None
) -> dict[str, Work]:
    """Return the same work for each backend, beside the floor's."""
    own: dict[str, Work] = {name: partial(work, cache) for name, cache in caches.items()}
    return own | ({} if floor is None else {FLOOR: floor})


async def _by_key(caches: Caches, floor: VariantFloor, size: int) -> list[Figure]:
    step = max(1, size // 110)

    def one(repeat: int) -> int:
        return repeat * step + 1

    def start(repeat: int) -> int:
        return repeat * step % (size - 100) + 1

    works = {
        "by id": sides(
            caches,
            lambda cache, repeat: cache.get_many("variant", [one(repeat)]),
            lambda repeat: floor.by_id(one(repeat)),
        ),
        "by SKU": sides(
            caches,
            lambda cache, repeat: cache.find_by_key("variant", data.sku(one(repeat))),
            lambda repeat: floor.by_sku(data.sku(one(repeat))),
        ),
        "100 by id": sides(
            caches,
            lambda cache, repeat: cache.get_many("variant", range(start(repeat), start(repeat) + 100)),
            lambda repeat: floor.hundred(start(repeat)),
        ),
    }
    return [
        _catalogue(what=f"{what}, p95", size=size, values=p95(await side_by_side(work))) for what, work in works.items()
    ]


async def _searched(caches: Caches, floor: VariantFloor, size: int) -> list[Figure]:
    step, words = max(1, size // 110), data.words_in_names(size, MATCHING)
    texts: dict[str, Callable[[int], str]] = {
        "a SKU": lambda repeat: data.sku(repeat * step + 1),
        "the start of a SKU": lambda repeat: data.sku(repeat * step + 1)[:11],
        "a supplier's code": lambda repeat: data.supplier_code(repeat * step + 1),
        "a word": lambda repeat: words[repeat],
        "two words": lambda repeat: data.product_name(repeat * step // 5 + 1)[:14],
        "broad: a third of all": lambda _: "red",
        "miss": lambda repeat: f"qqxyz{repeat}",
    }
    figures: list[Figure] = []
    for what, text in texts.items():
        works = sides(caches, partial(_found, text), partial(_found_plainly, floor, text))
        note = await _cut(caches, text(0))
        figures.append(
            _catalogue(what=f"search, {what}, p95", size=size, values=p95(await side_by_side(works)), note=note)
        )
    return figures


async def _guessed(caches: Caches, floor: VariantFloor, size: int) -> list[Figure]:
    words = data.VOCABULARY
    able = {name: cache for name, cache in caches.items() if cache.capabilities("variant")}
    typo = sides(able, partial(_found, lambda repeat: "x" + words[repeat + 500]), None)
    inside = sides(
        able,
        partial(_found, lambda repeat: words[repeat + 3_000][1:]),
        lambda repeat: floor.search_inside(words[repeat + 3_000][1:]),
    )
    return [
        _catalogue(what=f"search, {what}, p95", size=size, values=p95(await side_by_side(works)))
        for what, works in (("typo", typo), ("inside a word", inside))
    ]


async def _found(text: Callable[[int], str], cache: CacheBackend, repeat: int) -> object:
    return await cache.search("variant", Search(text(repeat)))


async def _found_plainly(floor: VariantFloor, text: Callable[[int], str], repeat: int) -> object:
    return await floor.search(text(repeat))


async def _cut(caches: Caches, text: str) -> str:
    """Return which backends say that they cut a search short."""
    said = [name for name, cache in caches.items() if (await cache.search("variant", Search(text))).cut]
    return f"cut, and says so: {', '.join(said)}" if said else ""


def _bytes(directory: Path) -> dict[str, int]:
    """Return the size of each side's file."""
    paths = {name: [*(directory / name).glob(f"{name}*")] for name in BACKENDS}
    found = {name: sum(path.stat().st_size for path in of_one) for name, of_one in paths.items() if of_one}
    floor = directory / "floor.db"
    return found | ({FLOOR: floor.stat().st_size} if floor.exists() else {})
