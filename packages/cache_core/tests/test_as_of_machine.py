"""However a listing is killed, resumed, slow or behind: no row is older than `as_of` says, but for a lag."""

import asyncio
from collections.abc import Awaitable
from datetime import datetime, timedelta

from as_of import Truth, change, change_child, cut_between
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sync_world import COLOUR, GADGET, MAKER, PART, World, settled

from cache_core.spec import EntitySpec, Listed
from cache_core.testing import START

SPECS = (MAKER, GADGET, PART, COLOUR)
COUNT = 520
"""Records of each entity: three pages."""

SPEC = st.sampled_from(SPECS)
NUMBERS = st.integers(1, COUNT) | st.sampled_from([1, 250, 251, 260, 270, 271, 500, COUNT])
LAG = 45.0
"""Less than a delta looks back: what lags farther is found by the deltas that look back far."""


class Reader(RuleBasedStateMachine):
    """People work on a server; a cache follows it, and says how old its rows are."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.lag = 0.0
        self.world = World()
        self.truth = Truth(self.world.source, self.world.clock)
        for spec in SPECS:
            for number in range(1, COUNT + 1):
                self.truth.put(spec, number, START - timedelta(days=2))
            self.truth.put(spec, COUNT, START - timedelta(hours=1))
        self.goes_on()

    def teardown(self) -> None:
        self.loop.close()

    def done[T](self, work: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await work

        return self.loop.run(awaited())

    @rule()
    def goes_on(self) -> None:
        self.world.source.down = None
        self.world.source.before = lambda listed, number: None

    @rule(seconds=st.sampled_from([1, 31, 200, 900]), spec=SPEC, number=NUMBERS)
    def is_slow_while_people_work(self, seconds: int, spec: EntitySpec, number: int) -> None:
        self.world.source.down = None

        def slow(listed: Listed, page: int) -> None:
            self.world.clock.advance(seconds / 2)
            change(self.truth, spec, number)
            self.world.clock.advance(seconds / 2)

        self.world.source.before = slow

    @rule(page=st.integers(1, 3), whole=st.booleans())
    def is_cut(self, page: int, whole: bool) -> None:
        cut_between(self.world.source, page, whole=whole)

    @rule(spec=SPEC, number=NUMBERS)
    def is_changed(self, spec: EntitySpec, number: int) -> None:
        change(self.truth, spec, number)

    @rule(number=NUMBERS)
    def is_changed_in_a_row_alone(self, number: int) -> None:
        change_child(self.truth, PART, number)

    @rule(number=NUMBERS)
    def is_changed_by_hundreds(self, number: int) -> None:
        for spec in SPECS:
            for index in range(1, number, 2):
                change(self.truth, spec, index)

    @rule(seconds=st.sampled_from([1, 20, 61, 130, 700, 86_400]))
    def waits(self, seconds: int) -> None:
        self.world.clock.advance(seconds)

    @rule(lags=st.booleans())
    def lags(self, lags: bool) -> None:
        self.lag = max(self.lag, LAG if lags else 0.0)
        self.world.source.lag = lambda: LAG if lags else 0.0

    @rule(spec=SPEC)
    def syncs(self, spec: EntitySpec) -> None:
        async def one() -> None:
            await self.world.syncer.start(spec.name)
            await settled()

        self.done(one())

    @rule(spec=SPEC)
    def is_read(self, spec: EntitySpec) -> None:
        async def one() -> None:
            await self.world.fresh.ensure([spec.name])
            await settled()

        self.done(one())

    @rule()
    def starts_again(self) -> None:
        self.world.start()

    @invariant()
    def no_row_is_older_than_is_said(self) -> None:
        for spec in SPECS:
            as_of = self.done(self.world.cache.state(spec.name)).completed_at
            if as_of is not None:
                said = datetime.fromisoformat(as_of) - timedelta(seconds=self.lag)
                assert self.done(self.truth.older(self.world.cache, spec, said)) == []


Reader.TestCase.settings = settings(
    max_examples=15,
    stateful_step_count=25,
    phases=(Phase.explicit, Phase.generate),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestReader = Reader.TestCase
