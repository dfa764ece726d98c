"""What of a variant can be promised at a location, and when: stock and arrivals minus all that is needed. Arithmetic.

Whoever asks comes after every need that is there already, whenever that is due: Katana books goods by the rank of
orders, not by their dates.
"""

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple


class Share(NamedTuple):
    """What is there from a day on.

    Attributes:
        date: empty for today.
        source: what brings it; None of stock.
    """

    date: str
    quantity: Decimal
    source: object


class Promised(NamedTuple):
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
    """Stock of a variant at a location over the days to come; dates are texts that sort, empty for now.

    Attributes:
        supply: what comes, by day.
        needed: what others get first.
    """

    supply: list[Share] = field(default_factory=list[Share])
    needed: Decimal = Decimal(0)

    def add(self, date: str, quantity: Decimal, source: object = None) -> None:
        """Note what comes on a day; what is less than nothing is needed."""
        if quantity < 0:
            self.needed -= quantity
        elif quantity > 0:
            insort(self.supply, Share(date, quantity, source), key=lambda share: share.date)

    def promise(self, quantity: Decimal, taken: Decimal = Decimal(0)) -> Promised:
        """Return how so much comes together once as much as was `taken` is gone."""
        shares, given, there = list[Share](), Decimal(0), -self.needed - taken
        for share in self.supply:
            there += share.quantity
            more = min(quantity, there) - given
            if more > 0:
                shares.append(Share(share.date, more, share.source))
                given += more
        return Promised(shares, quantity - given, max(Decimal(0), -there))

    def free_now(self, taken: Decimal = Decimal(0)) -> Decimal:
        """Return what stock has beyond all that is needed, once as much as was `taken` is gone; it may lack."""
        stock = sum(share.quantity for share in self.supply if share.source is None and not share.date)
        return stock - self.needed - taken
