"""Whether a read asks the source, how long it waits for it, and what it says of the rows that it has."""

import asyncio
import gc
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sync_world import SPECS, World, settled

from cache_core.errors import CacheCorrupt
from cache_core.protocol import Batch, SyncState
from cache_core.records import iso
from cache_core.spec import EntitySpec, Listed
from cache_core.sync import Freshness, FreshReads, Patience, SourcePage, Syncer, SyncOutcome, Window
from cache_core.testing import START, FakeSource, ManualClock

NOW = iso(START)
PATIENCE = Patience(warm=1.0, cold=5.0, by_id=4.0)
TOO_SLOW = "Katana took longer to answer than these rows stay fresh"
UNDER_WAY = "a refresh is under way"
SINGLE = EntitySpec(name="single", collection="singles", fetch_by="get")
ONE_KEY = EntitySpec(name="one_key", collection="one_keys", key_path="sku", keys_at_once=1)
MANY_KEYS = EntitySpec(name="many_keys", collection="many_keys", key_path="sku", keys_at_once=2, codes=("a", "b"))


class Timed(ManualClock):
    """A clock that notes for how long it was waited for, but for the renewal of leases."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeps: list[float] = []

    async def sleep(self, seconds: float) -> None:
        if seconds != 2.5:
            self.sleeps.append(seconds)
        await super().sleep(seconds)


class Noting(FakeSource):
    """A source that notes what it is asked by id and by key, and can be silent."""

    def __init__(self) -> None:
        super().__init__()
        self.singled: list[tuple[str, str | None, list[object]]] = []
        self.silent = False

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        await self._held()
        return await super().page(listed, window, since)

    async def records(self, spec: EntitySpec, ids: Sequence[int | str]) -> SourcePage:
        self.singled.append((spec.name, "id", [*ids]))
        await self._held()
        return await super().records(spec, ids)

    async def with_keys(self, spec: EntitySpec, keys: Sequence[str], field: str | None = None) -> SourcePage:
        self.singled.append((spec.name, field, [*keys]))
        await self._held()
        return await super().with_keys(spec, keys, field)

    async def _held(self) -> None:
        if self.silent:
            await asyncio.Event().wait()


class Reads(World):
    """The world with a clock and a source that note what is asked of them."""

    clock: Timed
    source: Noting

    def __init__(self, closed: str | None = None, late: str | None = None, patience: Patience = PATIENCE) -> None:
        super().__init__()
        self.clock, self.source = Timed(), Noting()
        specs = (*SPECS, SINGLE, ONE_KEY, MANY_KEYS)
        self.cache = type(self.cache)(specs)
        self.syncer = Syncer(specs, self.source, self.cache, self.clock)
        self.fresh = FreshReads(self.syncer, self.cache, self.clock, patience, closed=closed, late=lambda: late)

    async def waits(self, reads: FreshReads, wait: float | None = None) -> list[float]:
        """Return for how many seconds a read of colours waits where the source is silent."""
        self.clock.sleeps.clear()
        self.source.silent = True
        reading = asyncio.create_task(reads.ensure(["colour"], wait=wait))
        await settled()
        waited = list(self.clock.sleeps)
        self.clock.advance(10)
        await reading
        return waited


async def test_a_read_waits_longer_without_rows_than_with_them_unless_it_says_how_long() -> None:
    cold, warm = Reads(), Reads()
    assert await cold.waits(cold.fresh) == [5.0]
    assert await cold.waits(cold.fresh, 7.5) == [7.5]
    assert await cold.waits(cold.fresh, 0) == [0]
    await warm.fresh.ensure(["colour"])
    warm.clock.advance(121)
    assert await warm.waits(warm.fresh) == [1.0]


async def test_one_who_waits_so_long_waits_so_without_rows_and_for_single_records_only() -> None:
    world = Reads()
    patient = world.fresh.waiting(lambda: 9.0)
    assert await world.waits(patient) == [9.0]
    assert [reads.why_unread("colour") for reads in (patient, world.fresh)] == [
        "Katana did not answer within 9 s",
        "Katana did not answer within 4 s",
    ]
    world = Reads()
    await world.fresh.ensure(["colour"])
    world.clock.advance(121)
    assert await world.waits(world.fresh.waiting(lambda: 9.0)) == [1.0]


@pytest.mark.parametrize(
    ("spent", "cold", "warm", "by_id"), [(0.25, 4.75, 0.75, "3.75"), (2.0, 3.0, 0.0, "2"), (6.0, 0.0, 0.0, "0")]
)
async def test_what_a_caller_waited_already_is_taken_from_each_wait(
    spent: float, cold: float, warm: float, by_id: str
) -> None:
    world, old = Reads(), Reads()
    assert await world.waits(world.fresh.after(spent)) == [cold]
    await old.fresh.ensure(["colour"])
    old.clock.advance(121)
    assert await old.waits(old.fresh.after(spent)) == [warm]
    assert old.fresh.after(spent).why_unread("colour") == f"Katana did not answer within {by_id} s"


async def test_what_a_write_expired_is_asked_for_once_more_and_old_until_it_came() -> None:
    world = Reads()
    await world.fresh.ensure(["colour", "maker"])
    world.asked()
    world.fresh.expire("colour")
    world.source.down = "no"
    assert [state.stale for state in (await world.fresh.ensure(["colour", "maker"])).values()] == [False, True]
    world.asked()
    world.source.down = None
    world.clock.advance(15)
    assert not (await world.fresh.ensure(["colour", "maker"]))["colour"].stale
    assert world.asked() == [("colour", 1)]
    await world.fresh.after(1.0).ensure(["colour", "maker"])
    assert world.asked() == []


async def test_what_a_write_expired_is_old_no_longer_than_until_a_listing_however_far_the_clock_is_set_back() -> None:
    world = Reads()
    await world.fresh.ensure(["colour"])
    world.fresh.expire("colour")
    world.clock.advance(-3_600)
    assert not (await world.fresh.ensure(["colour"]))["colour"].stale
    world.asked()
    assert not (await world.fresh.ensure(["colour"]))["colour"].stale
    assert world.asked() == []


async def test_a_listing_that_began_before_a_write_does_not_end_its_expiry() -> None:
    world = Reads()
    await world.fresh.ensure(["colour"])
    world.clock.advance(121)
    world.source.silent = True
    reading = asyncio.create_task(world.fresh.ensure(["colour"], wait=0))
    await settled()
    world.clock.advance(1)
    world.fresh.expire("colour")
    await reading
    assert (await world.fresh.ensure(["colour"], wait=0))["colour"].stale


def test_what_entities_borrow_from_comes_before_them_once() -> None:
    reads = Reads().fresh
    assert [reads.with_parents(names) for names in ([], ["colour"], ["gadget"], ["colour", "gadget", "gadget"])] == [
        (),
        ("colour",),
        ("maker", "gadget"),
        ("maker", "gadget", "colour"),
    ]


def test_nothing_is_stale_or_failed_unless_it_is_said() -> None:
    assert Freshness("gadget", NOW) == Freshness("gadget", NOW, False, None, False, None, None, None)
    assert (Freshness("gadget", NOW).warming, Freshness("gadget", None).warming) == (False, True)


async def test_what_a_read_does_without_is_said_to_be_unread_and_nothing_is_under_way() -> None:
    world, due = Reads(), list[tuple[Sequence[str], Sequence[str]]]()
    answer = await world.fresh.ensure(
        ["gadget"], without=["maker"], on_due=lambda names, cold: due.append((names, cold))
    )
    assert answer == {
        "maker": Freshness("maker", None, stale=True, reason=TOO_SLOW),
        "gadget": Freshness("gadget", NOW),
    }
    assert due == [(["gadget"], ["gadget"])]


async def test_a_read_tells_what_it_waits_for_and_which_of_it_was_never_read() -> None:
    world, due = Reads(), list[tuple[Sequence[str], Sequence[str]]]()
    await world.fresh.ensure(["colour"])
    for seconds in (0, 120, 0.001):
        world.clock.advance(seconds)
        await world.fresh.ensure(["colour"], on_due=lambda names, cold: due.append((names, cold)))
    await world.fresh.ensure(["maker", "colour", "recipe"], on_due=lambda names, cold: due.append((names, cold)))
    assert due == [(["colour"], []), (["maker", "recipe"], ["maker", "recipe"])]


async def test_while_a_refresh_is_under_way_a_read_says_so_of_old_rows() -> None:
    world = Reads()
    world.source.silent = True
    assert await world.fresh.ensure(["colour"], wait=0) == {
        "colour": Freshness("colour", None, stale=True, reason=UNDER_WAY)
    }
    await world.fresh.close()


async def test_a_closed_source_is_never_asked_and_old_rows_say_why() -> None:
    world = Reads(closed="no key is set")
    assert await world.fresh.ensure(["colour"]) == {
        "colour": Freshness("colour", None, stale=True, reason="no key is set", failed=True)
    }
    await world.cache.apply(Batch(entity="colour", at=NOW, state=SyncState(completed_at=NOW)))
    for seconds, old in ((120, False), (0.001, True)):
        world.clock.advance(seconds)
        reason = "no key is set" if old else None
        expected = Freshness("colour", NOW, stale=old, reason=reason, failed=True)
        assert await world.fresh.ensure(["colour"]) == {"colour": expected}
    assert world.fresh.why_unread("colour") == "no key is set"
    reads = world.fresh
    assert [await reads.read_again("gadget", [1]), await reads.read_keys_again("gadget", ["G"])] == [False, False]
    assert [await reads.read_newest("gadget"), await reads.read_missing("gadget", [1])] == [False, True]
    assert (world.asked(), world.source.singled) == ([], [])


@pytest.mark.parametrize(("seconds", "asks"), [(14.9, False), (15.0, True)])
async def test_after_a_failure_an_entity_is_left_alone_for_fifteen_seconds(seconds: float, asks: bool) -> None:
    world = Reads(late="too many wait")
    world.source.broken["gadgets"] = "no gadgets today"
    failing = await world.fresh.ensure(["gadget"])
    assert failing["gadget"] == Freshness(
        "gadget", None, stale=True, reason="gadget: no gadgets today", failed=True, failing_since=NOW
    )
    world.asked()
    world.source.broken.clear()
    world.clock.advance(seconds)
    reads = world.fresh
    assert reads.why_unread("gadget") == ("too many wait" if asks else "gadget: no gadgets today")
    found = [await reads.read_again("gadget", [1]), await reads.read_keys_again("gadget", ["G"])]
    assert [*found, await reads.read_newest("gadget")] == [asks] * 3
    assert await reads.read_missing("gadget", [1]) is True
    assert len(world.asked()) == (4 if asks else 0)
    answer = await reads.ensure(["gadget"])
    assert answer["gadget"].failed is not asks
    assert world.asked() == ([("gadget", 1)] if asks else [])


async def test_why_single_records_are_unread_is_what_the_source_said_of_them() -> None:
    world = Reads(late="too many wait")
    world.source.broken["gadgets"] = "gadgets are not for sale"
    assert await world.fresh.read_again("gadget", [1]) is False
    assert [world.fresh.why_unread(entity) for entity in ("gadget", "colour")] == [
        "gadgets are not for sale",
        "too many wait",
    ]
    assert Reads().fresh.why_unread("gadget") == "Katana did not answer within 4 s"


@pytest.mark.parametrize("read", ["read_again", "read_keys_again", "read_newest"])
async def test_single_records_are_waited_for_so_long_and_stored_when_they_come_later(read: str) -> None:
    world = Reads()
    world.source.silent = True
    reads = {
        "read_again": lambda: world.fresh.read_again("gadget", [1]),
        "read_keys_again": lambda: world.fresh.read_keys_again("gadget", ["G"]),
        "read_newest": lambda: world.fresh.read_newest("gadget"),
    }
    reading = asyncio.create_task(reads[read]())
    await settled()
    assert world.clock.sleeps == [4.0]
    world.clock.advance(4.0)
    assert await reading is False
    (fetch,) = [task for task in asyncio.all_tasks() if task.get_name() == "fetch gadget"]
    await world.fresh.close()
    assert fetch.cancelled()


async def test_what_was_read_by_its_id_is_not_under_way_any_more() -> None:
    world = Reads()
    world.source.put("maker", {"id": 1}, START)
    assert await world.fresh.read_again("maker", [1]) is True
    answer = await world.fresh.ensure(["maker"], without=["maker"])
    assert (await world.cached("maker"), answer["maker"].reason) == ({1: NOW}, TOO_SLOW)


@pytest.mark.parametrize(
    ("entity", "cached", "ids", "asked"),
    [
        ("gadget", [], [1, 2], [("gadget", "id", [1, 2])]),
        ("gadget", [1], [1, 2, 3], [("gadget", "id", [2, 3])]),
        ("gadget", [1, 2], [1, 2], []),
        ("gadget", [], [], []),
        ("single", [1], [1, 2], [("single", "id", [2])]),
        ("single", [], [1, 2], []),
        ("recipe", [], [1], []),
    ],
)
async def test_what_a_first_listing_has_not_brought_yet_is_read_where_one_request_reads_it(
    entity: str, cached: list[int], ids: list[int], asked: list[object]
) -> None:
    world = Reads()
    for number in (1, 2, 3):
        world.source.put(entity, {"id": number, "sku": str(number)}, START)
    for number in cached:
        await world.syncer.write_through(entity, {"id": number, "updated_at": NOW})
    assert await world.fresh.read_missing(entity, ids) is True
    assert world.source.singled == asked
    world.source.down = "down"
    assert await world.fresh.read_missing(entity, [9]) is (entity == "recipe")
    await world.cache.apply(Batch(entity=entity, at=NOW, state=SyncState(completed_at=NOW)))
    assert await world.fresh.read_missing(entity, [9]) is True


@pytest.mark.parametrize(
    ("entity", "cached", "keys", "asked"),
    [
        ("gadget", [], ["1"], []),
        ("one_key", [], ["1"], [["1"]]),
        ("one_key", [], ["1", "1"], [["1"]]),
        ("one_key", [], ["1", "2"], []),
        ("one_key", [1], ["1", "2"], [["2"]]),
        ("many_keys", [], ["1", "2"], [["1", "2"]]),
        ("many_keys", [1], ["1", "2", "3"], [["2", "3"]]),
        ("many_keys", [1], ["1"], []),
        ("many_keys", [], [], []),
    ],
)
async def test_what_a_first_listing_has_not_brought_yet_is_read_by_its_keys_where_one_request_does(
    entity: str, cached: list[int], keys: list[str], asked: list[list[str]]
) -> None:
    world = Reads()
    for number in cached:
        await world.syncer.write_through(entity, {"id": number, "sku": str(number), "updated_at": NOW})
    assert await world.fresh.read_missing_keys(entity, keys) is True
    assert world.source.singled == [(entity, None, some) for some in asked]
    world.source.down = "down"
    assert await world.fresh.read_missing_keys(entity, ["9"]) is (entity == "gadget")
    await world.cache.apply(Batch(entity=entity, at=NOW, state=SyncState(completed_at=NOW)))
    assert await world.fresh.read_missing_keys(entity, ["9"]) is True


async def test_a_code_is_looked_for_in_each_field_of_codes_and_its_key_decides() -> None:
    world = Reads()
    assert [await world.fresh.read_missing_code(entity, "X") for entity in ("gadget", "many_keys")] == [True, True]
    assert world.source.singled == [("many_keys", field, ["X"]) for field in (None, "a", "b")]
    world.source.down = "down"
    assert await world.fresh.read_missing_code("many_keys", "X") is False
    await world.cache.apply(Batch(entity="many_keys", at=NOW, state=SyncState(completed_at=NOW)))
    assert await world.fresh.read_missing_code("many_keys", "X") is True


class Scripted(Syncer):
    """A syncer whose syncs end as they are told, or raise."""

    def __init__(self, world: World, *outcomes: SyncOutcome | Exception) -> None:
        super().__init__(SPECS, world.source, world.cache, world.clock)
        self.outcomes, self.started = [*outcomes], list[str]()
        self.time, self.takes = world.clock, 0.0

    def start(self, entity: str, seen: SyncState | None = None) -> asyncio.Task[SyncOutcome]:
        self.started.append(entity)
        return asyncio.create_task(self._next())

    async def _next(self) -> SyncOutcome:
        await self.time.sleep(self.takes)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def ended(entity: str, reason: str | None = None, **how: Any) -> SyncOutcome:  # noqa: ANN401 - as the fields are
    """Return the outcome of a sync that failed, and how."""
    return replace(SyncOutcome(entity, complete=False, reason=reason), **how)


@pytest.mark.parametrize(
    ("outcomes", "reasons"),
    [
        # Two in a row that got no answer spare the rest; one that got another answer does not.
        (
            [ended("maker", "a", unavailable=True), ended("colour", "b", unavailable=True)],
            ["maker: a", "colour: b", "colour: b"],
        ),
        (
            [ended("maker", "a", unavailable=True), ended("colour", "b"), ended("recipe", "c", unavailable=True)],
            ["maker: a", "colour: b", "recipe: c"],
        ),
        (
            [ended("maker", "a"), ended("colour", "b", unavailable=True), ended("recipe")],
            ["maker: a", "colour: b", "recipe: the listing could not be completed"],
        ),
        ([ended("maker", "all is down", everywhere=True)], ["all is down"] * 3),
    ],
)
async def test_a_source_that_is_silent_twice_or_everywhere_spares_the_rest(
    outcomes: list[SyncOutcome], reasons: list[str]
) -> None:
    world = World()
    syncer = Scripted(world, *outcomes)
    answer = await FreshReads(syncer, world.cache, world.clock).ensure(["maker", "colour", "recipe"])
    assert syncer.started == [outcome.entity for outcome in outcomes]
    assert [answer[name].reason for name in ("maker", "colour", "recipe")] == reasons


async def test_a_refresh_that_succeeds_forgets_the_failure_before() -> None:
    world = World()
    syncer = Scripted(world, ended("colour", "a"), SyncOutcome("colour", complete=True), ended("colour", "b"))
    reads = FreshReads(syncer, world.cache, world.clock)
    first = (await reads.ensure(["colour"]))["colour"]
    world.clock.advance(15)
    second = (await reads.ensure(["colour"]))["colour"]
    assert [(first.failed, first.reason), (second.failed, second.reason)] == [
        (True, "colour: a"),
        (False, TOO_SLOW),
    ]


async def test_a_first_listing_that_took_too_long_is_followed_by_one_delta_where_there_are_deltas() -> None:
    world = World()
    world.source.before = lambda listed, number: world.clock.advance(121)
    answer = await world.fresh.ensure(["maker", "colour"], wait=1_000)
    assert world.asked() == [("maker", 1), ("maker", 1), ("colour", 1)]
    assert answer["colour"].stale is True
    # What was read before is not listed twice, however long it takes.
    await world.fresh.ensure(["maker"], wait=1_000)
    assert world.asked() == [("maker", 1)]


async def test_a_damaged_cache_reaches_the_reader_who_waits_and_is_forgotten_for_one_who_does_not() -> None:
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    world = World()
    syncer = Scripted(world, CacheCorrupt("damaged"), CacheCorrupt("damaged"))
    reads = FreshReads(syncer, world.cache, world.clock)
    with pytest.raises(CacheCorrupt, match="damaged"):
        await reads.ensure(["colour"])
    syncer.takes = 1.0
    await reads.ensure(["colour"], wait=0)
    world.clock.advance(1.0)
    await settled()
    gc.collect()
    await settled()
    assert (len(syncer.outcomes), reported) == (0, [])


async def test_the_patience_says_how_old_rows_may_be_where_it_says_anything() -> None:
    world = Reads(patience=Patience(fresh_for=timedelta(seconds=10)))
    await world.fresh.ensure(["colour"])
    world.asked()
    for seconds in (10, 0.001):
        world.clock.advance(seconds)
        await world.fresh.ensure(["colour"])
    assert world.asked() == [("colour", 1)]


async def test_a_cache_that_cannot_be_written_spares_the_rest() -> None:
    world = World()
    world.cache.full = True
    answer = await world.fresh.ensure(["maker", "colour"])
    assert [(answer[name].failed, answer[name].reason) for name in ("maker", "colour")] == [
        (True, "the cache cannot be written: the disk is full")
    ] * 2
    assert [name for name, _ in world.asked()] == ["maker"]
