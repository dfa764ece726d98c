"""Readers beside writers: every read sees the last applied batch whole."""

import asyncio

from cache_core.conditions import Order
from cache_core.protocol import CacheBackend, Search, Selection

from .toys import listing, removal, toy

IDS = range(700)
"""More than one statement's worth."""


async def writes(cache: CacheBackend, rounds: int) -> None:
    for number in range(1, rounds):
        await cache.apply(
            listing(*(toy(record_id, version=number, count=number, name=f"round{number}") for record_id in IDS))
        )


async def rounds_seen(cache: CacheBackend, number: int) -> set[str]:
    if number % 3 == 0:
        rows = (await cache.get_many("toy", IDS)).rows
    elif number % 3 == 1:
        rows = await cache.select("toy", Selection((), Order("count"), limit=1_000))
    else:
        rows = tuple(hit.row for hit in (await cache.search("toy", Search("round", limit=1_000))).hits)
    assert len(rows) == len(IDS)
    return {str(row.record["count"]) for row in rows}


async def test_fifty_readers_beside_a_writer_see_whole_batches(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(record_id, count=0, name="round0") for record_id in IDS)))
    writer = asyncio.create_task(writes(cache, 4))
    seen = await asyncio.gather(*(rounds_seen(cache, number) for number in range(50)))
    await writer
    assert {len(rounds) for rounds in seen} == {1}
    assert await rounds_seen(cache, 0) == {"3"}


async def test_parallel_writers_lose_nothing(cache: CacheBackend) -> None:
    await asyncio.gather(*(cache.apply(listing(toy(number, name="same"))) for number in range(30)))
    assert await cache.count("toy") == 30
    await asyncio.gather(*(cache.apply(removal(number)) for number in range(0, 30, 2)))
    assert (await cache.search("toy", Search("same"))).total == 15


async def test_a_cancelled_write_lands_whole_or_not_at_all_and_the_next_one_works(
    cache: CacheBackend,
) -> None:
    for steps in range(40):
        rows = [toy(index, version=steps, count=steps) for index in range(20)]
        task = asyncio.create_task(cache.apply(listing(*rows)))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        stored = await cache.select("toy", Selection(limit=100))
        assert len(stored) in {0, 20}
        assert len({str(row.record["count"]) for row in stored}) <= 1
    await cache.apply(listing(toy(1, version=99, name="after")))
    assert (await cache.search("toy", Search("after"))).total == 1


async def test_a_cancelled_read_leaves_the_cache_usable(cache: CacheBackend) -> None:
    await cache.apply(listing(*(toy(index, name="same") for index in range(20))))
    for steps in range(10):
        task = asyncio.create_task(cache.search("toy", Search("same")))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert (await cache.search("toy", Search("same"))).total == 20
