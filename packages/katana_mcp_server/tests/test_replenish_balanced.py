"""What is bought, made and brought from elsewhere, reckoned together: nothing is bought for what is brought itself."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from test_requirements import bills_of_materials

from cache_core.testing import START
from katana_mcp.references.display_names import Names
from katana_mcp.tools.days import IN_UTC
from katana_mcp.workflows.free_elsewhere import added, drafted_transfers, free_stock
from katana_mcp.workflows.replenish_orders import Proposal, Situation, balanced
from katana_mcp.workflows.requirements import Coming, Level, Place, Recipes, Requirements, requirements

BIKE, WHEEL = 7, 8
BIKES: Recipes = {BIKE: [(WHEEL, Decimal(2))]}
LOCATIONS: Mapping[int, str | None] = {1: "Main", 2: "North", 3: "South"}


def coming(quantities: Mapping[Place, Decimal]) -> Coming:
    return lambda place, _: quantities.get(place, Decimal(0))


def situation_of(
    levels: Mapping[Place, Level], recipes: Recipes, drafted: Mapping[Place, Decimal] | None = None
) -> tuple[Requirements, Situation]:
    """Return what is short of all that has a level or is in a recipe, of which nobody sells anything."""
    roots = {variant for variant, _ in levels}
    records: dict[tuple[str, int | str], dict[str, Any]] = {
        ("variant", BIKE): {"id": BIKE, "sku": "BIKE"},
        ("variant", WHEEL): {"id": WHEEL, "sku": "WHEEL", "material_id": 1},
        ("material", 1): {"id": 1, "name": "Wheel"},
    }
    required = requirements(levels, recipes, roots, coming(drafted or {}))
    return required, Situation(
        names=Names(dict(records)),
        needs={},
        drafted=drafted or {},
        free=free_stock(levels, drafted_transfers(LOCATIONS, []), required.used),
        made=frozenset(recipes),
        suppliers=frozenset(),
        days=IN_UTC,
        now=START,
    )


def whole(
    levels: Mapping[Place, Level],
    recipes: Recipes = BIKES,
    drafted: Mapping[Place, Decimal] | None = None,
    idle: frozenset[int] = frozenset(),
) -> Proposal:
    """Return what is proposed once nothing more can be brought."""
    _, situation = situation_of(levels, recipes, drafted)
    again = partial(requirements, levels, recipes, {variant for variant, _ in levels}, idle=idle)
    return balanced(again(coming(drafted or {})), replace(situation, idle=idle), again)


def level(in_stock: int, target: int = 0) -> Level:
    return Level(Decimal(target), Decimal(in_stock), Decimal(0), Decimal(0))


def brought(found: Proposal) -> dict[Place, Decimal]:
    moves = [move for transfer in found.to_transfer for move in transfer.moves]
    return dict(added(((move.variant, move.destination), move.quantity) for move in moves))


def test_what_has_to_be_made_says_what_is_free_too_and_its_parts_are_brought() -> None:
    found = whole({(BIKE, 1): level(0, 3), (BIKE, 2): level(1), (WHEEL, 1): level(0), (WHEEL, 2): level(9)})
    assert found.to_make == ["3 BIKE (BIKE) at 1; reorder point 3; 0 in stock; 1 free at North"]
    (wheels,) = found.to_transfer
    assert wheels.phrase == "6 WHEEL (Wheel) at 1: 6 from North; 6 to make BIKE; 0 in stock; then 3 free at North"
    assert (brought(found), found.cannot_order) == ({(WHEEL, 1): 6}, [])


def test_what_is_brought_is_not_made_and_nothing_is_bought_or_brought_for_it() -> None:
    levels = {(BIKE, 1): level(0, 3), (BIKE, 2): level(3), (WHEEL, 1): level(0), (WHEEL, 2): level(9)}
    for there in (levels, {**levels, (WHEEL, 2): level(0)}):
        found = whole(there)
        assert (brought(found), found.to_make, found.cannot_order) == ({(BIKE, 1): 3}, [], [])


def test_what_drafts_bring_is_not_made_and_nothing_is_bought_for_it() -> None:
    levels = {(BIKE, 1): level(0, 3), (WHEEL, 1): level(0)}
    found = whole(levels, drafted={(BIKE, 1): Decimal(1)})
    assert found.to_make == ["2 BIKE (BIKE) at 1; reorder point 3; 0 in stock; 1 drafted already"]
    assert [phrase.partition(" ")[0] for phrase in found.cannot_order] == ["4"]
    assert found.drafted == 0
    found = whole(levels, drafted={(BIKE, 1): Decimal(3)})
    assert (found.to_make, found.cannot_order, found.drafted) == ([], [], 1)


def test_what_drafts_bring_counts_beside_what_is_brought() -> None:
    levels = {(BIKE, 1): level(0, 3), (WHEEL, 1): level(0), (WHEEL, 2): level(4)}
    found = whole(levels, drafted={(BIKE, 1): Decimal(1)})
    assert (brought(found), found.cannot_order, len(found.to_make)) == ({(WHEEL, 1): 4}, [], 1)
    assert found.to_make[0].startswith("2 BIKE ")
    found = whole(levels, drafted={(BIKE, 1): Decimal(1), (WHEEL, 1): Decimal(3)})
    assert brought(found) == {(WHEEL, 1): 1}


def test_a_part_of_what_is_made_below_what_is_brought_is_brought_for_what_is_left_alone() -> None:
    frame, tube = 9, 10
    recipes = {BIKE: [(frame, Decimal(1))], frame: [(tube, Decimal(4))]}
    levels = {
        (BIKE, 1): level(0, 2),
        (BIKE, 2): level(2),
        (frame, 1): level(0, 3),
        (frame, 2): level(3),
        (tube, 1): level(0, 1),
        (tube, 2): level(50),
    }
    assert brought(whole(levels, recipes)) == {(BIKE, 1): 2, (frame, 1): 3, (tube, 1): 1}


def test_nothing_is_made_or_bought_for_it_where_manufacturing_is_not_allowed_but_it_is_brought() -> None:
    levels = {(BIKE, 1): level(0, 3), (WHEEL, 1): level(0), (WHEEL, 2): level(50)}
    found = whole(levels, idle=frozenset((1,)))
    (refusal,) = found.cannot_order
    assert refusal.startswith(
        "3 BIKE (BIKE) at 1: Katana allows no manufacturing there: make it elsewhere and move it; "
    )
    assert (found.to_make, found.to_transfer) == ([], [])
    assert whole(levels, idle=frozenset((2,))).to_make != []
    assert brought(whole({**levels, (BIKE, 2): level(3)}, idle=frozenset((1,)))) == {(BIKE, 1): 3}


def test_all_is_reckoned_once_more_however_deep_products_go() -> None:
    recipes = {variant: [(variant + 1, Decimal(1))] for variant in range(20)}
    levels = {(variant, place): level(5 * place, 5) for variant in range(21) for place in (1, 2)}
    drained = {place: level(0, 5) if place[1] == 1 else at for place, at in levels.items()}
    required, situation = situation_of(drained, recipes)
    asked: list[Requirements] = []

    def again(coming: Coming) -> Requirements:
        asked.append(requirements(drained, recipes, set(range(21)), coming))
        return asked[-1]

    found = balanced(required, situation, again)
    assert (len(asked), len(found.to_transfer), found.to_make) == (1, 21, [])


def test_what_is_made_into_something_at_its_own_location_is_not_free() -> None:
    levels = {(BIKE, 2): level(0, 3), (WHEEL, 1): level(0, 4), (WHEEL, 2): level(9)}
    found = whole(levels)
    assert found.cannot_order[0].endswith("; 3 free at North")
    assert found.to_transfer == []


def test_nothing_is_brought_to_where_stock_is_not_known() -> None:
    found = whole({(BIKE, 1): level(0, 3), (WHEEL, 2): level(9)})
    assert [phrase.partition(";")[0] for phrase in found.cannot_order] == [
        "6 WHEEL (Wheel) at 1: it has no default supplier"
    ]
    assert found.to_transfer == []


AMOUNTS = st.integers(0, 12).map(Decimal)
LEVELS = st.builds(Level, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS)
PLACES = st.tuples(st.integers(1, 6), st.sampled_from(sorted(LOCATIONS)))


@given(
    levels=st.dictionaries(PLACES, LEVELS, min_size=1),
    recipes=bills_of_materials(),
    drafted=st.dictionaries(PLACES, AMOUNTS, max_size=4),
)
@example({(1, 1): level(0, 3)}, {}, {})
def test_all_is_covered_once_and_no_location_gives_what_it_needs_itself(
    levels: Mapping[Place, Level],
    recipes: Mapping[int, Sequence[tuple[int, Decimal]]],
    drafted: Mapping[Place, Decimal],
) -> None:
    _, situation = situation_of(levels, recipes, drafted)
    found = whole(levels, recipes, drafted)
    comes = brought(found)
    roots = {variant for variant, _ in levels}
    left = requirements(levels, recipes, roots, coming(added([*drafted.items(), *comes.items()])))
    short = {requirement.place: requirement.short for requirement in left.found}
    assert {place: short[place] for place in comes} == dict.fromkeys(comes, 0), "as much is brought as lacks"
    assert len(found.to_make) + len(found.cannot_order) == sum(quantity > 0 for quantity in short.values())
    gives = Counter[Place]()
    for move in (move for transfer in found.to_transfer for move in transfer.moves):
        gives[move.variant, move.source] += int(move.quantity)
    for (variant, location), quantity in gives.items():
        assert quantity <= situation.free.by_variant[variant][location]
