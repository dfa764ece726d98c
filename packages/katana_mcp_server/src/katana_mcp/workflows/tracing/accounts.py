"""What became of each lot, added up: what came in is what went out, what is left, and what nothing accounts for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from katana_mcp.workflows.tracing.events import Event, Lot
from katana_mcp.workflows.tracing.walk import Step

_NONE = Decimal(0)


@dataclass(slots=True)
class Account:
    """Sums of the events of a lot, in the stock unit.

    Attributes:
        adjusted: what adjustments brought, less what they took.
        in_transit: what has left a location and not arrived.
    """

    received: Decimal = _NONE
    made: Decimal = _NONE
    returned: Decimal = _NONE
    adjusted: Decimal = _NONE
    used: Decimal = _NONE
    shipped: Decimal = _NONE
    reserved: Decimal = _NONE
    in_transit: Decimal = _NONE

    def add(self, event: Event) -> None:
        """Take an event; what is not settled has not changed the stock, but for a transfer on its way."""
        if event.kind == "transferred":
            self.in_transit += _NONE if event.is_settled else event.quantity
        elif event.is_settled:
            setattr(self, event.kind, getattr(self, event.kind) + event.quantity)

    def unaccounted(self, in_stock: Decimal | None) -> Decimal | None:
        """Return what came in and is neither gone nor there; below 0 where more went than came."""
        if in_stock is None:
            return None
        came = self.received + self.made + self.returned + self.adjusted
        return came - self.used - self.shipped - self.in_transit - in_stock


def accounts_of(events: Mapping[Lot, Sequence[Event]], lots: Iterable[Lot]) -> dict[Lot, Account]:
    """Return the account of each of these lots, over all of its events."""
    found: dict[Lot, Account] = {}
    for lot in lots:
        account = found[lot] = Account()
        for event in events.get(lot, ()):
            account.add(event)
    return found


type Sold = tuple[int | None, int]
"""Customer and variant."""


@dataclass(slots=True)
class Delivery:
    """What went to a customer of a variant, and what came back of it.

    Attributes:
        orders: numbers of the sales orders, by their ids.
    """

    shipped: Decimal = _NONE
    returned: Decimal = _NONE
    orders: dict[int, str | None] = field(default_factory=dict[int, str | None])


def deliveries(steps: Iterable[Step]) -> dict[Sold, Delivery]:
    """Return what the steps shipped and took back, by customer and variant."""
    found: dict[Sold, Delivery] = {}
    for event in (step.event for step in steps if step.direction != "up"):
        if event.kind not in {"shipped", "returned"}:
            continue
        delivery = found.setdefault((event.document.party_id, event.lot.variant_id), Delivery())
        if event.kind == "returned":
            delivery.returned += event.quantity
        else:
            delivery.shipped += event.quantity
            delivery.orders[event.document.id] = event.document.number
    return found
