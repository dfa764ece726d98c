"""Whether another server counts as there: no single failure closes the gate, and no single answer opens it again."""

from dataclasses import dataclass
from typing import Literal

type State = Literal["starting", "up", "down"]

_FAILURES = 2


@dataclass(slots=True)
class Gate:
    """Open from the start, on what was adopted; closed by two failures, opened again by two equal listings.

    Attributes:
        state: `starting` until it was reached for the first time.
        reason: of the last failure.
    """

    state: State = "starting"
    reason: str = ""
    _failures: int = 0
    _listing: str | None = None

    def succeeded(self, listing: str) -> None:
        """Note a listing, by its hash."""
        agrees = self.state != "down" or self._listing == listing
        self._failures, self._listing = 0, listing
        if agrees:
            self.state, self.reason = "up", ""

    def failed(self, reason: str) -> None:
        """Note that there was no listing, and why."""
        self._failures += 1
        self.reason, self._listing = reason, None
        if self._failures >= _FAILURES:
            self.state = "down"
