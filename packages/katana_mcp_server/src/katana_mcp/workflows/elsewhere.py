"""Goods that lack at one location and are free at another: to be moved there, instead of bought or waited for."""

from collections.abc import Container, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import chain, groupby
from typing import NamedTuple

from cache_core.records import Record, is_set
from katana_mcp.references.display_names import Names
from katana_mcp.references.services import Services
from katana_mcp.tools.answers import Answer, Number, plain_number
from katana_mcp.tools.warnings import ToolWarning, truncated
from katana_mcp.values import get_bool, get_int, number, rows
from katana_mcp.workflows.requirements import Place

MOST_MOVES = 20
"""Goods that are named, and that are in the calls of an answer."""


class Move(NamedTuple):
    """How much of a variant, in its stock unit, would go from one location to another."""

    variant: int
    source: int
    destination: int
    quantity: Decimal


class Elsewhere(Answer):
    """What lacks at `target_location` and is free at `source_location`."""

    variant_id: int
    sku: str | None = None
    quantity: Number
    source_location_id: int
    source_location: str | None = None
    target_location_id: int
    target_location: str | None = None


def spread(missing: Mapping[Place, Decimal], free: Mapping[Place, Decimal]) -> list[Move]:
    """Return what covers as much as there is, each piece once: of each variant from where most of it is free."""
    left = {place: quantity for place, quantity in free.items() if quantity > 0}
    found = list[Move]()
    for (variant, here), quantity in missing.items():
        lacks = quantity
        there = [place for place in left if place[0] == variant and place[1] != here]
        for place in sorted(there, key=lambda place: (-left[place], place)):
            part = min(lacks, left[place])
            if part > 0:
                found.append(Move(variant, place[1], here, part))
                left[place] -= part
                lacks -= part
    return found


def is_idle(location: Record) -> bool:
    """Return whether Katana allows no manufacturing at a location."""
    return get_bool(location, "manufacturing_allowed") is False


def live_locations(names: Names) -> frozenset[int]:
    """Return the ids of the locations that are known here, and not deleted."""
    found = (record for record in names.of("location") if not is_set(record, "deleted_at"))
    return frozenset(key for record in found if (key := get_int(record, "id")) is not None)


def moves(
    missing: Mapping[Place, Decimal],
    free: Mapping[Place, Decimal],
    drafts: Sequence[Record],
    locations: Container[int],
) -> list[Move]:
    """Return what could be moved to where it lacks, besides what these draft stock transfers move already.

    Args:
        missing: what lacks, by place.
        free: what is free, by place.
        drafts: stock transfers.
        locations: those between which something can be moved; a deleted one is not among them.
    """
    lacks, left = ({place: some for place, some in of.items() if place[1] in locations} for of in (missing, free))
    drafted = (move for move in chain.from_iterable(map(moves_of, drafts)) if move.source in locations)
    for draft in drafted:
        for places, location in ((left, draft.source), (lacks, draft.destination)):
            if (place := (draft.variant, location)) in places:
                places[place] -= draft.quantity
    return spread(lacks, left)


def moves_of(transfer: Record) -> Iterator[Move]:
    """Yield what a stock transfer moves."""
    source, destination = get_int(transfer, "source_location_id"), get_int(transfer, "target_location_id")
    for row in rows(transfer, "stock_transfer_rows"):
        variant, quantity = get_int(row, "variant_id"), number(row, "quantity")
        if source is not None and destination is not None and variant is not None and quantity is not None:
            yield Move(variant, source, destination, quantity)


def shown(found: Sequence[Move], names: Names) -> list[Elsewhere] | None:
    """Return the first of them as they are shown; None where there are none."""
    return [
        Elsewhere(
            variant_id=move.variant,
            sku=names.sku(move.variant),
            quantity=move.quantity,
            source_location_id=move.source,
            source_location=names.name("location", move.source),
            target_location_id=move.destination,
            target_location=names.name("location", move.destination),
        )
        for move in found[:MOST_MOVES]
    ] or None


def left_out(found: Sequence[Move]) -> list[ToolWarning]:
    """Return that some of them are not named."""
    message = f"elsewhere names {MOST_MOVES} of {len(found)} goods that are free at another location"
    return [truncated(message)] if len(found) > MOST_MOVES else []


def transfers(found: Sequence[Move], services: Services) -> list[str]:
    """Return the calls that plan to move what is named, one for each way; none where nothing may be written."""
    return [] if services.read_only else [f"{call}: it is free there" for call in calls(found[:MOST_MOVES])]


def calls(found: Sequence[Move]) -> list[str]:
    """Return the calls of `create_stock_transfer` that plan these moves, one for each two locations."""
    by_way = groupby(sorted(found, key=_way), key=_way)
    return [_planned(source, destination, tuple(some)) for (source, destination), some in by_way]


def _way(move: Move) -> tuple[int, int]:
    return move.source, move.destination


def _planned(source: int, destination: int, moved: Sequence[Move]) -> str:
    lines = [{"sku_or_variant_id": move.variant, "quantity": plain_number(move.quantity)} for move in moved]
    way = f"source_location_id={source}, destination_location_id={destination}"
    return f"create_stock_transfer({way}, rows={lines})"
