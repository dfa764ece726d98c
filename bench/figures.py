"""What a measurement gives, and how it is taken: each side in turn, so that what disturbs one disturbs all."""

import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

type Work = Callable[[int], Awaitable[object]]

REPEATS = 100
_FEWEST = 3
_SECONDS = 1.0
"""A side that took this long in all is repeated no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the report, measured.

    Attributes:
        topic: the table it stands in.
        what: what was measured, as `bench.lines` declares it.
        size: records of what it was measured on, or clients, 0 where that does not matter.
        values: by side: a backend, or `ours` where there is one side alone, and `floor`.
        note: what else should be known, a few words.
    """

    topic: str
    what: str
    size: int
    values: Mapping[str, float]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile, in milliseconds."""

    p50: float
    p95: float


class Timer:
    """Tells seconds: of the clock, or of the processor where other work disturbs the clock."""

    def __init__(self) -> None:
        self.now = time.perf_counter

    def use_processor(self) -> None:
        """Count the seconds of the processor from now on, those of every thread."""
        self.now = time.process_time


TIMER = Timer()


async def side_by_side(
    works: Mapping[str, Work], repeats: int = REPEATS, before: Callable[[], Awaitable[object]] | None = None
) -> dict[str, Spread]:
    """Time the works this many times, one after the other; each is given the number of the repeat.

    What is done before each repeat is not timed.
    """
    taken: dict[str, list[float]] = {name: [] for name in works}
    for repeat in range(repeats):
        if before is not None:
            await before()
        for name, work in works.items():
            if repeat >= _FEWEST and sum(taken[name]) > _SECONDS * 1_000:
                continue
            start = TIMER.now()
            await work(repeat)
            taken[name].append((TIMER.now() - start) * 1_000)
    return {name: spread_of(times) for name, times in taken.items()}


def spread_of(taken: list[float]) -> Spread:
    """Return the spread of times in milliseconds."""
    taken = sorted(taken)
    return Spread(statistics.median(taken), taken[min(len(taken) - 1, int(len(taken) * 0.95))])


def p50(of: Mapping[str, Spread]) -> dict[str, float]:
    """Return the medians."""
    return {name: spread.p50 for name, spread in of.items()}


def p95(of: Mapping[str, Spread]) -> dict[str, float]:
    """Return the 95th percentiles."""
    return {name: spread.p95 for name, spread in of.items()}
