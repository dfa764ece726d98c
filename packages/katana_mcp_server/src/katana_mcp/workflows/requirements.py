"""What has to be bought and made: shortages taken level by level down the bills of materials. Pure arithmetic."""

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

type Place = tuple[int, int]
"""Variant and location."""
type Recipes = Mapping[int, Sequence[tuple[int, Decimal]]]
"""By the variant that is made: its ingredients, and how much one unit takes of each."""
type Coming = Callable[[Place, Decimal], Decimal]
"""Says how much comes to a place where so much is short."""


class Level(NamedTuple):
    """The stock of a variant at a location, in its unit; `target` is its reorder point or safety stock.

    Where `is_listed` is false Katana lists no stock of it there: only what open orders take is known.
    """

    target: Decimal
    in_stock: Decimal
    committed: Decimal
    expected: Decimal
    is_listed: bool = True

    @property
    def free(self) -> Decimal:
        """What is left over, or lacks where it is below zero."""
        return self.in_stock + self.expected - self.committed - self.target


@dataclass(frozen=True, slots=True)
class Requirement:
    """What is short at a place.

    Attributes:
        place: where.
        short: how much, in the unit of the variant; nothing, or less, where what comes besides covers it.
        level: its stock; None where that is not known.
        makes: what products take of it that have to be made first, by their variants.
    """

    place: Place
    short: Decimal
    level: Level | None
    makes: Mapping[int, Decimal]


@dataclass(slots=True)
class Requirements:
    """All that is short, products before their ingredients, and products that are made of themselves.

    Attributes:
        used: what has to be made takes of each place, short or not.
    """

    found: list[Requirement] = field(default_factory=list[Requirement])
    used: dict[Place, Decimal] = field(default_factory=dict[Place, Decimal])
    circular: set[int] = field(default_factory=set[int])


def ingredients(recipes: Recipes) -> dict[int, None]:
    """Return all that anything is made of, each once."""
    return dict.fromkeys(ingredient for recipe in recipes.values() for ingredient, _ in recipe)


def requirements(
    levels: Mapping[Place, Level],
    recipes: Recipes,
    roots: Collection[int],
    coming: Coming = lambda _place, _short: Decimal(0),
    idle: Container[int] = (),
) -> Requirements:
    """Return what is short of these variants, and of all that has to be made into them at the same location.

    Args:
        levels: the stock of each place.
        recipes: of what is made; everything else is bought.
        roots: the variants that are asked about; others count only for what they are made into.
        coming: what comes besides what the levels expect; it is asked of products before their ingredients.
        idle: locations at which nothing may be made, so that nothing is taken there.
    """
    result = Requirements()
    locations: dict[int, set[int]] = {}
    for variant, location in levels:
        locations.setdefault(variant, set()).add(location)
    taken: dict[int, dict[int, dict[int, Decimal]]] = {}
    for variant in in_order(recipes, roots, result.circular):
        by_location = taken.pop(variant, {})
        places = {*by_location, *(locations.get(variant, ()) if variant in roots else ())}
        for location in sorted(places):
            place, makes = (variant, location), by_location.get(location, {})
            level = levels.get(place)
            used = sum(makes.values(), Decimal(0))
            short = used - (level.free if level else 0)
            result.used |= {place: used} if used else {}
            if short > 0:
                short -= coming(place, short)
                result.found.append(Requirement(place, short, level if level and level.is_listed else None, makes))
            if short > 0 and location not in idle:
                _take(place, short, () if variant in result.circular else recipes.get(variant, ()), taken)
    return result


def _take(
    place: Place,
    made: Decimal,
    recipe: Sequence[tuple[int, Decimal]],
    taken: dict[int, dict[int, dict[int, Decimal]]],
) -> None:
    """Add what making so much at a place takes, by ingredient, location and product."""
    product, location = place
    for ingredient, quantity in recipe:
        by_product = taken.setdefault(ingredient, {}).setdefault(location, {})
        by_product[product] = by_product.get(product, Decimal(0)) + made * quantity


def in_order(recipes: Recipes, roots: Collection[int], circular: set[int]) -> Sequence[int]:
    """Return these variants and all below them, each before its ingredients.

    Args:
        recipes: what is made of what.
        roots: with which to begin.
        circular: takes those whose ingredients lead back to them.
    """
    done, path, order = set[int](), list[int](), list[int]()

    def visit(variant: int) -> None:
        if variant in path:
            circular.update(path[path.index(variant) :])
            return
        if variant in done:
            return
        path.append(variant)
        for ingredient, _ in recipes.get(variant, ()):
            visit(ingredient)
        path.pop()
        done.add(variant)
        order.append(variant)

    for root in sorted(roots):
        visit(root)
    return order[::-1]
