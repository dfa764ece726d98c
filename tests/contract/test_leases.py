"""Leases: one holder at a time, a time-out, and an epoch that keeps a former holder's late writes out."""

from dataclasses import replace

import pytest

from cache_core.errors import LeaseLost, WrongCacheUse
from cache_core.leases import Claim, Lease
from cache_core.protocol import Batch, CacheBackend, Quarantined, SyncState

from .conftest import OpenCache
from .toys import listing, moment, own_write, record_of, toy


async def claimed(cache: CacheBackend, holder: str, at: float, seconds: float = 30) -> Lease:
    return await cache.claim(Claim("toy", holder, moment(at), seconds))


async def test_the_first_claim_is_granted_and_the_second_sees_who_holds_it(cache: CacheBackend) -> None:
    first = await claimed(cache, "a", 0)
    assert (first.holder, first.epoch, first.until) == ("a", 1, moment(30))
    assert await claimed(cache, "b", 29) == first


async def test_a_claim_of_the_holder_renews_and_keeps_the_epoch(cache: CacheBackend) -> None:
    await claimed(cache, "a", 0)
    assert (await claimed(cache, "a", 20)).until == moment(50)
    assert (await claimed(cache, "b", 49)).holder == "a"
    assert (await claimed(cache, "a", 80)).epoch == 1


async def test_a_lease_that_ran_out_or_was_given_back_is_free(cache: CacheBackend) -> None:
    await claimed(cache, "a", 0)
    taken = await claimed(cache, "b", 30)
    assert (taken.holder, taken.epoch) == ("b", 2)
    await claimed(cache, "b", 31, seconds=0)
    assert (await claimed(cache, "a", 31)).epoch == 3


async def test_a_clock_that_was_set_back_holds_nobody_up(cache: CacheBackend) -> None:
    await claimed(cache, "a", 3600)
    assert (await claimed(cache, "b", 0)).holder == "b"


async def test_each_entity_has_a_lease_of_its_own(cache: CacheBackend) -> None:
    await claimed(cache, "a", 0)
    assert (await cache.claim(Claim("toy_owner", "b", moment(1), 30))).holder == "b"
    with pytest.raises(WrongCacheUse):
        await cache.claim(Claim("sales_order", "a", moment(0), 30))


async def test_a_late_write_of_a_former_holder_is_refused_whole(cache: CacheBackend) -> None:
    first = await claimed(cache, "a", 0)
    await cache.apply(replace(listing(toy(1, name="early")), lease=first))
    second = await claimed(cache, "b", 60)
    late = replace(listing(toy(1, version=1, name="late"), toy(2)), lease=first, state=SyncState(cursor=moment(9)))
    with pytest.raises(LeaseLost):
        await cache.apply(late)
    assert (await record_of(cache, 1))["name"] == "early"
    assert (await cache.get_many("toy", [2])).missing == (2,)
    assert await cache.state("toy") == SyncState()
    await cache.apply(replace(late, lease=second))
    assert (await record_of(cache, 1))["name"] == "late"


async def test_a_lease_that_ran_out_and_nobody_took_still_writes(cache: CacheBackend) -> None:
    lease = await claimed(cache, "a", 0)
    await cache.apply(replace(listing(toy(1), at=3600), lease=lease))
    assert (await cache.get_many("toy", [1])).missing == ()


async def test_an_own_write_needs_no_lease(cache: CacheBackend) -> None:
    await claimed(cache, "a", 0)
    await cache.apply(own_write(toy(1, name="ours")))
    assert (await record_of(cache, 1))["name"] == "ours"


async def test_a_lease_outlives_the_process_and_is_no_sync_state(
    persistence: None, cache: CacheBackend, open_cache: OpenCache
) -> None:
    await claimed(cache, "a", 0)
    other = await open_cache()
    assert (await claimed(other, "b", 1)).holder == "a"
    assert await other.state("toy") == SyncState()


async def test_a_row_stored_with_another_version_by_now_is_not_reindexed(cache: CacheBackend) -> None:
    await cache.apply(listing(toy(1, version=2, name="thing", owned_by="smith")))
    late = toy(1, version=1, name="thing", owned_by="jones", deleted_at=moment())
    await cache.apply(Batch(entity="toy", at=moment(), reindexed=(late,)))
    assert not (await cache.get_many("toy", [1])).rows[0].deleted


async def test_what_is_gone_leaves_the_quarantine(cache: CacheBackend) -> None:
    await cache.apply(Batch(entity="toy", at=moment(), quarantine=[Quarantined(4, "bad", "{}")]))
    await cache.apply(Batch(entity="toy", at=moment(), removed=[4]))
    assert await cache.quarantined("toy") == ()


async def test_an_own_write_without_a_version_stands_for_fifteen_minutes(cache: CacheBackend) -> None:
    ours = replace(toy(1, name="ours"), version=None)
    await cache.apply(own_write(ours))
    await cache.apply(listing(toy(1, version=1, name="lagging"), at=899))
    assert (await record_of(cache, 1))["name"] == "ours"
    await cache.apply(listing(toy(1, version=1, name="listed"), at=901))
    assert (await record_of(cache, 1))["name"] == "listed"
