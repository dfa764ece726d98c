"""Shortages taken down the bills of materials: every place ends exactly at its target, and nothing is counted twice."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from katana_mcp.workflows.requirements import Level, Place, requirements

AMOUNTS = st.integers(0, 40).map(Decimal)
LEVELS = st.builds(Level, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)
VARIANTS, LOCATIONS = range(1, 7), (1, 2)


@st.composite
def bills_of_materials(draw: st.DrawFn) -> Mapping[int, Sequence[tuple[int, Decimal]]]:
    """Return bills of materials whose ingredients have higher numbers than what is made of them."""
    rows = st.tuples(st.integers(2, 6), st.integers(1, 4).map(Decimal))
    found = {variant: draw(st.lists(rows, max_size=3)) for variant in VARIANTS}
    return {
        product: kept
        for product, ingredients in found.items()
        if (kept := [row for row in ingredients if row[0] > product])
    }


@given(
    levels=st.dictionaries(st.tuples(st.sampled_from(VARIANTS), st.sampled_from(LOCATIONS)), LEVELS),
    recipes=bills_of_materials(),
    roots=st.sets(st.sampled_from(VARIANTS)),
)
def test_what_is_short_brings_every_place_exactly_to_its_target_with_all_that_is_made(
    levels: Mapping[Place, Level], recipes: Mapping[int, Sequence[tuple[int, Decimal]]], roots: set[int]
) -> None:
    result = requirements(levels, recipes, roots)
    short = {requirement.place: requirement.short for requirement in result.found}
    assert len(short) == len(result.found)
    assert result.circular == set()
    taken: dict[Place, Decimal] = {}
    for (product, location), made in short.items():
        for ingredient, quantity in recipes.get(product, ()):
            place = ingredient, location
            taken[place] = taken.get(place, Decimal(0)) + made * quantity
    asked = {place for place in levels if place[0] in roots} | taken.keys()
    for place in asked | short.keys():
        left = (levels[place].free if place in levels else 0) - taken.get(place, 0) + short.get(place, 0)
        assert left >= 0 if place not in short else left == 0
    assert short.keys() <= asked
    for requirement in result.found:
        assert sum(requirement.makes.values(), Decimal(0)) == taken.get(requirement.place, 0)


def _level(free: int) -> Level:
    return Level(Decimal(0), Decimal(free), Decimal(0), Decimal(0))


def test_an_ingredient_of_two_levels_is_counted_once_for_each_and_stock_of_a_subassembly_is_used_first() -> None:
    table, leg, screw = 1, 2, 3
    recipes = {table: [(leg, Decimal(4)), (screw, Decimal(8))], leg: [(screw, Decimal(2))]}
    levels = {(table, 1): _level(-5), (leg, 1): _level(12), (screw, 1): _level(10)}
    found = {requirement.place[0]: requirement for requirement in requirements(levels, recipes, {table}).found}
    assert {key: requirement.short for key, requirement in found.items()} == {
        table: 5,
        leg: 8,
        screw: 8 * 5 + 2 * 8 - 10,
    }
    assert found[screw].makes == {table: 40, leg: 16}


def test_what_is_made_of_itself_ends_where_the_circle_closes_and_is_named() -> None:
    recipes = {1: [(2, Decimal(1))], 2: [(3, Decimal(1))], 3: [(2, Decimal(1))]}
    levels = {(1, 1): _level(-1), (2, 1): _level(0), (3, 1): _level(0)}
    result = requirements(levels, recipes, {1})
    assert result.circular == {2, 3}
    assert [requirement.place[0] for requirement in result.found] == [1, 2]


def test_what_is_not_asked_about_counts_only_for_what_it_is_made_into() -> None:
    levels = {(1, 1): _level(0), (2, 1): _level(-7)}
    recipes = {1: [(2, Decimal(1))]}
    assert requirements(levels, recipes, {1}).found == []
    assert [requirement.place for requirement in requirements(levels, recipes, {2}).found] == [(2, 1)]
