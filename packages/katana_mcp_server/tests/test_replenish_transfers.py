"""What other locations can spare is named and its transfer proposed, and nothing less is ordered for it."""

import ast
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from server_wire import amount, live

from cache_core.testing import START
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.references.display_names import Names
from katana_mcp.testing import Payload, Setup, Stage, paced, staged
from katana_mcp.tools.days import IN_UTC
from katana_mcp.workflows.free_elsewhere import free_stock
from katana_mcp.workflows.replenish_orders import Proposal, Situation, proposal
from katana_mcp.workflows.requirements import Level, Place, Requirements, requirements
from katana_sandbox import ManualClock, Tenant
from katana_sandbox.store.keys import FIRST_ID

TOOL, MAIN, NORTH = "replenish", FIRST_ID, FIRST_ID + 1


def pad_of(tenant: Tenant) -> int:
    return next(variant["id"] for variant in live(tenant, "variants") if variant["sku"] == "PAD")


def spare(tenant: Tenant, quantity: int) -> int:
    """Have the main workshop spare so much of a part that the north is short of; return how much that is short."""
    pad = pad_of(tenant)
    level = tenant.get("inventory", (pad, MAIN))
    kept = amount(level["quantity_committed"]) + amount(level["reorder_point"])
    tenant.set_stock(pad, MAIN, float(kept + quantity))
    tenant.create("inventory_safety_stock_levels", {"variant_id": pad, "location_id": NORTH, "value": 60})
    return int(-amount(tenant.get("inventory", (pad, NORTH))["quantity_missing_or_excess"]))


async def asked(stage: Stage, clock: ManualClock, **arguments: object) -> Payload:
    """Return the answer about the part in the north, read anew."""
    clock.advance(3_600)
    return await paced(clock, stage.call(TOOL, skus_or_variant_ids=["PAD"], location_id=NORTH, **arguments))


def free_of(line: Payload) -> list[int]:
    """Return what a line says is free at each other location."""
    return [int(quantity) for quantity in re.findall(r"(\d+) free at ", line["reason"])]


def transfers_in(answer: Payload) -> list[dict[str, Any]]:
    """Return the arguments of the transfers that an answer proposes."""
    calls = [action.partition(": instead of ")[0] for action in answer["next_actions"] if "transfer" in action]
    parsed = [ast.parse(call, mode="eval").body for call in calls]
    assert all(isinstance(call, ast.Call) for call in parsed)
    return [
        {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
        for call in parsed
        if isinstance(call, ast.Call)
    ]


async def test_what_another_location_can_spare_is_named_and_its_transfer_proposed_and_still_ordered(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    lacks = spare(tenant, 0)
    (order,) = (before := await asked(stage, clock))["orders"]
    assert (transfers_in(before), free_of(order["lines"][0])) == ([], [])
    spare(tenant, lacks + 3)
    answer = await asked(stage, clock)
    (line,) = answer["orders"][0]["lines"]
    name = tenant.get("locations", MAIN)["name"]
    assert line["reason"].endswith(f" in stock; {lacks + 3} free at {name}")
    assert (line["short"], line["quantity"]) == (lacks, order["lines"][0]["quantity"])
    rows = [{"sku_or_variant_id": pad_of(tenant), "quantity": lacks}]
    transfer, apply = answer["next_actions"]
    assert transfer.endswith("): instead of ordering; then replenish again")
    assert transfers_in(answer) == [{"source_location_id": MAIN, "destination_location_id": NORTH, "rows": rows}]
    assert apply.startswith("apply_plan(")
    assert "1 short item could come from other locations" in answer["message"]


async def test_the_transfer_that_is_proposed_can_be_made_and_is_not_ordered_from_then_on(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    lacks = spare(tenant, 500)
    (transfer,) = transfers_in(await asked(stage, clock))
    planned = await paced(clock, stage.call("create_stock_transfer", **transfer))
    applied = await paced(clock, stage.call("apply_plan", plan_tokens=[planned["plan_token"]]))
    assert applied["not_tried"] == 0
    after = await asked(stage, clock)
    assert (after["orders"], transfers_in(after)) == ([], [])
    assert "1 is covered by drafts" in after["message"]
    tenant.create("inventory_safety_stock_levels", {"variant_id": pad_of(tenant), "location_id": NORTH, "value": 70})
    (line,) = (await asked(stage, clock))["orders"][0]["lines"]
    assert (line["short"], free_of(line)) == (10, [500 - lacks])
    assert f"{lacks} drafted already" in line["reason"]


async def test_what_covers_a_part_is_named_and_not_proposed(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    lacks = spare(tenant, 0)
    spare(tenant, lacks - 1)
    answer = await asked(stage, clock)
    assert free_of(answer["orders"][0]["lines"][0]) == [lacks - 1]
    assert transfers_in(answer) == []


async def test_a_horizon_frees_nothing_that_orders_need_later(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    lacks = spare(tenant, 0)
    spare(tenant, lacks)
    row = {"variant_id": pad_of(tenant), "quantity": lacks, "price_per_unit": 1}
    order = {"order_no": "SO-FAR", "customer_id": live(tenant, "customers")[0]["id"], "location_id": MAIN}
    due = {"delivery_date": "2099-01-01T00:00:00.000Z", "status": "NOT_SHIPPED", "sales_order_rows": [row]}
    tenant.create("sales_orders", order | due)
    answer = await asked(stage, clock, horizon_days=365)
    assert free_of(answer["orders"][0]["lines"][0]) == []


async def test_where_nothing_can_be_written_no_transfer_is_proposed(own: OwnSandbox, tenant: Tenant) -> None:
    spare(tenant, 500)
    async with staged(own, Setup(flags={"read_only": True, "toolsets": ("all",)})) as stage:
        answer = await stage.call(TOOL, skus_or_variant_ids=["PAD"], location_id=NORTH)
    assert free_of(answer["orders"][0]["lines"][0]) == [500]
    assert answer["next_actions"] == []


BIKE, WHEEL = 7, 8
TWO: Mapping[int, list[tuple[int, Decimal]]] = {BIKE: [(WHEEL, Decimal(2))]}


def proposed(levels: Mapping[Place, Level]) -> tuple[Proposal, Requirements]:
    """Return what is proposed where bikes are made of two wheels, and wheels of nobody can be bought."""
    required = requirements(levels, TWO, [BIKE, WHEEL])
    records: dict[tuple[str, int | str], dict[str, Any]] = {
        ("variant", BIKE): {"id": BIKE, "sku": "BIKE"},
        ("variant", WHEEL): {"id": WHEEL, "sku": "WHEEL", "material_id": 1},
        ("material", 1): {"id": 1, "name": "Wheel"},
    }
    situation = Situation(
        names=Names(dict(records)),
        needs={},
        drafted={},
        free=free_stock(levels, {1: "Main", 2: "North"}, [], required.used),
        made=frozenset((BIKE,)),
        suppliers=frozenset(),
        days=IN_UTC,
        now=START,
    )
    return proposal(required, situation), required


def level(in_stock: int, target: int = 0) -> Level:
    return Level(Decimal(target), Decimal(in_stock), Decimal(0), Decimal(0))


def test_what_has_to_be_made_or_cannot_be_ordered_says_what_is_free_too() -> None:
    levels = {(BIKE, 1): level(0, 3), (BIKE, 2): level(1), (WHEEL, 1): level(0), (WHEEL, 2): level(9)}
    found, _ = proposed(levels)
    assert found.to_make == ["3 BIKE (BIKE) at 1; reorder point 3; 0 in stock; 1 free at North"]
    (wheels,) = found.cannot_order
    assert wheels.endswith("; 9 free at North")
    assert found.transferable == {(WHEEL, 1): 6}


def test_an_ingredient_is_not_brought_for_what_can_be_brought_itself() -> None:
    levels = {(BIKE, 1): level(0, 3), (BIKE, 2): level(3), (WHEEL, 1): level(0), (WHEEL, 2): level(9)}
    assert proposed(levels)[0].transferable == {(BIKE, 1): 3}


def test_what_is_made_into_something_at_its_own_location_is_not_free() -> None:
    levels = {(BIKE, 2): level(0, 3), (WHEEL, 1): level(0, 4), (WHEEL, 2): level(9)}
    found, required = proposed(levels)
    assert required.used == {(WHEEL, 2): 6}
    assert found.cannot_order[0].endswith("; 3 free at North")
    assert found.transferable == {}


@pytest.mark.parametrize("place", [MAIN, NORTH])
async def test_what_the_other_location_makes_of_its_stock_is_not_free_whatever_location_is_asked_about(
    stage: Stage, tenant: Tenant, clock: ManualClock, place: int
) -> None:
    product = next(product for product in live(tenant, "products") if product["is_producible"])
    variant, pad = product["variants"][0]["id"], pad_of(tenant)
    for row in list(tenant.all("bom_rows")):
        if row["product_variant_id"] == variant:
            tenant.delete("bom_rows", row["id"], hard=True)
    body = {"product_variant_id": variant, "product_item_id": product["id"], "ingredient_variant_id": pad}
    tenant.create("bom_rows", {**body, "quantity": 1})
    other = NORTH if place == MAIN else MAIN
    for somewhere, bikes, pads in ((other, 40, 0), (place, 0, 90)):
        for key, value in ((variant, bikes), (pad, pads)):
            tenant.create(
                "inventory_safety_stock_levels", {"variant_id": key, "location_id": somewhere, "value": value}
            )
        tenant.set_stock(variant, somewhere, 0)
    tenant.set_stock(pad, place, 0)
    level = tenant.get("inventory", (pad, other))
    makes = -amount(tenant.get("inventory", (variant, other))["quantity_missing_or_excess"])
    assert makes > 0
    tenant.set_stock(
        pad, other, float(amount(level["quantity_committed"]) + amount(level["reorder_point"]) + makes + 2)
    )
    clock.advance(3_600)
    answer = await paced(clock, stage.call(TOOL, skus_or_variant_ids=[variant, "PAD"], location_id=place))
    lines = [line for order in answer["orders"] for line in order["lines"] if line["variant_id"] == pad]
    assert [free for line in lines for free in free_of(line)] == [2]
