"""What other locations can spare is brought from there and neither ordered nor made; nothing is there twice."""

import ast
import re
from typing import Any

import pytest
from server_wire import amount, live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Setup, Stage, paced, staged
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
    calls = [action.partition(": free there")[0] for action in answer["next_actions"] if "create_stock" in action]
    parsed = [ast.parse(call, mode="eval").body for call in calls]
    assert all(isinstance(call, ast.Call) for call in parsed)
    return [
        {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
        for call in parsed
        if isinstance(call, ast.Call)
    ]


async def test_what_another_location_can_spare_is_transferred_and_not_ordered(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    lacks = spare(tenant, 0)
    (order,) = (before := await asked(stage, clock))["orders"]
    assert (transfers_in(before), free_of(order["lines"][0]), before["to_transfer"]) == ([], [], [])
    spare(tenant, lacks + 3)
    answer = await asked(stage, clock)
    name, north = (tenant.get("locations", place)["name"] for place in (MAIN, NORTH))
    (phrase,) = answer["to_transfer"]
    assert phrase.startswith(f"{lacks} PAD (")
    assert f" at {north}: {lacks} from {name}; " in phrase
    assert phrase.endswith(f" in stock; then 3 free at {name}")
    rows = [{"sku_or_variant_id": pad_of(tenant), "quantity": lacks}]
    transfer, instead = answer["next_actions"]
    assert transfer.endswith("): free there, so not ordered")
    assert transfers_in(answer) == [{"source_location_id": MAIN, "destination_location_id": NORTH, "rows": rows}]
    assert answer["orders"] == []
    assert "nothing is to be ordered, 1 short item left to transfers from other locations" in answer["message"]
    assert instead == "replenish(..., from_elsewhere=False): to order it instead"


async def test_it_is_ordered_and_not_transferred_where_that_is_asked_for(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    lacks = spare(tenant, 500)
    answer = await asked(stage, clock, from_elsewhere=False)
    (line,) = answer["orders"][0]["lines"]
    assert (line["short"], free_of(line), answer["to_transfer"]) == (lacks, [500], [])
    assert answer["next_actions"] == [f"apply_plan(plan_tokens={[answer['orders'][0]['plan_token']]})"]


async def test_whoever_does_all_that_an_answer_says_has_what_lacks_once(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    lacks = spare(tenant, 500)
    answer = await asked(stage, clock)
    (transfer,) = transfers_in(answer)
    planned = await paced(clock, stage.call("create_stock_transfer", **transfer))
    tokens = [planned["plan_token"], *(order["plan_token"] for order in answer["orders"])]
    applied = await paced(clock, stage.call("apply_plan", plan_tokens=tokens))
    assert applied["not_tried"] == 0
    after = await asked(stage, clock)
    assert (after["orders"], transfers_in(after), after["to_transfer"]) == ([], [], [])
    assert "1 is covered by drafts" in after["message"]
    made = [order for order in tenant.all("purchase_orders") if order["status"] == "DRAFT"]
    assert pad_of(tenant) not in [row["variant_id"] for order in made for row in order["purchase_order_rows"]]
    tenant.create("inventory_safety_stock_levels", {"variant_id": pad_of(tenant), "location_id": NORTH, "value": 70})
    more = await asked(stage, clock)
    assert [sum(row["quantity"] for row in transfer["rows"]) for transfer in transfers_in(more)] == [10]
    (phrase,) = more["to_transfer"]
    assert phrase.endswith(f"; {lacks} drafted already; then {500 - lacks - 10} free at Main workshop")


async def test_what_covers_a_part_is_named_and_all_is_ordered(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    lacks = spare(tenant, 0)
    spare(tenant, lacks - 1)
    answer = await asked(stage, clock)
    (line,) = answer["orders"][0]["lines"]
    assert (line["short"], free_of(line)) == (lacks, [lacks - 1])
    assert (transfers_in(answer), answer["to_transfer"]) == ([], [])


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
    assert answer["to_transfer"][0].endswith(" free at Main workshop")
    assert (answer["orders"], transfers_in(answer)) == ([], [])


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
    tenant.edit("locations", other, manufacturing_allowed=True)
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
