"""Sync over each backend: a server on which people work, two processes that follow it, and an audit at the end."""

import pytest

from cache_core.errors import LeaseLost
from cache_core.leases import Claim, Lease
from cache_core.protocol import Batch, CacheBackend, Search
from cache_core.records import Record, iso
from cache_core.testing import START

from .accounts import Account, cached, synced, text_is_right
from .conftest import OpenCache


@pytest.mark.in_turn
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 10))])
async def test_two_processes_follow_a_busy_account_and_an_audit_leaves_nothing_over(
    cache: CacheBackend, seed: int
) -> None:
    account = Account(seed)
    first, second = (account.syncer(cache) for _ in range(2))
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
    syncer = account.syncer(cache)
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
    first = account.syncer(cache)
    assert not (await first.start("toy")).complete
    account.source.before = lambda listed, number: None
    account.source.down = None
    second = account.syncer(await open_cache())
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
