"""A made-up Katana and a cache of it, on a clock moved by hand: what the tests of sync share."""

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from cache_core.conditions import EVERYTHING
from cache_core.errors import CacheUnavailable
from cache_core.leases import Claim, Lease
from cache_core.memory import MemoryBackend
from cache_core.protocol import Applied, Batch, Search, Selection
from cache_core.records import RecordId
from cache_core.spec import EntitySpec, Feed, Listed, Lookup, Searchable
from cache_core.specs.stock import STOCK
from cache_core.sync import FreshReads, Syncer
from cache_core.testing import START, FakeSource, ManualClock

MAKER = EntitySpec(name="maker", collection="makers", searchable=Searchable(names=("name",)))
GADGET = EntitySpec(
    name="gadget",
    collection="gadgets",
    searchable=Searchable(keys=("sku",), names=(Lookup("maker_id", "maker", ("name",)),)),
    key_path="sku",
    inherits=(Lookup("maker_id", "maker", ("name",)),),
)
COLOUR = EntitySpec(name="colour", collection="colours", searchable=Searchable(names=("name",)), watermark=False)
RECIPE = EntitySpec(name="recipe", collection="recipes", fetch_by="full_list")
PART = EntitySpec(
    name="part",
    collection="parts",
    children=("rows",),
    feeds=(Feed("part_rows", "part_id", "rows[]", sums=("total",)),),
    moves=("rows[].variant_id",),
)
SPECS = (MAKER, GADGET, COLOUR, RECIPE, PART, STOCK)


async def settled() -> None:
    """Let everything that can run without time passing run."""
    for _ in range(50):
        await asyncio.sleep(0)


class Mortal(MemoryBackend):
    """A cache whose process dies before a batch is written, whose disk is full, or that another process keeps busy."""

    dies_before: str | None = None
    full = False
    busy = False

    async def apply(self, batch: Batch) -> Applied:
        if batch.entity == self.dies_before:
            raise asyncio.CancelledError
        if self.full:
            raise CacheUnavailable("the disk is full")
        return await super().apply(batch)

    async def claim(self, claim: Claim) -> Lease:
        if self.busy:
            raise CacheUnavailable("the cache is locked")
        return await super().claim(claim)

    def rows(self, entity: str) -> dict[object, str]:
        """Return the version of every row, at once."""
        return {row_id: row.version or "" for row_id, row in self._table(entity).rows.items()}


class World:
    """A source, a cache and what brings the one into the other, on a clock moved by hand."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.source = FakeSource(self.clock)
        self.cache = Mortal(SPECS)
        self.start()

    def start(self) -> None:
        """Begin anew with what is stored, as after a restart."""
        self.syncer = Syncer(SPECS, self.source, self.cache, self.clock)
        self.fresh = FreshReads(self.syncer, self.cache, self.clock)

    def gadgets(self, count: int) -> None:
        for number in range(1, count + 1):
            self.source.put("gadget", {"id": number, "sku": f"G-{number}"}, START - timedelta(hours=1))

    def asked(self) -> list[tuple[str, int]]:
        """Return entity or feed, and page, of every request since this was called last."""
        asked = [(name, number) for name, number, _ in self.source.requests]
        self.source.requests.clear()
        return asked

    async def cached(self, entity: str = "gadget") -> dict[object, str | None]:
        rows = await self.cache.select(entity, Selection(limit=1_000_000, visibility=EVERYTHING))
        return {row.id: row.version for row in rows}

    def truth(self, entity: str = "gadget") -> dict[object, str | None]:
        return {key: str(row["updated_at"]) for key, row in self.source.rows(entity).items()}

    async def found(self, text: str) -> list[RecordId]:
        """Return the ids of the gadgets that a search finds."""
        return [hit.row.id for hit in (await self.cache.search("gadget", Search(text))).hits]


@dataclass(frozen=True, slots=True)
class Condition:
    """How the world behaves: our clock's error, how far replicas lag, what happens between pages, how often we sync."""

    skew: float = 0
    lag: float = 0
    edits: int = 0
    shifts: int = 0
    pause: float = 30


class Account(ABC):
    """A server that people work on, with a clock and replicas of its own, and a cache that follows it.

    Args:
        condition: what makes following it hard.
        seed: of all chance.
        entity: what people work on.
        world: what follows; a cache in memory by default.
    """

    def __init__(self, condition: Condition, seed: int, entity: str, world: "World | None" = None) -> None:
        self.condition = condition
        self.entity = entity
        self.random = Random(seed)
        self.server = ManualClock(START - timedelta(hours=1))
        self.world = world or World()
        self.source = self.world.source
        self.source.clock = self.server
        self.fill()
        self.server.advance((START - self.server.now()).total_seconds())
        self.world.clock.jump(condition.skew)
        self.source.lag = lambda: self.random.uniform(0, condition.lag)
        self.source.before = self._between_pages

    @abstractmethod
    def fill(self) -> None:
        """Make the records of the hour before the first sync."""

    @abstractmethod
    def edit(self) -> None:
        """Change one thing."""

    @abstractmethod
    def shift(self) -> None:
        """Make later pages begin elsewhere."""

    def pass_time(self, seconds: float) -> None:
        self.server.advance(seconds)
        self.world.clock.advance(seconds)

    def _between_pages(self, listed: Listed, number: int) -> None:
        self.pass_time(self.random.uniform(0.2, 5))
        for _ in range(self.condition.edits):
            self.edit()
        for _ in range(self.condition.shifts):
            self.shift()

    async def sync(self) -> int:
        """Sync once; return the requests that it took."""
        outcome = await self.world.syncer.start(self.entity)
        await settled()
        return outcome.requests

    async def work(self, rounds: int) -> float:
        """Let people work and the cache follow; return the requests of one sync on average."""
        requests = await self.sync()
        for _ in range(rounds):
            self.pass_time(self.random.uniform(0.5, 1.5) * self.condition.pause)
            for _ in range(8):
                self.edit()
            requests += await self.sync()
        return requests / (rounds + 1)

    async def rest(self) -> None:
        """Let everybody stop until every replica knows everything, and sync once."""
        self.source.before = lambda listed, number: None
        self.pass_time(self.condition.lag + 1)
        self.source.lag = lambda: 0
        await self.sync()
