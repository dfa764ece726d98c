"""Which levels of stock are fetched, how long a read waits for them, and what it says of those that it has."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

import pytest
from sync_world import settled

from cache_core.errors import CacheUnavailable, SourceUnavailable
from cache_core.memory import MemoryBackend
from cache_core.protocol import Applied, Batch, Quarantined
from cache_core.records import Record, iso
from cache_core.specs.stock import STOCK
from cache_core.sync import Patience, Progress, StockAnswer, StockReads
from cache_core.sync.stock_invalidation import mark_dirty
from cache_core.testing import START, ManualClock

SLOW = "Katana took too long to answer"


def moment(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


class Timed(ManualClock):
    """A clock that notes for how long it was waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeps: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        await super().sleep(seconds)


class Full(MemoryBackend):
    """A cache that may be full."""

    full = False

    async def apply(self, batch: Batch) -> Applied:
        if self.full:
            raise CacheUnavailable("the disk is full")
        return await super().apply(batch)


class Shelf:
    """A source that takes two variants at once, a cache, and reads of both.

    Attributes:
        asked: of which variants levels were asked for.
        down: why nothing is answered.
        silent: whether no answer comes.
    """

    def __init__(self, patience: Patience | None = None, closed: str | None = None, late: str | None = None) -> None:
        self.asked: list[list[int]] = []
        self.down: str | None = None
        self.silent = False
        self.clock, self.cache = Timed(), Full((STOCK,))
        self.reads = StockReads(self, self.cache, self.clock, patience, closed=closed, late=lambda: late)

    def stock_batches(self, variant_ids: Sequence[int]) -> Sequence[Sequence[int]]:
        return [variant_ids[place : place + 2] for place in range(0, len(variant_ids), 2)]

    async def stock(self, variant_ids: Sequence[int]) -> Sequence[Record]:
        self.asked.append([*variant_ids])
        if self.silent:
            await asyncio.Event().wait()
        if self.down is not None:
            raise SourceUnavailable(self.down)
        return [level(variant) for variant in variant_ids if variant < 100]

    async def ages(self, *variants: int) -> list[object]:
        """Return when the levels of these were fetched."""
        return [row.record["fetched_at"] for row in (await self.cache.get_many("stock", variants)).rows]


def level(variant: int) -> Record:
    """Return a level of a variant."""
    return {"variant_id": variant, "location_id": 1, "quantity_in_stock": Decimal(variant)}


async def test_levels_are_kept_as_they_came_with_their_age_in_the_order_asked() -> None:
    shelf = Shelf()
    answer = await shelf.reads.ensure([2, 100, 1])
    records = {
        variant: {
            "variant_id": variant,
            "fetched_at": moment(0),
            "dirty_at": None,
            "is_covered": variant == 100,
            "levels": [level(variant)] if variant < 100 else [],
        }
        for variant in (2, 100, 1)
    }
    assert {row.id: row.record for row in answer.stored} == records
    assert [row.id for row in answer.stored] == [2, 100, 1]
    assert answer == StockAnswer(answer.stored, (), moment(0))
    assert shelf.asked == [[2, 100], [1]]


@pytest.mark.parametrize(
    ("patience", "fresh_for", "seconds", "asks"),
    [
        (None, 30, 30, False),
        (None, 30, 30.001, True),
        (None, 60, 60, False),
        (None, 30, -0.001, True),
        (Patience(fresh_for=timedelta(seconds=10)), 60, 10, False),
        (Patience(fresh_for=timedelta(seconds=10)), 60, 10.001, True),
    ],
)
async def test_levels_are_fetched_again_when_they_are_old_or_of_later_than_now(
    patience: Patience | None, fresh_for: float, seconds: float, asks: bool
) -> None:
    shelf = Shelf(patience)
    await shelf.reads.ensure([1])
    shelf.clock.jump(seconds)
    shelf.down = "down"
    answer = await shelf.reads.ensure([1], timedelta(seconds=fresh_for))
    assert answer == StockAnswer(answer.stored, (), moment(0), stale=asks, reason="down" if asks else None)
    assert len(shelf.asked) == 1 + asks


async def test_levels_that_are_wanted_anew_are_fetched_however_fresh_they_are() -> None:
    shelf = Shelf(Patience(fresh_for=timedelta(hours=1)))
    await shelf.reads.ensure([1])
    assert (await shelf.reads.read_again([1, 2])).unknown == ()
    assert shelf.asked == [[1], [2, 1]]


@pytest.mark.parametrize(("mark", "dirty"), [(None, False), (-0.001, False), (0, True), (5, True)])
async def test_levels_are_moved_where_a_change_was_seen_since_they_were_asked_for(
    mark: float | None, dirty: bool
) -> None:
    shelf = Shelf()
    await shelf.reads.ensure([1, 2])
    if mark is not None:
        await mark_dirty(shelf.cache, [1], moment(mark))
    shelf.down = "down"
    answer = await shelf.reads.ensure([1, 2])
    reason, moved = ("down", frozenset((1,))) if dirty else (None, frozenset[int]())
    assert answer == StockAnswer(answer.stored, (), moment(0), moved, stale=dirty, reason=reason)
    assert await shelf.reads.read_moved([1, 2, 3]) is not dirty
    assert shelf.asked == [[1, 2], *[[1]] * (2 * dirty)]
    shelf.down = None
    shelf.clock.advance(6)
    assert await shelf.reads.read_moved([2, 1]) is True
    assert await shelf.reads.ensure([1, 2]) == StockAnswer(
        (await shelf.cache.get_many("stock", [1, 2])).rows, (), moment(0)
    )


async def test_what_cannot_be_fetched_or_kept_is_unknown_and_says_why() -> None:
    shelf = Shelf()
    shelf.down = "no net"
    assert await shelf.reads.ensure([1]) == StockAnswer((), (1,), None, reason="no net")
    shelf.down, shelf.cache.full = None, True
    reason = "the cache cannot be written: the disk is full"
    assert await shelf.reads.ensure([1]) == StockAnswer((), (1,), None, reason=reason)
    closed = Shelf(closed="no key is set")
    assert await closed.reads.ensure([1]) == StockAnswer((), (1,), None, reason="no key is set")
    assert closed.asked == []
    assert await shelf.reads.ensure([]) == StockAnswer((), (), None)


@pytest.mark.parametrize(
    ("how", "cold", "warm"),
    [
        ("usual", 5.0, 1.0),
        ("spent", 5.0, 0.75),
        ("all spent", 5.0, 0.15),
        ("waiting", 9.0, 1.0),
        ("planning", 7.0, 7.0),
    ],
)
async def test_a_read_waits_longer_for_what_it_never_read(how: str, cold: float, warm: float) -> None:
    shelf = Shelf(Patience(warm=1.0, cold=5.0))
    ways = {
        "usual": (shelf.reads, 0.0),
        "spent": (shelf.reads, 0.25),
        "all spent": (shelf.reads, 3.0),
        "waiting": (shelf.reads.waiting(lambda: 9.0, lambda progress: None), 0.0),
        "planning": (shelf.reads.planning(7.0), 0.0),
    }
    reads, spent = ways[how]
    await shelf.reads.ensure([1])
    shelf.clock.advance(31)
    shelf.clock.sleeps.clear()
    shelf.silent = True
    for variants, seconds in (([1, 2], cold), ([1], warm)):
        reading = asyncio.create_task(reads.ensure(variants, spent=spent))
        await settled()
        assert shelf.clock.sleeps.pop() == seconds
        shelf.clock.advance(seconds)
        answer = await reading
        assert (answer.reason, answer.stale, answer.as_of) == (SLOW, True, moment(0))
        await shelf.reads.close()


async def test_what_came_too_late_says_why_and_is_there_for_the_next_read() -> None:
    shelf = Shelf(late="too many wait")
    shelf.silent = True
    reading = asyncio.create_task(shelf.reads.ensure([1]))
    await settled()
    shelf.clock.advance(4.5)
    assert (await reading).reason == "too many wait"
    # A plan does not stand behind it, another read does.
    shelf.silent = False
    assert (await shelf.reads.planning(3.0).ensure([2])).unknown == ()
    behind = asyncio.create_task(shelf.reads.ensure([3]))
    await settled()
    assert (behind.done(), shelf.asked) == (False, [[1], [2]])
    await shelf.reads.close()
    with pytest.raises(asyncio.CancelledError):
        await behind


async def test_one_who_waits_is_told_how_far_it_is() -> None:
    shelf, told = Shelf(), list[Progress]()
    await shelf.reads.ensure([1])
    await shelf.reads.waiting(lambda: 9.0, told.append).ensure([1, 2, 3, 4, 4])
    assert told == [Progress("stock", 2, 3), Progress("stock", 3, 3)]
    assert shelf.asked == [[1], [2, 3], [4]]


async def test_the_unknown_and_the_moved_are_fetched_before_the_oldest() -> None:
    shelf = Shelf()
    for variant in (3, 1, 2, 4):
        await shelf.reads.ensure([variant])
        shelf.clock.advance(1)
    await mark_dirty(shelf.cache, [4], moment(3))
    shelf.clock.advance(60)
    shelf.asked.clear()
    await shelf.reads.ensure([1, 2, 3, 4, 5])
    assert shelf.asked == [[4, 5], [3, 1], [2]]


async def test_a_mark_that_stood_before_goes_and_one_that_comes_meanwhile_stays() -> None:
    shelf = Shelf()
    await shelf.reads.ensure([1, 2])
    await mark_dirty(shelf.cache, [1, 2], moment(1))
    shelf.clock.advance(2)
    inner = shelf.stock

    async def marking(variant_ids: Sequence[int]) -> Sequence[Record]:
        await mark_dirty(shelf.cache, [2], moment(2))
        return [*await inner(variant_ids), {"variant_id": 77}]

    shelf.stock = marking
    answer = await shelf.reads.ensure([1, 2])
    assert [row.record["dirty_at"] for row in answer.stored] == [None, moment(2)]
    assert (answer.moved, answer.stale, await shelf.ages(1, 2, 77)) == ({2}, True, [moment(2)] * 2)


async def test_levels_that_cannot_be_kept_go_to_quarantine() -> None:
    shelf = Shelf()

    async def bad(variant_ids: Sequence[int]) -> Sequence[Record]:
        return [{"variant_id": variant_ids[0], "quantity": Decimal("NaN")}]

    shelf.stock = bad
    assert (await shelf.reads.ensure([1])).unknown == (1,)
    (poison,) = await shelf.cache.quarantined("stock")
    assert poison == Quarantined(1, "levels[0].quantity: NaN is not a number", poison.payload)
