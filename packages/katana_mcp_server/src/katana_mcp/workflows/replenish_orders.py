"""Requirements as lines of draft purchase orders with their reasons; what has to be made, what cannot be ordered."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from cache_core.records import Record, is_set
from katana_mcp.references.display_names import Names, text
from katana_mcp.references.purchasable import PurchasableVariant, is_gone, is_supplier_deleted, purchasable_variant
from katana_mcp.tools.answers import Answer, Number, plain_number, so_many
from katana_mcp.tools.days import Days
from katana_mcp.values import EMPTY, get_bool, get_int
from katana_mcp.workflows.elsewhere import Move
from katana_mcp.workflows.free_elsewhere import Bringing, FreeStock
from katana_mcp.workflows.needs import Need, Needs
from katana_mcp.workflows.order_quantities import order_line, price_of, purchase_unit, rate_of
from katana_mcp.workflows.promising import MOST_DAYS
from katana_mcp.workflows.requirements import Coming, Place, Requirement, Requirements

_NAMED = 2
_LEAD_TIME = 14
"""Days that Katana reckons with where neither the item nor the factory says any."""


class OrderedLine(Answer):
    """A row of a draft purchase order."""

    variant_id: int
    sku: str | None = None
    name: str | None = None
    quantity: Number
    """In purchase units."""
    uom: str | None = None
    purchase_uom: str | None = None
    """Where it is not the item's unit."""
    purchase_uom_conversion_rate: Number | None = None
    """Item's units in one."""
    price: Number | None = None
    line_value: Number | None = None
    """Without tax."""
    arrival_date: str
    late: bool | None = None
    """An order needs it earlier."""
    short: Number
    """In the item's unit."""
    reason: str


type OrderKey = tuple[int, int]
"""Supplier and location."""


class Transfer(NamedTuple):
    """What brings all that is short at a place from other locations, and how much that is in a phrase."""

    phrase: str
    moves: Sequence[Move]


@dataclass(slots=True)
class Proposal:
    """What is short, by what is to be done about it."""

    orders: dict[OrderKey, list[OrderedLine]] = field(default_factory=dict[OrderKey, list[OrderedLine]])
    to_make: list[str] = field(default_factory=list[str])
    """What has to be made, a phrase each: its ingredients are counted."""
    cannot_order: list[str] = field(default_factory=list[str])
    """What is short and cannot be ordered, a phrase each."""
    drafted: int = 0
    """What drafts cover already."""
    to_transfer: list[Transfer] = field(default_factory=list[Transfer])
    """What is brought from other locations: it is neither ordered nor made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a proposal is made from.

    Attributes:
        names: of all that is short, with suppliers, locations and the factory.
        needs: who waits for it.
        drafted: what drafts bring, by place.
        free: what is free at each location.
        made: variants that are made by a bill of materials.
        suppliers: only these; every one where it is empty.
        days: of the factory.
        now: the moment.
        idle: locations at which Katana allows no manufacturing.
        moves: what is brought from other locations, by where it is brought.
    """

    names: Names
    needs: Needs
    drafted: Mapping[Place, Decimal]
    free: FreeStock
    made: frozenset[int]
    suppliers: frozenset[object]
    days: Days
    now: datetime
    idle: frozenset[int] = frozenset()
    moves: Mapping[Place, Sequence[Move]] = field(default_factory=dict[Place, Sequence[Move]])


def balanced(required: Requirements, situation: Situation, again: Callable[[Coming], Requirements]) -> Proposal:
    """Return what is to be ordered and made, and what is brought from other locations instead of that.

    Args:
        required: what is short if nothing is brought.
        situation: what a proposal is made from, before anything is brought.
        again: returns what is short if so much comes besides; what is brought needs no ingredients.
    """
    bringing = Bringing(situation.free)
    known = {requirement.place for requirement in required.found if requirement.level is not None}

    def coming(place: Place, short: Decimal) -> Decimal:
        drafted = situation.drafted.get(place, Decimal(0))
        may_be = place in known and place[0] not in required.circular and not _is_of_others(place[0], situation)
        return short if may_be and bringing.covers(place, short - drafted) else drafted

    left = again(coming)
    return proposal(left, replace(situation, free=bringing.rest(), moves=bringing.moves))


def proposal(required: Requirements, situation: Situation) -> Proposal:
    """Return the lines to order by supplier and location, and all that is short and not among them."""
    result = Proposal()
    for requirement in required.found:
        variant = requirement.place[0]
        if _is_of_others(variant, situation):
            continue
        if requirement.short <= 0:
            _note_covered(requirement, situation, result)
        elif variant in required.circular:
            _refuse(requirement, "its bill of materials leads back to itself", situation, result)
        elif variant in situation.made:
            _make(requirement, situation, result)
        else:
            _order(requirement, situation, result)
    return result


def _is_of_others(variant: int, situation: Situation) -> bool:
    """Return whether others than the suppliers who are asked about deliver it."""
    names = situation.names
    if variant in situation.made or not situation.suppliers:
        return False
    return purchasable_variant(names.record("variant", variant) or EMPTY, names).supplier not in situation.suppliers


def _make(requirement: Requirement, situation: Situation, result: Proposal) -> None:
    if requirement.place[1] in situation.idle:
        _refuse(requirement, "Katana allows no manufacturing there: make it elsewhere and move it", situation, result)
    else:
        result.to_make.append(_to_make(requirement, situation))


def _order(requirement: Requirement, situation: Situation, result: Proposal) -> None:
    names, (variant, location) = situation.names, requirement.place
    good = purchasable_variant(names.record("variant", variant) or EMPTY, names)
    why = _obstacle(good, names, variant) or ("its stock is not known" if requirement.level is None else None)
    if why is not None or good.supplier is None:
        _refuse(requirement, why or _NO_SUPPLIER, situation, result)
    else:
        result.orders.setdefault((good.supplier, location), []).append(_line(requirement, good, situation))


def _note_covered(requirement: Requirement, situation: Situation, result: Proposal) -> None:
    moves = situation.moves.get(requirement.place)
    if moves is None:
        result.drafted += 1
    else:
        result.to_transfer.append(Transfer(_to_transfer(requirement, moves, situation), moves))


_NO_SUPPLIER = "it has no default supplier"


def _obstacle(good: PurchasableVariant, names: Names, variant: int) -> str | None:
    """Return why an item cannot be ordered, or None."""
    record = names.record("variant", variant) or EMPTY
    item = names.item(record) or EMPTY
    reasons = {
        "its item is not known": not good.is_cached,
        "it is archived or deleted in Katana": is_gone(record, item),
        "it is a service": good.service,
        "it is made, and has no bill of materials": not good.bought and get_bool(item, "is_producible") is True,
        "it is not marked as bought": not good.bought,
        _NO_SUPPLIER: good.supplier is None,
        "its supplier is deleted in Katana": is_supplier_deleted(good.supplier, names),
        "it has no purchase price": price_of(good) is None,
        "the currency of its supplier is not known": good.currency is None,
        "its purchase unit holds nothing": rate_of(good) <= 0,
    }
    return next((why for why, holds in reasons.items() if holds), None)


def _refuse(requirement: Requirement, why: str, situation: Situation, result: Proposal) -> None:
    phrase = _phrase(requirement, requirement.short, situation)
    result.cannot_order.append(f"{phrase}: {why}; {_reason(requirement, situation)}")


def _to_make(requirement: Requirement, situation: Situation) -> str:
    names = situation.names
    record = names.record("variant", requirement.place[0]) or EMPTY
    archived = "archived in Katana; " if is_set(names.item(record) or EMPTY, "archived_at") else ""
    return f"{_phrase(requirement, requirement.short, situation)}; {archived}{_reason(requirement, situation)}"


def _phrase(requirement: Requirement, quantity: Decimal, situation: Situation) -> str:
    """Return how much of what lacks where: `3 BT36-500 (Battery pack) at North`."""
    names, (variant, location) = situation.names, requirement.place
    called = f"{names.sku(variant) or variant} ({names.variant(variant) or 'not known'})"
    return f"{plain_number(quantity)} {called} at {names.name('location', location) or location}"


def _to_transfer(requirement: Requirement, moves: Sequence[Move], situation: Situation) -> str:
    names = situation.free.names
    parts = [f"{plain_number(move.quantity)} from {names.get(move.source) or move.source}" for move in moves]
    quantity = sum((move.quantity for move in moves), Decimal(0))
    reason = _reason(requirement, situation, "then ")
    return f"{_phrase(requirement, quantity, situation)}: {', '.join(parts)}; {reason}"


def _line(requirement: Requirement, good: PurchasableVariant, situation: Situation) -> OrderedLine:
    variant, names, short = requirement.place[0], situation.names, requirement.short
    record = names.record("variant", variant) or EMPTY
    line, arrival = order_line(good, short), _arrival(record, situation)
    assert line is not None
    needed = next((need.date for need in situation.needs.get(requirement.place, ()) if need.date), None)
    fields = {
        "variant_id": variant,
        "sku": names.sku(variant),
        "name": names.variant(variant),
        "quantity": line.quantity,
        "uom": text(names.item(record), "uom"),
        **purchase_unit(good),
        "price": price_of(good),
        "line_value": line.value,
        "arrival_date": arrival.isoformat(),
        "late": (needed is not None and situation.days.day(needed) < arrival.isoformat()) or None,
        "short": short,
        "reason": _reason(requirement, situation),
    }
    return OrderedLine.model_validate(fields)


def _arrival(variant: Record, situation: Situation) -> date:
    """Return the day on which it would come if it were ordered today."""
    days = get_int(variant, "lead_time")
    factory = next((record for (entity, _), record in situation.names.records.items() if entity == "factory"), None)
    usual = text(factory, "default_po_lead_time") or ""
    days = days if days is not None and abs(days) <= MOST_DAYS else int(usual) if usual.isdecimal() else _LEAD_TIME
    return situation.now.astimezone(situation.days.zone).date() + timedelta(days=days)


def _reason(requirement: Requirement, situation: Situation, when: str = "") -> str:
    """Return in words why so much is short: what is needed and for whom, what is there, expected and free elsewhere.

    Nothing expected, and a reorder point of nothing, are not told. `when` says of which moment the free stock is.
    """
    level, drafted = requirement.level, situation.drafted.get(requirement.place)
    reasons = [
        *_needed(situation.needs.get(requirement.place, ()), level.committed if level else Decimal(0), situation),
        *_made(requirement.makes, situation.names),
    ]
    if level is not None:
        reasons += [f"reorder point {plain_number(level.target)}"] if level.target else []
        expected = f", {plain_number(level.expected)} expected" if level.expected else ""
        reasons.append(f"{plain_number(level.in_stock)} in stock{expected}")
    reasons += [f"{plain_number(drafted)} drafted already"] if drafted else []
    free = situation.free.elsewhere(requirement.place)
    return "; ".join(
        [*reasons, *(f"{when}{plain_number(at.quantity)} free at {at.location or at.location_id}" for at in free)]
    )


def _needed(needs: Sequence[Need], committed: Decimal, situation: Situation) -> list[str]:
    """Return how much orders need, those due first by name: `9 needed: SO-1 2 by 2026-03-04, SO-2 1, 3 more orders 6`.

    What is committed beyond the needs that are known is that of others.
    """
    by_order: dict[object, Need] = {}
    for need in needs:
        known = by_order.get(need.order)
        by_order[need.order] = known._replace(quantity=known.quantity + need.quantity) if known else need
    orders = list(by_order.values())
    named, rest = orders[:_NAMED], orders[_NAMED:]
    unnamed, all_of = _quantity(rest), _quantity(orders)
    phrases = [f"{need.order_no} {plain_number(need.quantity)}{_by(need.date, situation)}" for need in named]
    phrases += [f"{so_many(len(rest), 'more order')} {plain_number(unnamed)}"] if rest else []
    phrases += [f"others {plain_number(committed - all_of)}"] if committed > all_of else []
    return [f"{plain_number(max(committed, all_of))} needed: {', '.join(phrases)}"] if phrases else []


def _quantity(needs: Iterable[Need]) -> Decimal:
    return sum((need.quantity for need in needs), Decimal(0))


def _made(makes: Mapping[int, Decimal], names: Names) -> list[str]:
    """Return how much goes into products that have to be made: `6 to make BIKE, 4 to make 2 more products`."""
    products = list(makes.items())
    rest = products[_NAMED:]
    phrases = [f"{plain_number(used)} to make {names.sku(product) or product}" for product, used in products[:_NAMED]]
    used = sum((used for _, used in rest), Decimal(0))
    phrases += [f"{plain_number(used)} to make {so_many(len(rest), 'more product')}"] if rest else []
    return [", ".join(phrases)] if phrases else []


def _by(moment: str | None, situation: Situation) -> str:
    return f" by {situation.days.day(moment)}" if moment else ""


def variants_of(required: Iterable[Requirement]) -> list[int]:
    """Return the variants that are short, and those that are made of them."""
    named = (key for name in required for key in (name.place[0], *name.makes))
    return list(dict.fromkeys(named))
