"""Several processes on one cache: one syncs, the others wait a bounded time, and a late write is refused."""

import asyncio
from collections.abc import Sequence
from random import Random

import pytest
from sync_world import SPECS, Mortal, World, settled

from cache_core.errors import LeaseLost
from cache_core.leases import Claim
from cache_core.protocol import Applied, Batch, CacheBackend, Found, Search, SyncState
from cache_core.records import RecordId, iso
from cache_core.spec import Listed
from cache_core.sync import FreshReads, SourcePage, Syncer, Window
from cache_core.sync.leasing import LEASE_SECONDS
from cache_core.testing import START, FakeSource


class Gate(FakeSource):
    """A source whose pages wait until they are let through."""

    open = True
    waiting: "asyncio.Event | None" = None

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        page = await super().page(listed, window, since)
        if not self.open:
            self.waiting = asyncio.Event()
            await self.waiting.wait()
        return page

    def let_through(self) -> None:
        self.open = True
        if self.waiting is not None:
            self.waiting.set()


class Machine(World):
    """Two processes with one cache and one source."""

    def __init__(self, cache: Mortal | None = None) -> None:
        super().__init__()
        self.cache = cache or self.cache
        self.gate = Gate(self.clock)
        self.source = self.gate
        self.start()
        self.other = Syncer(SPECS, self.source, self.cache, self.clock)
        self.other_reads = FreshReads(self.other, self.cache, self.clock)

    async def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds * 4)):
            self.clock.advance(0.25)
            await settled()


async def test_two_processes_send_the_requests_of_one() -> None:
    machine = Machine()
    machine.gadgets(700)
    machine.gate.open = False
    first = machine.syncer.start("gadget")
    await settled()
    second = machine.other.start("gadget")
    await settled()
    machine.gate.let_through()
    assert (await first).requests == 3
    await machine.pass_time(1)
    outcome = await second
    assert (outcome.complete, outcome.requests) == (True, 0)
    assert len(machine.source.requests) == 3


async def test_who_waits_for_another_process_answers_from_the_cache_in_time() -> None:
    machine = Machine()
    machine.gadgets(3)
    await machine.fresh.ensure(["gadget"])
    machine.clock.advance(300)
    machine.gate.open = False
    machine.syncer.start("maker")
    await settled()
    reading = asyncio.create_task(machine.other_reads.ensure(["gadget"]))
    await machine.pass_time(2)
    assert reading.done()
    answer = (await reading)["gadget"]
    assert (answer.stale, answer.reason) == (True, "a refresh is under way")
    machine.gate.let_through()


async def test_what_another_process_syncs_is_not_audited_and_says_so() -> None:
    machine = Machine()
    machine.gadgets(3)
    machine.gate.open = False
    syncing = machine.syncer.start("gadget")
    await settled()
    asked = len(machine.source.requests)
    refused = await machine.other.audit("gadget")
    assert (refused.complete, refused.reason) == (False, "another process syncs it now")
    assert len(machine.source.requests) == asked
    machine.gate.let_through()
    await syncing
    assert (await machine.other.audit("gadget")).complete


async def test_a_long_request_does_not_lose_the_lease() -> None:
    machine = Machine()
    machine.gadgets(3)
    machine.gate.open = False
    first = machine.syncer.start("gadget")
    await machine.pass_time(100)
    second = machine.other.start("gadget")
    await settled()
    machine.gate.let_through()
    assert (await first).complete
    await machine.pass_time(1)
    assert (await second).requests == 0


async def test_a_stopped_holder_loses_the_lease_and_its_late_write_is_refused() -> None:
    machine = Machine()
    machine.gadgets(3)
    machine.gate.open = False
    stopped = machine.syncer.start("gadget")
    await settled()
    late = machine.gate.waiting
    assert late is not None
    machine.gate.open = True
    machine.clock.advance(60)  # before the stopped process wakes, the other one asks
    taking = Claim("gadget", "somebody", iso(machine.clock.now()), 30)
    assert (await machine.cache.claim(taking)).epoch == 2
    late.set()
    await settled()
    assert not stopped.done()
    assert await machine.cached() == {}
    await machine.pass_time(31)
    assert (await stopped).complete
    assert len(await machine.cached()) == 3


async def test_a_holder_that_died_is_followed_after_its_lease_ran_out() -> None:
    machine = Machine()
    machine.gadgets(700)
    await machine.cache.claim(Claim("gadget", "dead", iso(machine.clock.now()), LEASE_SECONDS))
    second = machine.other.start("gadget")
    await machine.pass_time(LEASE_SECONDS - 1)
    assert not second.done()
    await machine.pass_time(2)
    assert (await second).requests == 3


async def test_a_holder_keeps_its_lease_though_it_could_not_be_renewed_once() -> None:
    machine = Machine()
    machine.gadgets(3)
    machine.gate.open = False
    first = machine.syncer.start("gadget")
    await settled()
    machine.cache.busy = True
    await machine.pass_time(LEASE_SECONDS / 3)
    machine.cache.busy = False
    await machine.pass_time(LEASE_SECONDS)
    machine.other.start("gadget")
    await settled()
    assert machine.asked() == [("gadget", 1)]
    machine.gate.let_through()
    assert (await first).complete


async def test_what_another_process_listed_since_the_look_is_not_listed_again() -> None:
    machine = Machine()
    machine.gadgets(3)
    seen = await machine.cache.state("gadget")
    assert (await machine.syncer.start("gadget")).requests == 1
    outcome = await machine.other.start("gadget", seen)
    assert (outcome.complete, outcome.requests) == (True, 0)
    assert (await machine.other.start("gadget")).requests == 1


async def test_what_another_process_tried_in_vain_meanwhile_is_not_tried_again_at_once() -> None:
    machine = Machine()
    machine.source.broken["gadgets"] = "no gadgets today"
    machine.gate.open = False
    answers = [asyncio.create_task(reads.ensure(["gadget"], wait=60)) for reads in (machine.fresh, machine.other_reads)]
    await settled()
    machine.gate.let_through()
    await machine.pass_time(2)
    for answer in answers:
        outcome = (await answer)["gadget"]
        assert (outcome.failed, outcome.reason) == (True, "gadget: no gadgets today")
    assert machine.asked() == [("maker", 1), ("gadget", 1)]
    machine.source.broken.clear()
    await machine.pass_time(16)
    assert not (await machine.other_reads.ensure(["gadget"]))["gadget"].warming


async def test_a_sync_gives_its_lease_back() -> None:
    machine = Machine()
    machine.gadgets(3)
    await machine.syncer.start("gadget")
    assert (await machine.other.start("gadget")).requests == 1


async def test_a_late_page_moves_no_state() -> None:
    machine = Machine()
    lease = await machine.cache.claim(Claim("gadget", "old", iso(machine.clock.now()), 30))
    machine.clock.advance(31)
    await machine.syncer.start("gadget")
    state = await machine.cache.state("gadget")
    with pytest.raises(LeaseLost):
        await machine.cache.apply(Batch(entity="gadget", at=iso(machine.clock.now()), lease=lease))
    assert await machine.cache.state("gadget") == state


class Shuffled(Mortal):
    """A cache whose callers are held up at random, as processes are."""

    def __init__(self, seed: int) -> None:
        super().__init__(SPECS)
        self._random = Random(seed)

    async def _pause(self) -> None:
        for _ in range(self._random.choice((0, 1, 2, 30))):
            await asyncio.sleep(0)

    async def get_many(self, entity: str, ids: Sequence[RecordId], fields: frozenset[str] | None = None) -> Found:
        await self._pause()
        found = await super().get_many(entity, ids, fields)
        await self._pause()
        return found

    async def apply(self, batch: Batch) -> Applied:
        await self._pause()
        return await super().apply(batch)

    async def state(self, entity: str) -> SyncState:
        state = await super().state(entity)
        await self._pause()
        return state


@pytest.mark.parametrize("seed", range(40))
async def test_in_no_order_do_two_processes_list_the_same(seed: int) -> None:
    machine = Machine(Shuffled(seed))
    machine.gadgets(3)
    answers = [asyncio.create_task(reads.ensure(["gadget"])) for reads in (machine.fresh, machine.other_reads)]
    await machine.pass_time(3)
    assert [(await answer)["gadget"].stale for answer in answers] == [False, False]
    assert machine.asked() == [("maker", 1), ("gadget", 1)]


@pytest.mark.parametrize("seed", range(40))
async def test_no_order_of_two_processes_leaves_a_child_with_the_text_of_an_old_parent(seed: int) -> None:
    machine = Machine(Shuffled(seed))
    other = machine.other
    machine.source.put("maker", {"id": 1, "name": "Acme"}, START)
    for number in range(5):
        machine.source.put("gadget", {"id": number, "sku": f"G{number}", "maker_id": 1}, START)
    await machine.syncer.start("maker")
    await machine.syncer.start("gadget")
    machine.source.put("maker", {"id": 1, "name": "Globex"}, machine.clock.now())
    for number in range(3, 8):
        machine.source.put("gadget", {"id": number, "sku": f"H{number}", "maker_id": 1}, machine.clock.now())
    own = {"id": 9, "sku": "OWN", "maker_id": 1, "updated_at": iso(machine.clock.now())}
    await asyncio.gather(
        machine.syncer.start("maker"),
        other.start("gadget"),
        other.write_through("gadget", own),
        machine.syncer.write_through("maker", {"id": 1, "name": "Initech", "updated_at": "2026-03-02T08:00:01.000Z"}),
    )
    found = await hits(machine.cache, "initech")
    assert found == [0, 1, 2, 3, 4, 5, 6, 7, 9]
    assert await hits(machine.cache, "acme") == await hits(machine.cache, "globex") == []


async def hits(cache: CacheBackend, text: str) -> list[RecordId]:
    return sorted((hit.row.id for hit in (await cache.search("gadget", Search(text))).hits), key=str)
