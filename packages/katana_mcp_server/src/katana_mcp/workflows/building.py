"""How many of a product can be built from what is there, subassemblies built along where they lack. Pure arithmetic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from katana_mcp.workflows.requirements import Recipes, in_order

_MOST = 10**9


@dataclass(frozen=True, slots=True)
class Buildable:
    """How many can be built.

    Attributes:
        count: whole units.
        from_parts: of these, without building any subassembly.
        limits: what lacks for one more, by variant; empty where nothing limits it.
        circular: whether it is made of itself.
    """

    count: int
    from_parts: int
    limits: Mapping[int, Decimal]
    circular: bool = False


def buildable(product: int, recipes: Recipes, free: Mapping[int, Decimal]) -> Buildable:
    """Return how many of a product can be built.

    Args:
        product: the variant that is built; those that are there already do not count.
        recipes: of it, and of all below that is made; everything else has to be there.
        free: stock that may be taken, by variant; none of what it does not name.
    """
    circular = set[int]()
    order = in_order(recipes, [product], circular)
    if product in circular:
        return Buildable(0, 0, {}, circular=True)
    plan = _Plan(order, recipes, free)
    from_parts = _from_parts(recipes.get(product, ()), free)
    has_made_parts = any(recipes.get(ingredient) for ingredient, _ in recipes.get(product, ()))
    count = plan.most(product) if has_made_parts else from_parts
    return Buildable(count, from_parts, plan.lacking(product, count + 1))


def _from_parts(recipe: Sequence[tuple[int, Decimal]], free: Mapping[int, Decimal]) -> int:
    """Return for how many the ingredients are there themselves."""
    needed = dict[int, Decimal]()
    for ingredient, per_unit in recipe:
        needed[ingredient] = needed.get(ingredient, Decimal(0)) + per_unit
    enough = [
        max(free.get(key, Decimal(0)), Decimal(0)) // quantity for key, quantity in needed.items() if quantity > 0
    ]
    return int(min(enough, default=Decimal(_MOST)).min(_MOST))


@dataclass(frozen=True, slots=True)
class _Plan:
    """Stock and recipes, and the variants, each before its ingredients."""

    order: Sequence[int]
    recipes: Recipes
    free: Mapping[int, Decimal]

    def most(self, product: int) -> int:
        """Return the largest number for which nothing lacks: what lacks only grows with it."""
        enough, too_many = 0, 1
        while too_many <= _MOST and not self.lacking(product, too_many):
            enough, too_many = too_many, too_many * 2
        while enough < _MOST and too_many - enough > 1:
            middle = (enough + too_many) // 2
            enough, too_many = (enough, middle) if self.lacking(product, middle) else (middle, too_many)
        return min(enough, _MOST)

    def lacking(self, product: int, count: int) -> Mapping[int, Decimal]:
        """Return what lacks to build so many, by variants that are not made."""
        needed, lacking = dict[int, Decimal](), dict[int, Decimal]()
        for variant in self.order:
            there = Decimal(0) if variant == product else self.free.get(variant, Decimal(0))
            short = (Decimal(count) if variant == product else needed.get(variant, Decimal(0))) - max(there, Decimal(0))
            for ingredient, per_unit in self.recipes.get(variant, ()) if short > 0 else ():
                needed[ingredient] = needed.get(ingredient, Decimal(0)) + per_unit * short
            if short > 0 and not self.recipes.get(variant):
                lacking[variant] = short
        return lacking
