"""A made-up Katana and a cache of it, on a clock moved by hand: what the tests of sync share."""

import asyncio
from datetime import timedelta

from cache_core.conditions import EVERYTHING
from cache_core.errors import CacheUnavailable
from cache_core.leases import Claim, Lease
from cache_core.memory import MemoryBackend
from cache_core.protocol import Applied, Batch, Search, Selection
from cache_core.records import RecordId
from cache_core.spec import EntitySpec, Feed, Lookup, Searchable
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
    feeds=(Feed("part_rows", "part_id", "rows[]"),),
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
