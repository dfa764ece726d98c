"""By when a quantity of a variant can be there: from stock, from what is on its way, else made or bought anew.

Arithmetic over what was read; what has no date, or no lead time, has none here either.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import chain
from typing import Literal, NamedTuple

from katana_mcp.workflows.available import Ledger, Share
from katana_mcp.workflows.incoming import Arrival
from katana_mcp.workflows.incoming import Place as AnyPlace
from katana_mcp.workflows.needs import Needs
from katana_mcp.workflows.requirements import Level, Place, Recipes

type Kind = Literal["stock", "incoming", "make", "buy"]
_NOTHING = Decimal(0)
NEVER = "9999"
"""Stands for a day that nobody knows: it comes after every other."""
MOST_DAYS = 36_500
"""A lead time of more than a hundred years says nothing, and its end may be in no calendar."""


class Source(NamedTuple):
    """Where a part of the quantity comes from.

    Attributes:
        day: when; empty for now, `NEVER` where nobody knows.
        arrival: what brings it, where something is on its way.
        lead_time: days that making or buying it takes; None where none is set.
        waits_for: the ingredient that is there last, where making has to wait for one.
        last: where the last part of that ingredient comes from.
        counts_on: what has to arrive for its ingredients, where it is made.
        is_forbidden: whether it would have to be made where nothing may be.
        is_gone: whether it is archived or deleted, so that no more of it comes.
    """

    kind: Kind
    quantity: Decimal
    day: str
    arrival: Arrival | None = None
    lead_time: int | None = None
    waits_for: int | None = None
    last: "Source | None" = None
    counts_on: Sequence[Arrival] = ()
    is_forbidden: bool = False
    is_gone: bool = False

    @property
    def is_ours(self) -> bool:
        """Whether it is in stock, or was sent from another location."""
        return self.kind == "stock" or (self.arrival is not None and self.arrival.is_transfer)

    @property
    def arrivals(self) -> Sequence[Arrival]:
        """All that has to arrive for it, or for what it is made of."""
        return self.counts_on if self.arrival is None else (self.arrival, *self.counts_on)


class Promise(NamedTuple):
    """When all of a quantity is there, and where it comes from; `backlog` is what orders before it lack themselves."""

    sources: Sequence[Source]
    backlog: Decimal

    @property
    def last(self) -> Source | None:
        """The source that is there last."""
        return max(self.sources, key=lambda source: source.day, default=None)

    @property
    def day(self) -> str:
        """When that is; empty for now, `NEVER` where nobody knows."""
        return self.last.day if self.last else ""

    @property
    def anew(self) -> Decimal:
        """What has to be made or bought."""
        return sum((source.quantity for source in self.sources if source.kind in {"make", "buy"}), _NOTHING)


class Supply(NamedTuple):
    """How a variant is got where there is none: `makes` or `buys` it, and the days; `is_gone` as of a `Source`."""

    kind: Literal["make", "buy"] | None
    lead_time: int | None
    is_gone: bool = False


@dataclass(slots=True)
class World:
    """What is known of stock, arrivals, needs, bills of materials and lead times.

    Attributes:
        today: the factory's day.
        supplies: by variant.
        unknown: variants whose stock could not be read.
        ledgers: by place.
        idle: locations at which nothing may be made.
        taken: what is promised of each.
        missing: what neither stock nor transfers under way cover of what was asked for.
        ingredients: what they do not cover of what that is made of.
    """

    today: date
    recipes: Recipes
    supplies: Mapping[int, Supply]
    unknown: Collection[int]
    ledgers: Mapping[Place, Ledger]
    idle: Collection[int] = frozenset()
    taken: dict[Place, Decimal] = field(default_factory=dict[Place, Decimal])
    missing: dict[Place, Decimal] = field(default_factory=dict[Place, Decimal])
    ingredients: dict[Place, Decimal] = field(default_factory=dict[Place, Decimal])

    def book(self, place: Place, quantity: Decimal) -> None:
        """Take what Katana holds for somebody off what is there; of a service, nothing is."""
        if place in self.ledgers:
            self.taken[place] = self.taken.get(place, _NOTHING) + quantity

    def promise(self, place: Place, quantity: Decimal, above: frozenset[int] = frozenset()) -> Promise:
        """Return by when so much is there, and hold it."""
        if place[0] in self.unknown:
            return Promise([Source("stock", quantity, NEVER)], Decimal(0))
        found = self.ledgers.get(place, _EMPTY_LEDGER).promise(quantity, self.taken.get(place, _NOTHING))
        self.book(place, quantity - found.lacking)
        sources = [_shared(share) for share in found.shares]
        lacks = quantity - sum(source.quantity for source in sources if source.is_ours)
        if lacks:
            missing = self.ingredients if above else self.missing
            missing[place] = missing.get(place, _NOTHING) + lacks
        if found.lacking:
            sources.append(self._anew(place, found.lacking, above))
        return Promise(sources, found.backlog)

    def soonest(self, variant: int, locations: Sequence[int], quantity: Decimal) -> tuple[int, Promise]:
        """Return the location that has so much first, with the least made or bought, and by when; and hold it there."""
        worlds = [self._copy() for _ in locations]
        promises = [
            world.promise((variant, location), quantity) for world, location in zip(worlds, locations, strict=True)
        ]
        best = min(range(len(locations)), key=lambda nr: (promises[nr].day, promises[nr].anew))
        kept = worlds[best]
        self.taken, self.missing, self.ingredients = kept.taken, kept.missing, kept.ingredients
        return locations[best], promises[best]

    def _copy(self) -> "World":
        """Return the same world, in which other things can be promised."""
        taken, missing, made_of = dict(self.taken), dict(self.missing), dict(self.ingredients)
        return replace(self, taken=taken, missing=missing, ingredients=made_of)

    def free(self) -> dict[Place, Decimal]:
        """Return what is in stock, now that all is promised, of the variants that are missing somewhere."""
        variants = {variant for variant, _ in chain(self.missing, self.ingredients)}
        return {
            place: ledger.free_now(self.taken.get(place, _NOTHING))
            for place, ledger in self.ledgers.items()
            if place[0] in variants
        }

    def _anew(self, place: Place, quantity: Decimal, above: frozenset[int]) -> Source:
        """Return by when so much is made or bought if that begins now."""
        variant, location = place
        supply = self.supplies.get(variant, Supply(None, None))
        kind: Kind = "make" if supply.kind == "make" else "buy"
        if supply.is_gone:
            return Source(kind, quantity, NEVER, is_gone=True)
        if kind == "make" and location in self.idle:
            return Source(kind, quantity, NEVER, is_forbidden=True)
        if variant in above:
            return Source(kind, quantity, NEVER, lead_time=supply.lead_time)
        waits_for, last, counts_on = None, None, tuple[Arrival, ...]()
        for ingredient, per_unit in self.recipes.get(variant, ()) if kind == "make" else ():
            promise = self.promise((ingredient, location), per_unit * quantity, above | {variant})
            there = promise.last
            counts_on += tuple(arrival for source in promise.sources for arrival in source.arrivals)
            if there and there.day > (last.day if last else ""):
                waits_for, last = ingredient, there
        begins = last.day if last else ""
        days = supply.lead_time
        is_dated = supply.kind is not None and days is not None and abs(days) <= MOST_DAYS and begins < NEVER
        day = self._later(begins, days or 0) if is_dated else NEVER
        return Source(kind, quantity, day, None, supply.lead_time, waits_for, last, counts_on)

    def _later(self, day: str, days: int) -> str:
        begins = date.fromisoformat(day) if day else self.today
        return (begins + timedelta(days=days)).isoformat()


def _shared(share: Share) -> Source:
    arrival = share.source if isinstance(share.source, Arrival) else None
    return Source("incoming" if arrival else "stock", share.quantity, share.date, arrival)


def ledgers(
    levels: Mapping[Place, Level],
    coming: Mapping[AnyPlace, Sequence[Arrival]],
    needs: Needs,
    day_of: Callable[[str], str],
    without: tuple[str, object],
) -> dict[Place, Ledger]:
    """Return what is there, comes and is needed, by place; what has no date comes last.

    Args:
        levels: the stock; what is committed beyond the needs that are known is needed too.
        coming: what is on its way.
        needs: who takes it.
        day_of: gives the day of a moment; empty for one that has passed.
        without: the order, as `Need.order` has it, whose own needs are asked about.
    """
    found: dict[Place, Ledger] = {}
    named_places = ((variant, location) for variant, location in coming if variant is not None and location is not None)
    for place in {*levels, *named_places, *needs}:
        level, ledger = levels.get(place, _EMPTY), found.setdefault(place, Ledger())
        named = sum((need.quantity for need in needs.get(place, ())), Decimal(0))
        ledger.add("", level.in_stock)
        ledger.add("", min(Decimal(0), named - level.committed))
        for need in needs.get(place, ()):
            if need.order != without:
                ledger.add("", -need.quantity)
        for arrival in coming.get(place, ()):
            ledger.add(day_of(arrival.date) if arrival.date else NEVER, arrival.quantity or Decimal(0), arrival)
    return found


_EMPTY_LEDGER = Ledger()
_EMPTY = Level(Decimal(0), Decimal(0), Decimal(0), Decimal(0))
