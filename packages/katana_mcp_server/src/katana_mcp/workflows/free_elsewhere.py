"""What of a variant is free at the company's other locations, and the stock transfers that would bring it.

Free is what is in stock, not committed, and more than the location is to keep itself; what is on its way is not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from cache_core.conditions import OneOf, Order
from cache_core.protocol import Selected, Selection
from cache_core.records import Record
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services
from katana_mcp.workflows.elsewhere import MOST_MOVES, Move, moves_of, spread
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
_LOCATIONS = Selection((), Order("id"), _MOST, fields=frozenset(("id", "name")))


class FreeElsewhere(NamedTuple):
    """Stock of a variant at another location, in the item's unit, that neither orders nor its reorder point need."""

    location_id: int
    location: str | None
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class FreeStock:
    """Free stock of variants.

    Attributes:
        by_variant: by location, what is free there; only what is more than nothing.
        names: of live locations, by id; what lies at others cannot be transferred.
        drafted: what draft stock transfers are to bring, by place: Katana does not expect it.
    """

    by_variant: Mapping[int, Mapping[int, Decimal]]
    names: Mapping[int, str | None]
    drafted: Mapping[Place, Decimal]

    def elsewhere(self, place: Place) -> list[FreeElsewhere]:
        """Return what is free of a place's variant at every other location, the most first."""
        found = self.by_variant.get(place[0], {})
        return [
            FreeElsewhere(location, self.names.get(location), quantity)
            for location, quantity in sorted(found.items(), key=lambda item: (-item[1], item[0]))
            if location != place[1]
        ]


async def read_free_stock(
    levels: Mapping[Place, Level], services: Services, used: Mapping[Place, Decimal] | None = None
) -> FreeStock:
    """Return what is free of these levels; one read in all.

    Args:
        levels: stock at every location, with all that is committed.
        services: the tenant's services; locations and stock transfers are current.
        used: what else will be taken, by place, such as by what has to be made there.
    """
    locations, transfers = await services.cache.read(
        [Selected("location", _LOCATIONS), Selected("stock_transfer", _DRAFT)]
    )
    names = {row.id: text(row.record, "name") for row in locations if isinstance(row.id, int)}
    return free_stock(levels, names, [row.record for row in transfers], used or {})


def free_stock(
    levels: Mapping[Place, Level],
    names: Mapping[int, str | None],
    transfers: Sequence[Record],
    used: Mapping[Place, Decimal],
) -> FreeStock:
    """Return what is free: in stock less committed, less the target of the location, less what drafts and others take.

    Args:
        levels: stock, by place.
        names: of live locations, by id.
        transfers: draft stock transfers; Katana commits nothing to them.
        used: what else will be taken, by place.
    """
    leaving, coming = _moved(transfers)
    found: dict[int, dict[int, Decimal]] = {}
    for place, level in levels.items():
        taken = level.committed + level.target + leaving.get(place, _NOTHING) + used.get(place, _NOTHING)
        if place[1] in names and level.in_stock > taken:
            found.setdefault(place[0], {})[place[1]] = level.in_stock - taken
    return FreeStock(found, names, coming)


def _moved(transfers: Sequence[Record]) -> tuple[Mapping[Place, Decimal], Mapping[Place, Decimal]]:
    """Return how much transfers take away, and how much they bring, by place."""
    leaving, coming = dict[Place, Decimal](), dict[Place, Decimal]()
    for move in chain.from_iterable(map(moves_of, transfers)):
        for moved, location in ((leaving, move.source), (coming, move.destination)):
            moved[move.variant, location] = moved.get((move.variant, location), _NOTHING) + move.quantity
    return leaving, coming


def covering_moves(short: Iterable[tuple[Place, Decimal]], free: FreeStock) -> list[Move]:
    """Return what brings what is short.

    What is free covers all that is short at a place, or none of it is brought there; nothing is brought to two places.

    Args:
        short: places, and how much is short there in the item's unit; the first are served first.
        free: what is free.
    """
    left = {variant: dict(by_location) for variant, by_location in free.by_variant.items()}
    found = list[Move]()
    for place, quantity in short:
        variant = place[0]
        moves = spread({place: quantity}, {(variant, at): there for at, there in left.get(variant, {}).items()})
        if sum(move.quantity for move in moves) < quantity:
            continue
        if len(found) + len(moves) > MOST_MOVES:
            break
        for move in moves:
            left[variant][move.source] -= move.quantity
        found += moves
    return found
