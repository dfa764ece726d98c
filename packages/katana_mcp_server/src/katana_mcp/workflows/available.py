"""What of a variant can be promised at a location, and when: stock and arrivals minus all that is needed. Arithmetic.

A quantity can be promised for the first day from which on nothing that was promised before runs short. What is there
today may be needed later, by somebody to whom something on its way then goes instead: that is said with it.
"""

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Share:
    """What is there from a day on.

    Attributes:
        date: empty for today.
        source: what brings it.
        counts_on: sources of what others get in its place, as they need it themselves; empty where nobody needs it.
    """

    date: str
    quantity: Decimal
    source: object
    counts_on: Sequence[object] = ()


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
        free, unneeded = self._free(), self._unneeded()
        shares, given = list[Share](), Decimal(0)
        for event, there in enumerate(free):
            if given < quantity and there > given:
                shares.extend(self._shares(event, unneeded, given, min(quantity, there)))
                given = min(quantity, there)
        left = free[-1] if free else Decimal(0)
        for share in shares:
            self.add(share.date, -share.quantity)
        return Promised(shares, quantity - given, max(Decimal(0), -left))

    def _shares(self, event: int, unneeded: Sequence[Decimal], begin: Decimal, end: Decimal) -> Iterator[Share]:
        """Yield what an event brings to a quantity, from `begin` to `end` of it: what nobody needs, then the rest."""
        date, _, _, source = self.events[event]
        border = min(max(begin, unneeded[event]), end)
        if begin < border:
            yield Share(date, border - begin, source)
        if border < end:
            later = zip(self.events[event + 1 :], unneeded[event:], strict=False)
            counts_on = [source for (_, _, comes, source), before in later if comes > 0 and before < end]
            yield Share(date, end - border, source, counts_on)

    def _unneeded(self) -> list[Decimal]:
        """Return, for each event, what has come till then beyond all that is needed ever."""
        needed = sum((quantity for _, _, quantity, _ in self.events if quantity < 0), Decimal(0))
        come = accumulate(max(Decimal(0), quantity) for _, _, quantity, _ in self.events)
        return [needed + there for there in come]

    def _free(self) -> list[Decimal]:
        """Return, for each event, the least that is left from it on."""
        left = list(accumulate(quantity for _, _, quantity, _ in self.events))
        return list(accumulate(reversed(left), min))[::-1]
