"""What is refreshed ahead of reads keeps within the age that it may reach where Katana is slow."""

from datetime import datetime, timedelta

import pytest

from cache_core.memory import MemoryBackend
from cache_core.spec import Listed
from cache_core.specs import SPECS
from cache_core.specs.stock import STOCK
from cache_core.sync import FreshReads, SourcePage, Syncer, Window
from cache_core.testing import FakeSource, ManualClock

FRESH_FOR = {spec.name: spec.fresh_for for spec in SPECS if spec is not STOCK}
ROUNDS = 40


class Slow(FakeSource):
    """A source that takes so many seconds for an answer."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.time = clock
        self.seconds = 0.0

    async def page(self, listed: Listed, window: Window, since: str | None) -> SourcePage:
        self.time.advance(self.seconds)
        return await super().page(listed, window, since)


@pytest.mark.parametrize("seconds", [0.5, 5.0])
async def test_with_a_slow_source_nothing_grows_older_than_twice_what_is_fresh_and_a_minute(seconds: float) -> None:
    clock = ManualClock()
    source, cache = Slow(clock), MemoryBackend(SPECS)
    reads = FreshReads(Syncer(SPECS, source, cache, clock), cache, clock)
    await reads.keep_fresh(FRESH_FOR)
    source.seconds = seconds
    for _ in range(ROUNDS):
        clock.advance((await reads.keep_fresh(FRESH_FOR)).rest)
        for name, fresh_for in FRESH_FOR.items():
            age = clock.now() - datetime.fromisoformat((await cache.state(name)).completed_at or "")
            assert age <= 2 * fresh_for + timedelta(minutes=1), name
    assert len(source.requests) > 10 * len(FRESH_FOR)
