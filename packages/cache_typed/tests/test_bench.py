"""Time against a plain sqlite3 floor, run by `pytest -m bench -s`; ratios are printed, goals are asserted loosely."""

import asyncio
import sqlite3
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from typed_orders import NOON, order, row

from cache_core.conditions import OneOf, Order
from cache_core.protocol import Batch, Row, Search, Selection
from cache_core.records import decode, encode
from cache_typed.backend import TypedBackend

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

ORDERS = 20_000
PAGE = 250


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


def floor_write(path: Path, rows: list[Row]) -> float:
    """Return the seconds that plain sqlite3 needs for the same orders as JSON, with rows, text and indexes."""
    db = sqlite3.connect(path)
    db.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE o (id INTEGER PRIMARY KEY, no, status, customer, created, due, json);"
        "CREATE TABLE r (parent, position, variant, json, PRIMARY KEY (parent, position)) WITHOUT ROWID;"
        "CREATE INDEX a ON o (no); CREATE INDEX b ON o (status); CREATE INDEX c ON o (customer);"
        "CREATE INDEX d ON o (created); CREATE INDEX e ON o (due); CREATE INDEX f ON r (variant);"
        "CREATE VIRTUAL TABLE t USING fts5 (k, n, e, r);"
    )
    start = time.perf_counter()
    for first in range(0, len(rows), PAGE):
        page = rows[first : first + PAGE]
        with db:
            db.executemany(
                "INSERT INTO o VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        each.id,
                        each.key,
                        *map(each.record.get, ("status", "customer_id", "created_at", "delivery_date")),
                        encode(each.record),
                    )
                    for each in page
                ],
            )
            parts = [
                (each.id, position, part["variant_id"], encode(part))
                for each in page
                for position, part in enumerate(rows_of(each))
            ]
            db.executemany("INSERT INTO r VALUES (?, ?, ?, ?)", parts)
            texts = [(each.id, *each.text.by_class()) for each in page]
            db.executemany("INSERT INTO t (rowid, k, n, e, r) VALUES (?, ?, ?, ?, ?)", texts)
    taken = time.perf_counter() - start
    db.close()
    return taken


def rows_of(each: Row) -> list[dict[str, object]]:
    """Return an order's rows."""
    rows = each.record["sales_order_rows"]
    return [dict(part) for part in rows if isinstance(part, dict)] if isinstance(rows, list) else []


async def test_sales_orders_against_the_floor(tmp_path: Path) -> None:
    rows = [row(order(nr)) for nr in range(1, ORDERS + 1)]
    floor = floor_write(tmp_path / "floor.db", rows)
    cache = TypedBackend(tmp_path / "typed")
    await cache.open()
    for name, same in (("cold", rows), ("again, unchanged", rows)):
        start = time.perf_counter()
        for first in range(0, ORDERS, PAGE):
            await cache.apply(Batch(entity="sales_order", at=NOON, upserts=rows[first : first + PAGE]))
        taken = time.perf_counter() - start
        say(f"{name}: {len(same) / taken:,.0f} orders/s, floor {ORDERS / floor:,.0f}, ratio {taken / floor:.1f}")
        assert len(same) / taken > 1_500
    await reads(cache, tmp_path / "floor.db")
    await cache.close()
    again = TypedBackend(tmp_path / "typed")
    start = time.perf_counter()
    await again.open()
    await again.get_many("sales_order", [1])
    say(f"open and first read: {(time.perf_counter() - start) * 1_000:.1f} ms")
    await again.close()


async def reads(cache: TypedBackend, floor_path: Path) -> None:
    """Print the figures of reading."""
    floor = sqlite3.connect(floor_path)

    async def floor_page(_: int) -> None:
        found = floor.execute("SELECT id, json FROM o ORDER BY created DESC LIMIT 50").fetchall()
        for nr, json in found:
            decode(json)
            floor.execute("SELECT json FROM r WHERE parent = ?", (nr,)).fetchall()

    filtered = (OneOf("status", ("PACKED",)), OneOf("sales_order_rows[].variant_id", (7, 8)))
    works: dict[str, Callable[[int], Awaitable[object]]] = {
        "page of 50 with rows": lambda _: cache.select("sales_order", Selection()),
        "page of 50 by delivery date": lambda _: cache.select("sales_order", Selection((), Order("delivery_date"))),
        "page of 50, two filters": lambda _: cache.select("sales_order", Selection(filtered)),
        "count, two filters": lambda _: cache.count("sales_order", filtered),
        "one by id": lambda nr: cache.get_many("sales_order", [nr + 1]),
        "by order number": lambda nr: cache.find_by_key("sales_order", f"SO-{nr + 1}"),
        "search, exact order number": lambda nr: cache.search("sales_order", Search(f"SO-{nr + 1_000}")),
        "search, customer reference": lambda nr: cache.search("sales_order", Search(f"REF/{nr}")),
        "search, two words, half of all": lambda _: cache.search("sales_order", Search("muller werk")),
        "search, all orders": lambda _: cache.search("sales_order", Search("so")),
        "search, no hit": lambda nr: cache.search("sales_order", Search(f"nothing{nr}")),
        "suggest": lambda _: cache.suggest("sales_order", "muler"),
    }
    say(f"floor, page of 50: {spread(await times(floor_page, 50))}")
    floor.close()
    for name, work in works.items():
        say(f"{name}: {spread(await times(work, 20 if 'all' in name else 100))}")
    worst = asyncio.create_task(stall())
    for _ in range(10):
        await cache.search("sales_order", Search("so"))
    worst.cancel()


async def stall() -> None:
    """Print how long the event loop stood still while searches ran."""
    longest = 0.0
    try:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - start)
    finally:
        say(f"longest event-loop pause during broad searches: {longest * 1_000:.1f} ms")
