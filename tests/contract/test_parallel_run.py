"""Ten thousand reads, as people and tools make them, answered by both sides of each parallel run."""

import itertools
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from cache_core.clock import SystemClock
from cache_core.compared import ComparedBackend, Comparison
from cache_core.errors import CacheUnavailable
from cache_core.protocol import CacheBackend, Search
from cache_core.readmix import Read, reads_of
from katana_mcp.caches.backends import BACKENDS

from .backends import CATALOGUE, in_turn, plain
from .catalogue import fill
from .entities import NINE

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3_600)]

VARIANTS = 5_000
COMPARISONS = 10_000
PAIRS = tuple(itertools.permutations(BACKENDS, 2))


class Kept:
    """Keeps what a parallel run found."""

    def __init__(self) -> None:
        self.comparisons: list[Comparison] = []

    def record(self, comparison: Comparison) -> None:
        self.comparisons.append(comparison)

    def unexplained(self) -> list[Comparison]:
        return [comparison for comparison in self.comparisons if comparison.mismatch or comparison.error]


class Failing:
    """A backend whose reads all fail, for a trial that must not be noticed."""

    def __init__(self, backend: CacheBackend) -> None:
        self.backend = backend
        self.failing = False

    def __getattr__(self, name: str) -> object:
        if self.failing and name in {"get_many", "find_by_key", "select", "count", "search"}:
            raise CacheUnavailable("sick")
        return getattr(self.backend, name)


@pytest.fixture(params=[pytest.param(pair, id=f"compare:{pair[0]}", marks=in_turn(pair[0])) for pair in PAIRS])
async def sides(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[tuple[CacheBackend, CacheBackend]]:
    """Return the answering backend and the trial, open and filled with the same catalogue."""
    both = [plain(name, CATALOGUE, tmp_path) for name in request.param]
    for backend in both:
        await backend.open()
        await fill(backend, VARIANTS)
    yield both[0], both[1]
    for backend in both:
        await backend.close()


async def mixed(cache: CacheBackend, count: int, seed: int) -> list[Read]:
    """Return reads of all entities: half of variants, the rest in equal parts."""
    reads: list[Read] = []
    for spec in NINE:
        share = count // 2 if spec.name == "variant" else -(-count // 2 // (len(NINE) - 1))
        reads += await reads_of(spec, cache, share, seed)
    return reads


async def seconds(backend: CacheBackend, reads: list[Read]) -> list[float]:
    """Return how long the caller waited for each read; a trial is let finish in between."""
    taken: list[float] = []
    for read in reads:
        start = time.perf_counter()
        await read.ask(backend)
        taken.append(time.perf_counter() - start)
        if isinstance(backend, ComparedBackend):
            await backend.settle()
    return taken


async def test_ten_thousand_reads_are_answered_alike(sides: tuple[CacheBackend, CacheBackend]) -> None:
    kept = Kept()
    compared = ComparedBackend(*sides, kept, SystemClock())
    reads = await mixed(sides[0], COMPARISONS, 1)
    for read in reads:
        await read.ask(compared)
        await compared.settle()
    counts = Counter(comparison.operation for comparison in kept.comparisons)
    sys.stderr.write(f"\n  {sides[0].name} answers: {counts.total():,} comparisons {dict(counts)}\n")
    assert kept.unexplained() == []
    assert counts.total() == len(reads) >= COMPARISONS


@pytest.mark.alone
async def test_a_caller_waits_no_longer_than_twice_as_long(sides: tuple[CacheBackend, CacheBackend]) -> None:
    compared = ComparedBackend(*sides, Kept(), SystemClock())
    reads = await mixed(sides[0], 2_000, 2)
    await seconds(sides[0], reads)
    alone, beside = await seconds(sides[0], reads), await seconds(compared, reads)
    ratio, middle = sum(beside) / sum(alone), statistics.median(beside) / statistics.median(alone)
    sys.stderr.write(
        f"\n  {sides[0].name} answers: a caller waits {ratio:.2f} times as long, {middle:.2f} in the median\n"
    )
    assert ratio <= 2


async def test_what_the_trial_raises_never_reaches_the_caller(sides: tuple[CacheBackend, CacheBackend]) -> None:
    kept, trial = Kept(), Failing(sides[1])
    compared = ComparedBackend(sides[0], trial, kept, SystemClock())  # pyright: ignore[reportArgumentType] # ty: ignore[invalid-argument-type] - it passes every name on
    trial.failing = True
    reads = await mixed(sides[0], 500, 3)
    assert [await read.ask(compared) for read in reads] == [await read.ask(sides[0]) for read in reads]
    await compared.search("variant", Search("x"))
    await compared.settle()
    assert len(kept.unexplained()) == len(reads) + 1
