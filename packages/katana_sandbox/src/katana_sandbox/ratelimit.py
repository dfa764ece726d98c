"""The budget of each key: a fixed window that its first request opens."""

import math
from collections import defaultdict, deque
from dataclasses import dataclass
from datetime import datetime

from katana_sandbox.wire.times import epoch_ms

_PLENTY = 1_000_000


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many requests a window of so many seconds takes."""

    limit: int
    window: float


@dataclass(frozen=True, slots=True)
class Budget:
    """What a key has left. `reset_in` is in seconds."""

    limit: int
    remaining: int
    reset_in: float
    granted: bool

    def headers(self, now: datetime) -> dict[str, str]:
        """The rate headers; Reset is in epoch milliseconds."""
        shown = {
            "X-Ratelimit-Limit": str(self.limit),
            "X-Ratelimit-Remaining": str(self.remaining),
            "X-Ratelimit-Reset": str(epoch_ms(now) + math.ceil(self.reset_in * 1000)),
        }
        if not self.granted:
            shown["Retry-After"] = str(max(1, math.ceil(self.reset_in)))
        return shown


class RateLimiter:
    """Counts by key."""

    def __init__(self) -> None:
        self._spent: defaultdict[str, deque[float]] = defaultdict(deque)

    def spend(self, key: str, seconds: float, allowance: Allowance) -> Budget:
        """Take one request from a key's budget; a refused one takes nothing."""
        limit, window = allowance.limit, allowance.window
        if limit == 0:
            return Budget(_PLENTY, _PLENTY, window, granted=True)
        spent = self._spent[key]
        if spent and seconds - spent[0] >= window:
            spent.clear()
        granted = len(spent) < limit
        if granted:
            spent.append(seconds)
        return Budget(limit, max(0, limit - len(spent)), spent[0] + window - seconds, granted)
