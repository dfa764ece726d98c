"""Sync over each backend: a server on which people work, two processes that follow it, and an audit at the end."""

from datetime import timedelta
from random import Random

import pytest

from cache_core.conditions import EVERYTHING
from cache_core.errors import LeaseLost
from cache_core.leases import Claim, Lease
from cache_core.protocol import Batch, CacheBackend, Search, Selection
from cache_core.records import Record, RecordId, iso
from cache_core.sync import Syncer
from cache_core.testing import START, FakeSource, ManualClock

from .conftest import OpenCache
from .toys import SPECS

NAMES = ("acme", "globex", "initech")


class Account:
    """A server with owners and toys."""

    def __init__(self, seed: int = 0) -> None:
        self.random = Random(seed)
        self.clock = ManualClock()
        self.source = FakeSource(self.clock)
        for number in (1, 2, 3):
            self.source.put("toy_owner", {"id": number, "name": "acme"}, START - timedelta(days=1))
        for number in range(1, 301):
            self.source.put("toy", {"id": number, "owner_id": number % 3 + 1}, START - timedelta(days=1))

    def work(self) -> None:
        """Let people change some things."""
        self.clock.advance(self.random.uniform(1, 60))
        at = self.clock.now()
        toys = sorted(map(int, self.source.rows("toy")))
        for each in self.random.sample(toys, 10):
            self.source.put("toy", {"id": each, "owner_id": self.random.choice((1, 2, 3)), "sku": f"S{each}"}, at)
        self.source.drop("toy", self.random.choice(toys))
        owner = self.random.choice((1, 2, 3))
        self.source.put("toy_owner", {"id": owner, "name": self.random.choice(NAMES)}, at)


async def synced(*syncers: Syncer) -> None:
    for syncer in syncers:
        for entity in ("toy_owner", "toy"):
            outcome = await syncer.start(entity)
            assert outcome.complete, outcome.reason


async def cached(cache: CacheBackend, entity: str = "toy") -> dict[RecordId, Record]:
    rows = await cache.select(entity, Selection(limit=10_000, visibility=EVERYTHING))
    return {row.id: row.record for row in rows}


async def text_is_right(cache: CacheBackend) -> None:
    owners = {str(key): row["name"] for key, row in (await cached(cache, "toy_owner")).items()}
    for name in NAMES:
        found = await cache.search("toy", Search(name, limit=1_000, visibility=EVERYTHING))
        wanted = {key for key, row in (await cached(cache)).items() if owners.get(str(row["owner_id"])) == name}
        assert {hit.row.id for hit in found.hits} == wanted


@pytest.mark.parametrize("seed", range(3))
async def test_two_processes_follow_a_busy_account_and_an_audit_leaves_nothing_over(
    cache: CacheBackend, seed: int
) -> None:
    account = Account(seed)
    first, second = (Syncer(SPECS, account.source, cache, account.clock) for _ in range(2))
    await synced(first)
    for _ in range(5):
        account.work()
        await synced(second, first)
        await text_is_right(cache)
    assert account.source.rows("toy").items() <= (await cached(cache)).items()
    await first.audit("toy")
    account.clock.advance(20 * 60)
    await second.audit("toy")
    assert await cached(cache) == account.source.rows("toy")


async def test_an_own_write_is_read_at_once_with_all_that_it_borrows(cache: CacheBackend) -> None:
    account = Account()
    syncer = Syncer(SPECS, account.source, cache, account.clock)
    await synced(syncer)
    ours: Record = {"id": 7, "sku": "OURS", "owner_id": 2, "updated_at": iso(START), "rows": []}
    assert await syncer.write_through("toy", ours, knows=())
    assert [hit.row.id for hit in (await cache.search("toy", Search("ours"))).hits] == [7]
    await syncer.write_through("toy_owner", {"id": 2, "name": "globex", "updated_at": iso(START)})
    await text_is_right(cache)
    await syncer.delete_through("toy", 7)
    assert (await cache.search("toy", Search("ours"))).hits == ()


async def test_a_sync_goes_on_in_another_process_where_the_first_died(
    persistence: None, cache: CacheBackend, open_cache: OpenCache
) -> None:
    account = Account()
    account.source.before = lambda listed, number: setattr(account.source, "down", "cut" if number == 2 else None)
    first = Syncer(SPECS, account.source, cache, account.clock)
    assert not (await first.start("toy")).complete
    account.source.before = lambda listed, number: None
    account.source.down = None
    second = Syncer(SPECS, account.source, await open_cache(), account.clock)
    assert (await second.start("toy")).requests == 1
    assert await cached(cache) == account.source.rows("toy")
    with pytest.raises(LeaseLost):
        await cache.apply(Batch(entity="toy", at=iso(START), lease=await stale(cache, account)))


async def stale(cache: CacheBackend, account: Account) -> Lease:
    """Return a lease that another holder has taken since."""
    lease = await cache.claim(Claim("toy", "stopped", iso(account.clock.now()), 30))
    account.clock.advance(31)
    await cache.claim(Claim("toy", "next", iso(account.clock.now()), 30))
    return lease
