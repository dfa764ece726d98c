"""How many of a product can be built from what is there, subassemblies built along where they lack. Pure arithmetic."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from katana_mcp.workflows.requirements import Recipes, in_order

_MOST = 10**9
_ZERO = Decimal(0)

type Free = Mapping[int, Decimal]
"""Stock that may be taken, by variant: more than nothing of each, and none of what is not named."""


class Buildable(NamedTuple):
    """How many can be built.

    Attributes:
        units: whole ones.
        from_parts: of these, without building any subassembly.
    """

    units: int
    from_parts: int


class BuildPlan(NamedTuple):
    """How a product is built, whatever is in stock; those that are there already do not count.

    Attributes:
        product: its variant.
        recipes: of it, and of all below that is made; everything else has to be there.
        parts: what one unit takes of each of its ingredients.
        order: it and all below it, each before its ingredients.
        has_made_parts: whether some of its ingredients are made themselves.
        circular: whether it is made of itself.
    """

    product: int
    recipes: Recipes
    parts: Mapping[int, Decimal]
    order: Sequence[int]
    has_made_parts: bool
    circular: bool = False

    def buildable(self, free: Free) -> Buildable:
        """Return how many can be built of this stock."""
        if self.circular:
            return Buildable(0, 0)
        from_parts = self._from_parts(free)
        return Buildable(self._most(free) if self.has_made_parts else from_parts, from_parts)

    def limits(self, count: int, free: Free) -> Mapping[int, Decimal]:
        """Return what lacks for one more than can be built, by variant; empty where nothing limits it."""
        return {} if self.circular else self._lacking(count + 1, free)

    def _from_parts(self, free: Free) -> int:
        """Return for how many the ingredients are there themselves."""
        most = Decimal(_MOST)
        for ingredient, per_unit in self.parts.items():
            if per_unit > 0:
                there = free.get(ingredient)
                if there is None:
                    return 0
                most = min(most, there // per_unit)
        return int(most)

    def _most(self, free: Free) -> int:
        """Return the largest number for which nothing lacks: what lacks only grows with it."""
        enough, too_many = 0, 1
        while too_many <= _MOST and not self._lacking(too_many, free):
            enough, too_many = too_many, too_many * 2
        while enough < _MOST and too_many - enough > 1:
            middle = (enough + too_many) // 2
            enough, too_many = (enough, middle) if self._lacking(middle, free) else (middle, too_many)
        return min(enough, _MOST)

    def _lacking(self, count: int, free: Free) -> Mapping[int, Decimal]:
        """Return what lacks to build so many, by variants that are not made."""
        needed, lacking = {self.product: Decimal(count)}, dict[int, Decimal]()
        for variant in self.order:
            there = _ZERO if variant == self.product else free.get(variant, _ZERO)
            short = needed.get(variant, _ZERO) - there
            if short <= 0:
                continue
            recipe = self.recipes.get(variant)
            if not recipe:
                lacking[variant] = short
            for ingredient, per_unit in recipe or ():
                needed[ingredient] = needed.get(ingredient, _ZERO) + per_unit * short
        return lacking


def build_plan(product: int, recipes: Recipes) -> BuildPlan:
    """Return how a product is built, of its recipe and those of all below it."""
    parts = dict[int, Decimal]()
    for ingredient, per_unit in recipes.get(product, ()):
        parts[ingredient] = parts[ingredient] + per_unit if ingredient in parts else per_unit
    if not any(recipes.get(ingredient) for ingredient in parts):
        return BuildPlan(product, recipes, parts, (product, *reversed(parts)), has_made_parts=False)
    circular = set[int]()
    order = in_order(recipes, [product], circular)
    return BuildPlan(product, recipes, parts, order, has_made_parts=True, circular=product in circular)
