"""What moves from bin to bin by a plan, and what lies in each bin before and after."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from katana_mcp.references.wording import NamedRecord
from katana_mcp.tools.answers import plain_number
from katana_mcp.values import get_int, rows
from katana_mcp.workflows.bin_transfers.reading import ROWS, BinFacts, moved_quantity
from katana_mcp.workflows.bin_transfers.request import PlanBinTransferRequest

_LEFT = {"CREATED": 0, "IN_TRANSIT": 1, "DONE": 1}
_ARRIVED = {"CREATED": 0, "IN_TRANSIT": 0, "DONE": 1}
"""Whether goods have left their bin, and are in the other, by the status of their transfer."""


@dataclass(frozen=True, slots=True)
class Place:
    """A bin that goods leave or go to: `key` is its id, None for no bin and for one that is to be made."""

    key: int | None
    name: str
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """What moves, from where to where, with its batch or serial numbers; `path` is the argument that asks for it."""

    goods: NamedRecord
    quantity: Decimal
    source: Place
    target: Place
    path: str
    batch: int | None = None
    units: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """What lies in a bin of one item: `path` is the argument that takes from it or adds to it first."""

    summary: str
    after: Decimal
    path: str


NOWHERE = Place(None, "no bin")


def place_of(facts: BinFacts, asked: int | str | None) -> Place | None:
    """Return the bin that is meant; None where several are, or an id that none has. A name that none has is new."""
    if asked is None:
        return NOWHERE
    found = facts.called(asked)
    if len(found) == 1:
        return Place(found[0].id, found[0].name)
    return Place(None, asked, is_new=True) if not found and isinstance(asked, str) else None


def asked_moves(request: PlanBinTransferRequest, facts: BinFacts) -> Iterator[Move]:
    """Yield what the rows of a request move, those that are understood."""
    for nr, row in enumerate(request.rows):
        goods = facts.goods(row.sku_or_variant_id)
        source, target = (place_of(facts, reference) for reference in (row.from_bin, row.to_bin))
        if goods is None or source is None or target is None:
            continue
        lots = [] if row.batch is None else facts.lots(goods.id, row.batch)
        units = tuple(row.serial_number_ids)
        yield Move(goods, row.quantity, source, target, f"rows[{nr}]", lots[0] if lots else None, units)


def old_moves(facts: BinFacts) -> Iterator[Move]:
    """Yield what the rows of the transfer that is to change move."""
    for row in rows(facts.transfer or {}, ROWS):
        key = get_int(row, "variant_id")
        source, target = (get_int(row, f"{end}_bin_location_id") for end in ("source", "target"))
        places = [Place(number, facts.bin_name(number)) for number in (source, target)]
        if key is not None:
            goods = facts.goods(key) or NamedRecord(id=key)
            yield Move(goods, moved_quantity(row), places[0], places[1], "status")


def levels(facts: BinFacts, moves: Sequence[Move], was: str, becomes: str) -> list[Level]:
    """Return what lies in each bin before and after, when a transfer goes from one status to another."""
    changes = dict[tuple[int, Place], Decimal]()
    about = dict[tuple[int, Place], Move]()
    for move in moves:
        out, into = (moved[becomes] - moved.get(was, 0) for moved in (_LEFT, _ARRIVED))
        for place, times in ((move.source, -out), (move.target, into)):
            if times:
                key = (move.goods.id, place)
                changes[key] = changes.get(key, Decimal(0)) + times * move.quantity
                about.setdefault(key, move)
    return [_level(facts, about[key], key[1], change) for key, change in changes.items()]


def left_in(facts: BinFacts, key: int, moves: Sequence[Move], status: str) -> dict[int, Decimal]:
    """Return what lies in a bin once goods have moved, by variant."""
    left = dict(facts.lying.get(key, {}))
    for move in moves:
        for place, times in ((move.source, -_LEFT[status]), (move.target, 1)):
            if place.key == key and times:
                left[move.goods.id] = left.get(move.goods.id, Decimal(0)) + times * move.quantity
    return {variant: amount for variant, amount in left.items() if amount}


def _level(facts: BinFacts, move: Move, place: Place, change: Decimal) -> Level:
    before = Decimal(0) if place.is_new else facts.held.get((move.goods.id, place.key), Decimal(0))
    message = f"{move.goods.called} in {place.name}: {plain_number(before)} → {plain_number(before + change)}"
    return Level(message, before + change if change < 0 else Decimal(0), move.path)
