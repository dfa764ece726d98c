"""The budget of each key: a fixed window that its first request opens."""

import math
from dataclasses import dataclass
from datetime import datetime

from katana_sandbox.wire.times import epoch_ms

_PLENTY = 1_000_000


@dataclass(slots=True)
class _Window:
    opened: float
    used: int = 0


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
        self._windows: dict[str, _Window] = {}

    def spend(self, key: str, seconds: float, limit: int, window: float) -> Budget:
        """Take one request from a key's budget; a refused one takes nothing."""
        if limit == 0:
            return Budget(_PLENTY, _PLENTY, window, granted=True)
        held = self._windows.get(key)
        if held is None or seconds - held.opened >= window:
            held = self._windows[key] = _Window(seconds)
        granted = held.used < limit
        held.used += granted
        return Budget(limit, limit - held.used, held.opened + window - seconds, granted)
