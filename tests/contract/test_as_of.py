"""`as_of` is never a lie, of no entity and in no backend: killed, resumed, slow and lagging listings of any of them."""

import asyncio
from datetime import datetime, timedelta

import pytest
from as_of import Truth, change, change_child, cut_between
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cache_core.protocol import CacheBackend
from cache_core.spec import EntitySpec, Listed
from cache_core.sync import FreshReads, Syncer
from cache_core.testing import START, FakeSource, ManualClock
from cache_typed.tables import TABLES
from katana_mcp.caches.backends import BACKENDS

from .backends import World, plain
from .entities import ALL, NINE

COUNT = 255
"""Records of an entity: two pages."""

LAG = 45.0
"""Less than a delta looks back."""

ENTITIES = tuple(spec for spec in ALL if spec.name != "stock")
EVERYTHING = World(ALL, tuple(TABLES), frozenset())
HELD = [(name, spec) for name in BACKENDS for spec in (ENTITIES if name == "typed" else NINE)]

NUMBERS = st.sampled_from([1, 2, 5, 6, 100, 254, COUNT])
STEPS = st.one_of(
    st.tuples(st.sampled_from(["change", "change_child", "slow"]), NUMBERS),
    st.tuples(st.just("cut"), st.integers(1, 2)),
    st.tuples(st.just("wait"), st.sampled_from([1, 61, 700, 86_400])),
    st.tuples(st.sampled_from(["go_on", "start_again", "lag"]), st.just(0)),
    st.tuples(st.sampled_from(["read", "sync"]), st.just(0)),
    st.tuples(st.sampled_from(["read", "sync"]), st.just(0)),
)


class Followed:
    """An account with one entity, followed by a cache of it."""

    def __init__(self, spec: EntitySpec, cache: CacheBackend) -> None:
        self.spec = spec
        self.cache = cache
        self.clock = ManualClock()
        self.source = FakeSource(self.clock)
        self.truth = Truth(self.source, self.clock)
        self.lag = 0.0
        self.steps: list[tuple[str, int]] = []
        for number in range(1, COUNT + 1):
            self.truth.put(spec, number, START - timedelta(hours=1 if number == COUNT else 48))
        self.start()

    def start(self) -> None:
        self.syncer = Syncer(ALL, self.source, self.cache, self.clock)
        self.fresh = FreshReads(self.syncer, self.cache, self.clock)

    def go_on(self, _: int) -> None:
        self.source.down = None
        self.source.before = lambda listed, number: None

    def slow(self, number: int) -> None:
        """Let every request take five minutes, in the middle of which a record changes."""
        self.source.down = None

        def slow(listed: Listed, page: int) -> None:
            self.clock.advance(150)
            change(self.truth, self.spec, number)
            self.clock.advance(150)

        self.source.before = slow

    def cut(self, page: int) -> None:
        cut_between(self.source, page, whole=False)

    def change(self, number: int) -> None:
        change(self.truth, self.spec, number)

    def change_child(self, number: int) -> None:
        change_child(self.truth, self.spec, number)

    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)

    def lag_behind(self, _: int) -> None:
        self.lag = LAG
        self.source.lag = lambda: LAG

    async def step(self, name: str, amount: int) -> None:
        self.steps.append((name, amount))
        if name == "start_again":
            await self.close()
            self.start()
        elif name == "sync":
            await self.syncer.start(self.spec.name)
        elif name == "read":
            await self.fresh.ensure([self.spec.name])
        else:
            getattr(self, "lag_behind" if name == "lag" else name)(amount)

    async def close(self) -> None:
        """Stop what still runs beside, which has a lease."""
        await self.fresh.close()
        await self.syncer.close()

    async def proves_true(self) -> None:
        as_of = (await self.cache.state(self.spec.name)).completed_at
        if as_of is not None:
            said = datetime.fromisoformat(as_of) - timedelta(seconds=self.lag)
            assert await self.truth.older(self.cache, self.spec, said) == [], f"{self.spec.name} after {self.steps}"


async def _follows(name: str, spec: EntitySpec, steps: list[tuple[str, int]]) -> None:
    cache = plain(name, EVERYTHING if name == "typed" else World(NINE, (), frozenset()), None)
    await cache.open()
    try:
        followed = Followed(spec, cache)
        for step, amount in steps:
            await followed.step(step, amount)
            await followed.proves_true()
        await followed.close()
    finally:
        await cache.close()


SYNC, READ = ("sync", 0), ("read", 0)
KILLED = [("cut", 2), SYNC, ("go_on", 0), ("wait", 86_400), ("change", COUNT), ("wait", 61), ("start_again", 0)]
"""The next sync of a collection that has checkpoints brings the second page alone."""


@pytest.mark.parametrize(("name", "spec"), HELD, ids=[f"{name}-{spec.name}" for name, spec in HELD])
def test_no_row_of_any_entity_is_older_than_is_said(name: str, spec: EntitySpec) -> None:
    asyncio.run(_follows(name, spec, [*KILLED, SYNC, READ]))
    asyncio.run(_follows(name, spec, [("slow", COUNT), SYNC, ("wait", 61), SYNC, READ]))


@pytest.mark.parametrize("name", BACKENDS)
def test_no_row_is_older_than_is_said_after_any_history(name: str) -> None:
    @settings(
        max_examples=25,
        phases=(Phase.explicit, Phase.generate),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(spec=st.sampled_from(ENTITIES if name == "typed" else NINE), steps=st.lists(STEPS, min_size=8, max_size=20))
    def follow(spec: EntitySpec, steps: list[tuple[str, int]]) -> None:
        asyncio.run(_follows(name, spec, steps))

    follow()
