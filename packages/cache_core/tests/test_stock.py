import asyncio
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

import pytest

from cache_core.errors import SourceUnavailable
from cache_core.memory import MemoryBackend
from cache_core.records import Record, iso
from cache_core.specs.stock import STOCK
from cache_core.sync import StockReads
from cache_core.sync.source import PAGE_SIZE
from cache_core.sync.stock_invalidation import mark_dirty
from cache_core.testing import ManualClock, fitting


class Shelf:
    """A stock source: levels per variant, and a journal of what was asked."""

    def __init__(self) -> None:
        self.levels: dict[int, Decimal] = {}
        self.asked: list[tuple[int, ...]] = []
        self.down: str | None = None

    def stock_batches(self, variant_ids: Sequence[int]) -> Sequence[Sequence[int]]:
        return fitting("variant_id", variant_ids, PAGE_SIZE)

    async def stock(self, variant_ids: Sequence[int]) -> Sequence[Record]:
        self.asked.append(tuple(variant_ids))
        await asyncio.sleep(0)
        if self.down is not None:
            raise SourceUnavailable(self.down)
        return [
            {"variant_id": variant_id, "location_id": 1, "quantity_in_stock": self.levels[variant_id]}
            for variant_id in variant_ids
            if variant_id in self.levels
        ]


class Store:
    def __init__(self) -> None:
        self.shelf = Shelf()
        self.clock = ManualClock()
        self.cache = MemoryBackend((STOCK,))
        self.reads = StockReads(self.shelf, self.cache, self.clock)


async def test_of_each_record_only_what_was_named_comes_with_its_age() -> None:
    store = Store()
    store.shelf.levels = {1: Decimal(2)}
    for _ in range(2):
        answer = await store.reads.ensure([1], fields=frozenset(("is_covered",)))
        assert [row.record for row in answer.stored] == [
            {"fetched_at": iso(store.clock.now()), "dirty_at": None, "is_covered": False}
        ]
    assert len(store.shelf.asked) == 1
    await mark_dirty(store.cache, [1], iso(store.clock.now()))
    assert [row.record.keys() for row in (await store.reads.ensure([1])).stored] == [
        {"variant_id", "fetched_at", "dirty_at", "is_covered", "levels"}
    ]
    assert len(store.shelf.asked) == 2


async def test_all_variants_are_asked_for_at_once_and_only_when_not_fresh() -> None:
    store = Store()
    store.shelf.levels = {1: Decimal("1.50000"), 2: Decimal(2)}
    answer = await store.reads.ensure([2, 1])
    assert [row.id for row in answer.stored] == [2, 1]
    await store.reads.ensure([1, 2])
    assert store.shelf.asked == [(2, 1)]
    store.clock.advance(31)
    await store.reads.ensure([1])
    assert store.shelf.asked == [(2, 1), (1,)]


async def test_two_hundred_and_fifty_variants_with_short_ids_are_one_listing() -> None:
    store = Store()
    await store.reads.ensure(range(1, 252))
    assert [len(asked) for asked in store.shelf.asked] == [250, 1]


@pytest.mark.parametrize(
    ("digits", "listings"),
    [(4, [250, 160]), (5, [235, 175]), (7, [210, 200]), (8, [200, 200, 10]), (10, [181, 181, 48])],
)
async def test_variants_with_long_ids_are_as_few_listings_as_name_them(digits: int, listings: list[int]) -> None:
    store = Store()
    asked = range(10 ** (digits - 1), 10 ** (digits - 1) + 410)
    answer = await store.reads.ensure(asked)
    assert [row.id for row in answer.stored] == list(asked)
    assert [len(batch) for batch in store.shelf.asked] == listings


async def test_a_variant_without_levels_is_known_to_have_none() -> None:
    store = Store()
    answer = await store.reads.ensure([9])
    assert (answer.unknown, [row.record["levels"] for row in answer.stored]) == ((), [[]])


async def test_a_variant_that_could_not_be_asked_for_is_unknown_and_not_empty() -> None:
    store = Store()
    store.shelf.down = "Katana is down"
    answer = await store.reads.ensure([1])
    assert (answer.stored, answer.unknown, answer.reason) == ((), (1,), "Katana is down")


async def test_old_levels_are_shown_as_old_when_katana_is_down() -> None:
    store = Store()
    store.shelf.levels = {1: Decimal(1)}
    fetched = (await store.reads.ensure([1])).as_of
    store.clock.advance(600)
    store.shelf.down = "Katana is down"
    answer = await store.reads.ensure([1])
    assert (len(answer.stored), answer.stale, answer.as_of, answer.reason) == (1, True, fetched, "Katana is down")


async def test_readers_of_the_same_variants_share_one_request() -> None:
    store = Store()
    await asyncio.gather(*(store.reads.ensure([1, 2]) for _ in range(20)))
    assert len(store.shelf.asked) == 1


async def test_readers_of_overlapping_variants_ask_for_each_of_them_once() -> None:
    store = Store()
    crowd = [range(start, start + 40) for start in range(1, 200, 10)]
    answers = await asyncio.gather(*(store.reads.ensure(span) for span in crowd))
    assert [[row.id for row in answer.stored] for answer in answers] == [list(span) for span in crowd]
    asked = [record_id for ids in store.shelf.asked for record_id in ids]
    assert len(asked) == len(set(asked)) == len({record_id for ids in crowd for record_id in ids})


async def test_nothing_asked_is_nothing_answered() -> None:
    store = Store()
    answer = await store.reads.ensure([])
    assert (answer.stored, answer.unknown, answer.as_of, store.shelf.asked) == ((), (), None, [])


async def test_a_marked_variant_is_asked_for_again_and_no_other() -> None:
    store = Store()
    store.shelf.levels = {1: Decimal(1), 2: Decimal(2)}
    await store.reads.ensure([1, 2])
    store.clock.advance(5)
    await mark_dirty(store.cache, [1, 9], iso(store.clock.now()))
    store.clock.advance(1)
    await store.reads.ensure([1, 2])
    await store.reads.ensure([1, 2])
    assert store.shelf.asked == [(1, 2), (1,)]


async def test_a_mark_set_while_levels_are_asked_for_stays() -> None:
    store = Store()
    await store.reads.ensure([1])
    store.clock.advance(31)
    asking = asyncio.create_task(store.reads.ensure([1]))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert len(store.shelf.asked) == 2
    await mark_dirty(store.cache, [1], iso(store.clock.now()))
    assert (await asking).stale
    store.clock.advance(1)
    assert not (await store.reads.ensure([1])).stale
    assert store.shelf.asked == [(1,), (1,), (1,)]


async def test_stock_that_takes_too_long_is_answered_from_what_there_is() -> None:
    store = Store()
    stuck = asyncio.Event()

    async def never(variant_ids: Sequence[int]) -> Sequence[Record]:
        await stuck.wait()
        return []

    store.shelf.stock = never
    asking = asyncio.create_task(store.reads.ensure([1]))
    for _ in range(50):
        await asyncio.sleep(0)
    store.clock.advance(8.1)
    answer = await asking
    assert (answer.unknown, answer.reason) == ((1,), "Katana took too long to answer")


async def test_the_unknown_the_moved_and_then_the_oldest_are_asked_for_first() -> None:
    store = Store()
    for variant_id in (3, 1, 2):
        await store.reads.ensure([variant_id])
        store.clock.advance(10)
    store.clock.advance(31)
    await mark_dirty(store.cache, [2], iso(store.clock.now()))
    await store.reads.ensure([1, 2, 3, 4])
    assert store.shelf.asked[-1] == (2, 4, 3, 1)


async def test_who_asks_for_very_many_may_allow_them_more_age() -> None:
    store = Store()
    await store.reads.ensure([1])
    store.clock.advance(290)
    answer = await store.reads.ensure([1], timedelta(minutes=5))
    assert (answer.stale, len(store.shelf.asked)) == (False, 1)
    store.clock.advance(11)
    await store.reads.ensure([1], timedelta(minutes=5))
    assert len(store.shelf.asked) == 2


async def test_known_stock_is_told_however_old_and_read_only_where_it_moved() -> None:
    store = Store()
    store.shelf.levels = {1: Decimal(2), 2: Decimal(3)}
    await store.reads.ensure([1, 2])
    store.clock.advance(3_600)
    answer = await store.reads.known([1, 2, 3])
    assert ([row.id for row in answer.stored], answer.unknown, answer.moved) == ([1, 2], (3,), frozenset())
    await mark_dirty(store.cache, [2], iso(store.clock.now()))
    assert [row.id for row in (await store.reads.known([1, 2, 3])).stored] == [1, 2]
    assert store.shelf.asked == [(1, 2), (2,)]
    assert (await store.reads.known([])).stored == ()


async def test_cached_stock_is_told_while_it_is_no_older_than_asked_and_has_not_moved_and_never_fetched() -> None:
    store, hour = Store(), timedelta(hours=1)
    store.shelf.levels = {1: Decimal(2), 2: Decimal(3)}
    await store.reads.ensure([1, 2])
    store.clock.advance(3_600)
    assert [row.id for row in await store.reads.cached([1, 2, 3], hour, frozenset())] == [1, 2]
    await mark_dirty(store.cache, [2], iso(store.clock.now()))
    (row,) = await store.reads.cached([1, 2, 3], hour, frozenset(("variant_id",)))
    assert (row.id, row.record["variant_id"], "levels" in row.record) == (1, 1, False)
    store.clock.advance(1)
    assert await store.reads.cached([1, 2, 3], hour, frozenset()) == ()
    assert store.shelf.asked == [(1, 2)]
