"""An account on which people work, and what a cache that follows it must hold."""

from datetime import timedelta
from random import Random

from cache_core.conditions import EVERYTHING
from cache_core.protocol import CacheBackend, Search, Selection
from cache_core.records import Record, RecordId, iso
from cache_core.sync import Syncer
from cache_core.testing import START, FakeSource, ManualClock

from .toys import SPECS

NAMES = ("acme", "globex", "initech")
ENTITIES = ("toy_owner", "toy")
"""What is synced, parents first."""


class Account:
    """A server with owners and toys."""

    def __init__(self, seed: int = 0, toys: int = 300) -> None:
        self.random = Random(seed)
        self.clock = ManualClock()
        self.source = FakeSource(self.clock)
        for number in (1, 2, 3):
            self.source.put("toy_owner", {"id": number, "name": "acme"}, START - timedelta(days=1))
        for number in range(1, toys + 1):
            self.source.put("toy", {"id": number, "owner_id": number % 3 + 1}, START - timedelta(days=1))

    def work(self, *, tombstones: bool = False) -> None:
        """Let people change some things; what they delete leaves a tombstone or no trace."""
        self.clock.advance(self.random.uniform(1, 60))
        at = self.clock.now()
        toys = sorted(map(int, self.source.rows("toy")))
        for number in self.random.sample(toys, 10):
            self.source.put("toy", {"id": number, "owner_id": self.random.choice((1, 2, 3)), "sku": f"S{number}"}, at)
        gone = self.random.choice(toys)
        if tombstones:
            self.source.put("toy", {"id": gone, "deleted_at": iso(at)}, at)
        else:
            self.source.drop("toy", gone)
        owner = self.random.choice((1, 2, 3))
        self.source.put("toy_owner", {"id": owner, "name": self.random.choice(NAMES)}, at)

    def syncer(self, cache: CacheBackend) -> Syncer:
        """Return what brings this account into a cache, as a process of its own."""
        return Syncer(SPECS, self.source, cache, self.clock)


async def synced(*syncers: Syncer) -> None:
    """Sync all, one after the other."""
    for syncer in syncers:
        for entity in ENTITIES:
            outcome = await syncer.start(entity)
            assert outcome.complete, outcome.reason


async def cached(cache: CacheBackend, entity: str = "toy") -> dict[RecordId, Record]:
    """Return every record that a cache holds."""
    rows = await cache.select(entity, Selection(limit=10_000, visibility=EVERYTHING))
    return {row.id: row.record for row in rows}


async def text_is_right(cache: CacheBackend) -> None:
    """Every toy is found by the name that its owner has in the cache, and by no other."""
    owners = {str(key): row["name"] for key, row in (await cached(cache, "toy_owner")).items()}
    for name in NAMES:
        found = await cache.search("toy", Search(name, limit=10_000, visibility=EVERYTHING))
        expected = {key for key, row in (await cached(cache)).items() if owners.get(str(row["owner_id"])) == name}
        assert {hit.row.id for hit in found.hits} == expected
