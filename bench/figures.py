"""What a measurement gives: figures with their floor of the same run and their goal; and how they are taken."""

import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Literal

type Work = Callable[[int], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the report.

    Attributes:
        topic: the table it stands in.
        what: what was measured.
        size: records of the cache or the factory it was measured on, 0 where that does not matter.
        value: the figure.
        unit: `ms`, `rows/s`, `MB`, `bytes`, `s`, `requests`.
        floor: the same work by plain means in the same run, or None without one.
        goal: what it is to reach, or None; an upper bound, for rates a lower one.
        note: what else should be known, a few words.
    """

    topic: str
    what: str
    size: int
    value: float
    unit: str
    floor: float | None = None
    goal: float | None = None
    note: str = ""

    @property
    def is_rate(self) -> bool:
        """Whether more is better."""
        return self.unit.endswith("/s")

    @property
    def ratio(self) -> float | None:
        """Return how many times the floor's cost this is, or None without a floor."""
        if not self.floor or not self.value:
            return None
        return self.floor / self.value if self.is_rate else self.value / self.floor

    @property
    def met(self) -> bool | None:
        """Return whether the goal is met, or None without one."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.is_rate else self.value <= self.goal

    def as_dict(self) -> dict[str, object]:
        """Return what a program reads."""
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile, in milliseconds."""

    p50: float
    p95: float


async def spread(work: Work, repeats: int = 100) -> Spread:
    """Time the work this many times; it is given the number of the repeat."""
    taken: list[float] = []
    for each in range(repeats):
        start = time.perf_counter()
        await work(each)
        taken.append((time.perf_counter() - start) * 1_000)
    return spread_of(taken)


def spread_of(taken: list[float]) -> Spread:
    """Return the spread of times in milliseconds."""
    taken = sorted(taken)
    return Spread(statistics.median(taken), taken[min(len(taken) - 1, int(len(taken) * 0.95))])


def pick(kind: Literal["p50", "p95"], of: Spread) -> float:
    """Return one of the two."""
    return of.p50 if kind == "p50" else of.p95
