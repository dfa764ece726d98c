"""A catalogue of variants in every backend and in plain sqlite3, read and added to when it is there.

The typed cache is filled by a cold sync, which is measured too, so that half a million variants are stored once.
"""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

from bench import data, lines
from bench.caches import FLOOR, Caches, backend, measured_at, opened, rates, sides, stores
from bench.figures import TIMER, Figure, p50, p95, side_by_side, spread_of
from bench.floor import VariantFloor
from bench.syncing import sync
from cache_core.protocol import CacheBackend, Search
from cache_core.specs.products import PRODUCT
from cache_core.specs.variants import VARIANT
from katana_mcp.caches.backends import BACKENDS

SYNCED = "typed"
MORE = 25_000
"""Variants at most that are stored beside those that are there, each side in turn; and as many a second time."""
MATCHING = 2_000
"""Rows that hold the word of a search at most."""

_catalogue = partial(Figure, topic=lines.CATALOGUE)


async def variants(size: int, directory: Path) -> list[Figure]:
    """Measure a cold sync of this many variants, and what they are then read and added to by."""
    synced = await sync(SYNCED, size, directory)
    with closing(VariantFloor(directory / "floor.db")) as floor:
        bytes_of = {SYNCED: synced.variant_bytes, **await _filled(floor, size, directory)}
        opening = await _openings(directory, measured_at(size))
        async with opened(directory, size) as caches:
            return [
                *synced.figures,
                _catalogue(
                    what="file, per variant", size=size, values={name: taken / size for name, taken in bytes_of.items()}
                ),
                _catalogue(what="open and first read, p50", size=size, values=opening),
                *await _by_key(caches, floor, size),
                *await _searched(caches, floor, size),
                *await _guessed(caches, floor, size),
                *await _added(caches, floor, size),
            ]


async def _filled(floor: VariantFloor, size: int, directory: Path) -> dict[str, int]:
    """Store in the floor and in all but the synced backend what that one has; return the bytes of the variants."""
    products = data.pages(data.product(nr) for nr in range(data.product_of(size), 0, -1))
    async with opened(directory, size) as caches:
        await rates(stores(_others(caches), PRODUCT), products, size)
    before = _bytes(directory)
    async with opened(directory, size) as caches:
        await rates(stores(_others(caches), VARIANT) | {FLOOR: floor.store}, _wire(size, size), size)
    return {name: taken - before.get(name, 0) for name, taken in _bytes(directory).items()}


def _others(caches: Caches) -> Caches:
    return {name: cache for name, cache in caches.items() if name != SYNCED}


def _wire(newest: int, count: int) -> Iterable[bytes]:
    return data.pages(data.variant(nr) for nr in range(newest, newest - count, -1))


async def _added(caches: Caches, floor: VariantFloor, size: int) -> list[Figure]:
    """Store newer variants on top of those that are there, and once more."""
    more = min(size, MORE)
    first = await rates(stores(caches, VARIANT) | {FLOOR: floor.store}, _wire(size + more, more), more)
    second = await rates(stores(caches, VARIANT), _wire(size + more, more), more)
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
        "broad: a third of all": lambda repeat: f"red{' ' * repeat}",  # as it was not asked before
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
    """Return the size of the file of each side but the synced one."""
    paths = {name: [*(directory / name).glob(f"{name}*")] for name in BACKENDS if name != SYNCED}
    found = {name: sum(path.stat().st_size for path in of_one) for name, of_one in paths.items() if of_one}
    floor = directory / "floor.db"
    return found | ({FLOOR: floor.stat().st_size} if floor.exists() else {})
