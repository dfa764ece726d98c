"""Holding a lease in this process: what is claimed, when it is claimed again, and when it is given back."""

import asyncio
import re
from datetime import timedelta

from sync_world import SPECS, settled

from cache_core.errors import CacheUnavailable
from cache_core.leases import Claim, Lease
from cache_core.memory import MemoryBackend
from cache_core.records import iso
from cache_core.sync.leasing import LEASE_SECONDS, Leases
from cache_core.testing import START, ManualClock


class Claimed(MemoryBackend):
    """A cache that notes each claim, or refuses them."""

    def __init__(self) -> None:
        super().__init__(SPECS)
        self.claims: list[Claim] = []
        self.is_locked = False

    async def claim(self, claim: Claim) -> Lease:
        self.claims.append(claim)
        if self.is_locked:
            raise CacheUnavailable("the cache is locked")
        return await super().claim(claim)

    def new_claims(self) -> list[tuple[str, str, float]]:
        """Return the entity, the moment and the seconds of each claim since the last look."""
        new = [(claim.entity, claim.at, claim.seconds) for claim in self.claims]
        self.claims.clear()
        return new


def at(seconds: float) -> str:
    """Return the moment so many seconds after the start."""
    return iso(START + timedelta(seconds=seconds))


async def passed(clock: ManualClock, seconds: float) -> None:
    """Let time pass, and everything run that waited for it."""
    clock.advance(seconds)
    await settled()


async def test_a_lease_is_claimed_for_ten_seconds_and_given_back() -> None:
    clock, cache = ManualClock(), Claimed()
    leases = Leases(cache, clock)
    assert leases.of("gadget") is None
    async with leases.held("gadget") as mine:
        assert mine is True
        (claim,) = cache.claims
        assert re.fullmatch("[0-9a-f]{32}", claim.holder)
        assert claim == Claim("gadget", claim.holder, at(0), 10.0)
        assert leases.of("gadget") == Lease("gadget", claim.holder, 1, at(0), at(10))
        assert leases.of("maker") is None
        clock.advance(1)
    assert cache.claims == [claim, Claim("gadget", claim.holder, at(1), 0)]
    assert leases.of("gadget") is None
    assert LEASE_SECONDS == 10.0


async def test_a_held_lease_is_claimed_again_every_quarter_of_its_time() -> None:
    clock, cache = ManualClock(), Claimed()
    leases = Leases(cache, clock)
    async with leases.held("gadget"):
        await settled()
        await passed(clock, 2.4)
        assert cache.new_claims() == [("gadget", at(0), 10.0)]
        await passed(clock, 0.1)
        await passed(clock, 2.5)
        assert cache.new_claims() == [("gadget", at(2.5), 10.0), ("gadget", at(5), 10.0)]
    assert cache.new_claims() == [("gadget", at(5), 0)]
    await passed(clock, 60)
    assert cache.new_claims() == []


async def test_what_another_process_holds_is_not_held_and_not_given_back() -> None:
    clock, cache = ManualClock(), Claimed()
    theirs, ours = Leases(cache, clock), Leases(cache, clock)
    async with theirs.held("gadget"):
        lease = theirs.of("gadget")
        cache.new_claims()
        async with ours.held("gadget") as mine:
            assert mine is False
            assert ours.of("gadget") is None
            await settled()
        assert cache.new_claims() == [("gadget", at(0), 10.0)]
        assert theirs.of("gadget") == lease
    async with ours.held("gadget") as mine:
        assert mine is True
        held = ours.of("gadget")
        assert held is not None
        assert held.epoch == 2


async def test_the_last_of_several_users_gives_a_lease_back() -> None:
    clock, cache = ManualClock(), Claimed()
    leases = Leases(cache, clock)
    async with leases.held("gadget") as outer:
        async with leases.held("gadget") as inner:
            assert (outer, inner) == (True, True)
        assert leases.of("gadget") is not None
        assert cache.new_claims() == [("gadget", at(0), 10.0)] * 2
    assert cache.new_claims() == [("gadget", at(0), 0)]
    assert leases.of("gadget") is None
    async with leases.held("gadget") as mine:
        assert mine is True
    assert cache.new_claims() == [("gadget", at(0), 10.0), ("gadget", at(0), 0)]


async def test_leases_of_two_entities_are_given_back_each_for_itself() -> None:
    clock, cache = ManualClock(), Claimed()
    leases = Leases(cache, clock)
    async with leases.held("gadget"):
        async with leases.held("maker"):
            assert leases.of("maker") is not None
        assert leases.of("maker") is None
        assert leases.of("gadget") is not None


async def test_a_lease_that_was_lost_is_claimed_no_more() -> None:
    clock, cache = ManualClock(), Claimed()
    leases = Leases(cache, clock)
    async with leases.held("gadget"):
        await settled()
        clock.jump(60)
        taken = await cache.claim(Claim("gadget", "another", iso(clock.now()), 600))
        assert taken.holder == "another"
        cache.new_claims()
        await passed(clock, 2.5)
        assert len(cache.new_claims()) == 1
        await passed(clock, 2.5)
        assert cache.new_claims() == []


async def test_a_cache_that_is_locked_for_a_while_is_asked_again() -> None:
    clock, cache = ManualClock(), Claimed()
    leases = Leases(cache, clock)
    async with leases.held("gadget"):
        await settled()
        cache.is_locked = True
        await passed(clock, 2.5)
        cache.is_locked = False
        await passed(clock, 2.5)
        assert [moment for _, moment, _ in cache.new_claims()] == [at(0), at(2.5), at(5)]


async def test_a_lease_that_cannot_be_given_back_is_left_to_run_out() -> None:
    clock, cache = ManualClock(), Claimed()
    leases = Leases(cache, clock)
    async with leases.held("gadget"):
        cache.is_locked = True
    assert leases.of("gadget") is None
    assert [seconds for _, _, seconds in cache.new_claims()] == [10.0, 0]


async def test_nothing_runs_on_after_the_lease_is_given_back() -> None:
    clock, cache = ManualClock(), Claimed()
    before = asyncio.all_tasks()
    async with Leases(cache, clock).held("gadget"):
        await settled()
        assert len(asyncio.all_tasks() - before) == 1
    await settled()
    assert asyncio.all_tasks() == before
