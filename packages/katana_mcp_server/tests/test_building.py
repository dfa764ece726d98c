"""What can be built: the arithmetic against building piece by piece, and the tool against the sandbox's own figures."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import floor

from hypothesis import given
from hypothesis import strategies as st
from server_wire import amount, live

from katana_mcp.testing import Stage, paced
from katana_mcp.workflows.building import BuildPlan, Free, build_plan
from katana_sandbox import ManualClock, Tenant

BIKE, WHEEL, SPOKE, PAINT = 1, 2, 3, 4
TOOL, HERE = "buildable", {"limit": 250, "location_id": "Main workshop"}
type Recipe = Mapping[int, Sequence[tuple[int, Decimal]]]

INGREDIENTS = st.lists(st.tuples(st.sampled_from((WHEEL, SPOKE, PAINT)), st.integers(1, 3)), min_size=1, max_size=4)


def _recipes(bike: list[tuple[int, int]], wheel: int) -> Recipe:
    return {BIKE: [(key, Decimal(quantity)) for key, quantity in bike], WHEEL: [(SPOKE, Decimal(wheel))]}


recipes = st.builds(_recipes, INGREDIENTS, st.integers(1, 4))
stocks = st.dictionaries(st.sampled_from((BIKE, WHEEL, SPOKE, PAINT)), st.integers(-3, 40).map(Decimal))


def taken(variant: int, recipes: Recipe, left: dict[int, Decimal]) -> bool:
    """Take one piece, or build it; False where that cannot be done."""
    if left.get(variant, Decimal(0)) >= 1:
        left[variant] -= 1
        return True
    return variant in recipes and all(
        taken(ingredient, recipes, left) for ingredient, quantity in recipes[variant] for _ in range(int(quantity))
    )


def _free(stock: Mapping[int, Decimal]) -> Free:
    return {variant: quantity for variant, quantity in stock.items() if quantity > 0}


def _limits(plan: BuildPlan, free: Free) -> Mapping[int, Decimal]:
    return plan.limits(plan.buildable(free).units, free)


@given(recipes, stocks)
def test_what_can_be_built_is_what_can_be_taken_piece_by_piece(recipes: Recipe, free: dict[int, Decimal]) -> None:
    left, count = {key: quantity for key, quantity in free.items() if key != BIKE}, 0
    while taken(BIKE, recipes, left):
        count += 1
    plan = build_plan(BIKE, recipes)
    found, limits = plan.buildable(_free(free)), _limits(plan, _free(free))
    assert found.units == count
    assert found.from_parts <= count
    assert limits
    assert set(limits) <= {SPOKE, PAINT}


@given(recipes, stocks)
def test_one_more_can_be_built_once_what_lacks_is_there(recipes: Recipe, free: dict[int, Decimal]) -> None:
    plan, more = build_plan(BIKE, recipes), dict(_free(free))
    for variant, lacks in _limits(plan, more).items():
        more[variant] = more.get(variant, Decimal(0)) + lacks
    assert plan.buildable(more).units > plan.buildable(_free(free)).units


def test_no_recipe_is_limited_by_nothing() -> None:
    plan = build_plan(BIKE, {})
    assert plan.buildable({}).units == plan.buildable({}).from_parts == 10**9


def test_what_is_made_of_itself_is_not_built() -> None:
    circular: Recipe = {BIKE: [(WHEEL, Decimal(1))], WHEEL: [(BIKE, Decimal(1))]}
    plan, free = build_plan(BIKE, circular), {WHEEL: Decimal(9)}
    assert plan.circular
    assert (plan.buildable(free).units, plan.buildable(free).from_parts, _limits(plan, free)) == (0, 0, {})


async def test_each_product_is_built_as_often_as_its_scarcest_ingredient_allows(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    answer = await paced(clock, stage.call(TOOL, **HERE))
    place = answer["rows"][0]["location_id"]
    free = {
        level["variant_id"]: amount(level["quantity_in_stock"]) - amount(level["quantity_committed"])
        for level in tenant.all("inventory")
        if level["location_id"] == place
    }
    rows = live(tenant, "bom_rows")
    made = {row["product_variant_id"] for row in rows}
    seen = 0
    for product in answer["rows"]:
        recipe: dict[int, Decimal] = {}
        for row in rows:
            if row["product_variant_id"] == product["variant_id"]:
                key = row["ingredient_variant_id"]
                recipe[key] = recipe.get(key, Decimal(0)) + amount(row["quantity"])
        if recipe and not recipe.keys() & made:
            least = min(
                floor(max(Decimal(0), free.get(key, Decimal(0))) / quantity) for key, quantity in recipe.items()
            )
            assert product["buildable"] == least
            assert {limit["variant_id"] for limit in product["limited_by"]} <= recipe.keys()
            seen += least > 0
    assert seen
    counts = [entry["buildable"] for entry in answer["rows"]]
    assert counts == sorted(counts, reverse=True)


async def test_what_orders_need_is_left_to_them_unless_it_is_asked_for(stage: Stage, clock: ManualClock) -> None:
    free = await paced(clock, stage.call(TOOL, **HERE))
    every = await paced(clock, stage.call(TOOL, **HERE, count_committed=True))
    of = [
        {(row["variant_id"], row["location_id"]): row["buildable"] for row in payload["rows"]}
        for payload in (free, every)
    ]
    assert of[0].keys() == of[1].keys()
    assert all(of[0][key] <= of[1][key] for key in of[0])
    assert sum(of[0].values()) < sum(of[1].values())


async def test_where_a_location_is_not_known_all_are_named_because_they_are_few(stage: Stage) -> None:
    refusal = await stage.refusal("buildable", location_id="Mars")
    assert refusal["warnings"][0]["message"] == (
        "no location is called exactly 'Mars'; there are 'Main workshop', 'North warehouse', 'Returns depot'"
    )


async def test_goods_that_are_not_made_are_named_where_no_row_shows_them(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    made = {row["product_variant_id"] for row in tenant.all("bom_rows")}
    bought = next(row for row in live(tenant, "variants") if row["material_id"] and row["sku"])
    product = next(row for row in live(tenant, "variants") if row["id"] in made and row["sku"])
    asked = [bought["sku"], product["sku"]]
    answer = await paced(clock, stage.call(TOOL, skus_or_variant_ids=asked, location_id="Main workshop"))
    assert {row["sku"] for row in answer["rows"]} == {product["sku"]}
    (warning,) = answer["warnings"]
    assert (warning["code"], warning["severity"]) == ("not_producible", "advisory")
    assert warning["message"] == f"{bought['sku']}: no row, as it is not made or has no bill of materials"
