"""What of a variant is free at the company's other locations, and the stock transfers that would bring it.

Free is what is in stock, not committed, and more than the location is to keep itself; what is on its way is not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from cache_core.conditions import OneOf, Order
from cache_core.protocol import Selected, Selection, Stored
from cache_core.records import Record
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services
from katana_mcp.workflows.elsewhere import Move, is_idle, moves_of, spread
from katana_mcp.workflows.requirements import Level, Place

_MOST = 10_000
_NOTHING = Decimal(0)
_DRAFT = Selection(
    (OneOf("status", ("draft",)),),
    Order("id"),
    _MOST,
    fields=frozenset(
        (
            *("source_location_id", "target_location_id"),
            *("stock_transfer_rows[].variant_id", "stock_transfer_rows[].quantity"),
        )
    ),
)
_LOCATIONS = Selection((), Order("id"), _MOST, fields=frozenset(("id", "name", "manufacturing_allowed")))
TRANSFERS = (Selected("location", _LOCATIONS), Selected("stock_transfer", _DRAFT))
"""Live locations and draft stock transfers, as `transfers_in` takes them."""


class FreeElsewhere(NamedTuple):
    """Stock of a variant at another location, in the item's unit, that neither orders nor its reorder point need."""

    location_id: int
    location: str | None
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class FreeStock:
    """Free stock of variants.

    Attributes:
        by_variant: by location, what is free there.
        names: of live locations, by id; nothing is transferred from or to others.
    """

    by_variant: Mapping[int, Mapping[int, Decimal]]
    names: Mapping[int, str | None]

    def elsewhere(self, place: Place) -> list[FreeElsewhere]:
        """Return what is free of a place's variant at every other location, the most first."""
        found = self.by_variant.get(place[0]) if place[1] in self.names else None
        return [
            FreeElsewhere(location, self.names.get(location), quantity)
            for location, quantity in sorted((found or {}).items(), key=lambda item: (-item[1], item[0]))
            if location != place[1] and quantity > 0
        ]


class Transfers(NamedTuple):
    """What draft stock transfers move, of which Katana commits and expects nothing; and between what they may.

    Attributes:
        names: of live locations, by id.
        leaving: what drafts take away, by place.
        coming: what they bring.
        idle: locations at which Katana allows no manufacturing.
    """

    names: Mapping[int, str | None]
    leaving: Mapping[Place, Decimal]
    coming: Mapping[Place, Decimal]
    idle: frozenset[int] = frozenset()


async def read_transfers(services: Services) -> Transfers:
    """Return what draft stock transfers move; one read. Locations and stock transfers are current."""
    return transfers_in(*(await services.cache.read(TRANSFERS)))


def transfers_in(locations: Sequence[Stored], transfers: Sequence[Stored]) -> Transfers:
    """Return what these draft stock transfers move between these locations."""
    names = {row.id: text(row.record, "name") for row in locations if isinstance(row.id, int)}
    idle = {row.id for row in locations if is_idle(row.record)}
    return drafted_transfers(names, [row.record for row in transfers])._replace(idle=frozenset(names) & idle)


def drafted_transfers(names: Mapping[int, str | None], transfers: Sequence[Record]) -> Transfers:
    """Return what these draft stock transfers move between locations with these names."""
    moves = [move for move in chain.from_iterable(map(moves_of, transfers)) if move.source in names]
    leaving = [((move.variant, move.source), move.quantity) for move in moves]
    coming = [((move.variant, move.destination), move.quantity) for move in moves]
    return Transfers(names, added(leaving), added(coming))


def added(quantities: Iterable[tuple[Place, Decimal]]) -> Mapping[Place, Decimal]:
    """Return the sum of the quantities of each place."""
    found = dict[Place, Decimal]()
    for place, quantity in quantities:
        found[place] = found.get(place, _NOTHING) + quantity
    return found


def free_stock(levels: Mapping[Place, Level], transfers: Transfers, used: Mapping[Place, Decimal]) -> FreeStock:
    """Return what is free: in stock less committed, less the target of the location, less what drafts and others take.

    Args:
        levels: stock at every location, with all that is committed.
        transfers: what drafts take away.
        used: what else will be taken, by place, such as by what has to be made there.
    """
    found: dict[int, dict[int, Decimal]] = {}
    for place, level in levels.items():
        taken = level.committed + level.target + transfers.leaving.get(place, _NOTHING) + used.get(place, _NOTHING)
        if place[1] in transfers.names and level.in_stock > taken:
            found.setdefault(place[0], {})[place[1]] = level.in_stock - taken
    return FreeStock(found, transfers.names)


@dataclass(slots=True)
class Bringing:
    """What is brought of free stock; each piece to one place.

    Attributes:
        free: what is free before anything is brought.
        moves: what is brought, by where it is brought.
    """

    free: FreeStock
    moves: dict[Place, Sequence[Move]] = field(default_factory=dict[Place, Sequence[Move]])
    _taken: dict[Place, Decimal] = field(default_factory=dict[Place, Decimal])

    def left(self, place: Place) -> Mapping[Place, Decimal]:
        """Return what is still free of a place's variant at every other location."""
        there = ((place[0], at.location_id, at.quantity) for at in self.free.elsewhere(place))
        return {(variant, at): quantity - self._taken.get((variant, at), _NOTHING) for variant, at, quantity in there}

    def covers(self, place: Place, short: Decimal) -> bool:
        """Bring all that is short at a place, or nothing; return whether it is brought."""
        moves = spread({place: short}, self.left(place))
        if not moves or sum(move.quantity for move in moves) < short:
            return False
        self.moves[place] = moves
        for move in moves:
            source = move.variant, move.source
            self._taken[source] = self._taken.get(source, _NOTHING) + move.quantity
        return True

    def rest(self) -> FreeStock:
        """Return what is free besides."""
        left = {
            variant: {at: quantity - self._taken.get((variant, at), _NOTHING) for at, quantity in by_location.items()}
            for variant, by_location in self.free.by_variant.items()
        }
        return FreeStock(left, self.free.names)
