"""Several processes that keep one cache fresh: together they ask what one asks."""

import asyncio
from collections import Counter

from sync_world import settled

from cache_core.memory import MemoryBackend
from cache_core.protocol import SyncState
from cache_core.spec import Listed
from cache_core.specs import SPECS
from cache_core.specs.stock import STOCK
from cache_core.sync import FreshReads, SourcePage, Syncer, Window
from cache_core.testing import FakeSource, ManualClock

KEPT = tuple(spec.name for spec in SPECS if spec is not STOCK)
READ = ("sales_order", "variant", "customer", "purchase_order")


class Distant(FakeSource):
    """A source that takes a moment to answer."""

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        await self.clock.sleep(0.15)
        return await super().page(listed, window, since)


class Shared(MemoryBackend):
    """A cache in which processes meet: what one of them has looked at may have changed when it goes on."""

    async def state(self, entity: str) -> SyncState:
        state = await super().state(entity)
        await asyncio.sleep(0)
        return state


class Machine:
    """Processes that begin together, read all the time and refresh ahead of their reads."""

    def __init__(self, processes: int) -> None:
        self.clock = ManualClock()
        self.source = Distant(self.clock)
        self.cache = Shared(SPECS)
        self.reads = [self._process() for _ in range(processes)]

    def _process(self) -> FreshReads:
        syncer = Syncer(SPECS, self.source, self.cache, self.clock)
        return FreshReads(syncer, self.cache, self.clock)

    async def live(self, seconds: float) -> Counter[str]:
        """Let so much time pass; return how often each listing was asked for."""
        work = [
            asyncio.create_task(coroutine)
            for reads in self.reads
            for coroutine in (self._keep(reads), self._read(reads))
        ]
        for _ in range(round(seconds * 20)):
            self.clock.advance(0.05)
            await settled()
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        return Counter(name for name, _, _ in self.source.requests)

    async def _keep(self, reads: FreshReads) -> None:
        while True:
            await self.clock.sleep((await reads.keep_fresh(KEPT)).rest)

    async def _read(self, reads: FreshReads) -> None:
        while True:
            for entity in READ:
                await reads.ensure([entity], wait=0)
                await self.clock.sleep(0.2)


async def test_four_processes_ask_what_one_asks() -> None:
    one, four = [await Machine(count).live(120) for count in (1, 4)]
    assert four == one
    assert one.total() > 2 * len(KEPT)
