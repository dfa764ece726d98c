"""What of a variant can be promised at a location, and when: stock and arrivals minus all that is needed. Arithmetic.

A quantity can be promised for the first day from which on nothing that was promised before runs short.
"""

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Share:
    """What is there from a day on: `date` is empty for today; `source` is what brings it."""

    date: str
    quantity: Decimal
    source: object


@dataclass(frozen=True, slots=True)
class Promised:
    """How a quantity comes together.

    Attributes:
        shares: by day.
        lacking: what neither stock nor arrivals cover.
        backlog: what orders that are there already lack themselves; whatever comes next is theirs first.
    """

    shares: Sequence[Share]
    lacking: Decimal
    backlog: Decimal


@dataclass(slots=True)
class Ledger:
    """Stock of a variant at a location over the days to come; dates are texts that sort, empty for now."""

    events: list[tuple[str, bool, Decimal, object]] = field(default_factory=list[tuple[str, bool, Decimal, object]])

    def add(self, date: str, quantity: Decimal, source: object = None) -> None:
        """Note what comes on a day, or goes where it is less than nothing; what comes is there before what goes."""
        insort(self.events, (date, quantity < 0, quantity, source), key=lambda event: event[:2])

    def promise(self, quantity: Decimal) -> Promised:
        """Return how so much comes together, and hold it: later questions find it gone."""
        free = self._free()
        shares, given = list[Share](), Decimal(0)
        for (date, _, _, source), there in zip(self.events, free, strict=True):
            if given < quantity and there > given:
                shares.append(Share(date, min(quantity, there) - given, source))
                given = min(quantity, there)
        left = free[-1] if free else Decimal(0)
        for share in shares:
            self.add(share.date, -share.quantity)
        return Promised(shares, quantity - given, max(Decimal(0), -left))

    def _free(self) -> list[Decimal]:
        """Return, for each event, the least that is left from it on."""
        left = list(accumulate(quantity for _, _, quantity, _ in self.events))
        return list(accumulate(reversed(left), min))[::-1]
