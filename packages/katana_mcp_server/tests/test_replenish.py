"""`replenish`: what it drafts is what lacks, by supplier and location, and `apply_plan` makes each order once."""

import json
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from server_wire import Wire, amount, live

from katana_mcp.testing import Payload, Stage, paced
from katana_mcp.tools.answers import plain_number
from katana_mcp.workflows import replenish_fitting
from katana_sandbox import Drop, Fault, ManualClock, Tenant
from katana_sandbox.store.keys import FIRST_ID

TOOL = "replenish"
NORTH = FIRST_ID + 1
type Pair = tuple[int, int]


@pytest.fixture
def making(tenant: Tenant) -> Tenant:
    """Have products be made at every location."""
    for location in live(tenant, "locations"):
        tenant.edit("locations", location["id"], manufacturing_allowed=True)
    return tenant


def part_of(tenant: Tenant) -> Wire:
    """Return a variant of a material that a supplier delivers, that no order brings, with an empty stock."""
    return next(variant for variant in live(tenant, "variants") if variant["sku"] == "PAD")


def two_short(tenant: Tenant, clock: ManualClock) -> dict[str, object]:
    """Have two items of two suppliers be short in the north, and return the arguments that ask about them."""
    seal = next(variant for variant in live(tenant, "variants") if variant["sku"] == "FSKT-35M")
    tenant.create("inventory_safety_stock_levels", {"variant_id": seal["id"], "location_id": NORTH, "value": 100})
    clock.advance(3_600)
    return {"location_id": "North warehouse", "skus_or_variant_ids": ["PAD", "FSKT-35M"]}


def lines_of(answer: Payload) -> dict[Pair, Payload]:
    return {(line["variant_id"], order["location_id"]): line for order in answer["orders"] for line in order["lines"]}


def tokens_of(answer: Payload) -> list[str]:
    return [order["plan_token"] for order in answer["orders"]]


@pytest.mark.usefixtures("making")
async def test_each_line_covers_what_lacks_in_whole_units_and_no_unit_less_does(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    found: dict[Pair, Payload] = {}
    for supplier in live(tenant, "suppliers"):
        answer = await paced(clock, stage.call(TOOL, supplier_id=supplier["id"], from_elsewhere=False))
        assert {order["supplier_id"] for order in answer["orders"]} <= {supplier["id"]}
        found |= lines_of(answer)
        clock.advance(61)
    assert len(found) > 20
    for (variant_id, location), line in found.items():
        variant = tenant.get("variants", variant_id)
        kind = "products" if variant["product_id"] else "materials"
        goods = tenant.get(kind, variant["product_id"] or variant["material_id"])
        level = tenant.get("inventory", (variant_id, location))
        rate, least = amount(goods["purchase_uom_conversion_rate"] or 1), amount(variant["minimum_order_quantity"] or 0)
        ordered, short = amount(line["quantity"]), amount(line["short"])
        assert short >= -amount(level["quantity_missing_or_excess"])
        if "to make" not in line["reason"]:
            assert short == -amount(level["quantity_missing_or_excess"])
        assert (ordered - 1) * rate < max(short, least) <= ordered * rate
        assert ordered == int(ordered)
        assert amount(line["line_value"]) == ordered * amount(variant["purchase_price"])


async def test_one_apply_makes_each_draft_once_and_they_count_from_then_on(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    asked = two_short(tenant, clock)
    planned = await paced(clock, stage.call(TOOL, **asked))
    before = tenant.count("purchase_orders")
    assert planned["next_actions"] == [f"apply_plan(plan_tokens={tokens_of(planned)})"]
    assert len(planned["orders"]) == 2
    for _ in range(2):
        applied = await paced(clock, stage.call("apply_plan", plan_tokens=tokens_of(planned)))
        assert applied["not_tried"] == 0
    made = list(tenant.all("purchase_orders"))[before:]
    assert len(made) == 2
    for order, draft in zip(made, planned["orders"], strict=True):
        assert (order["status"], order["supplier_id"]) == ("DRAFT", draft["supplier_id"])
        assert (order["location_id"], order["currency"]) == (NORTH, draft["currency"])
        rows = {row["variant_id"]: row for row in order["purchase_order_rows"]}
        assert {key: amount(row["quantity"]) for key, row in rows.items()} == {
            line["variant_id"]: amount(line["quantity"]) for line in draft["lines"]
        }
        # Days begin at 22:00 in UTC where the factory is.
        eve = {line["variant_id"]: line["arrival_date"] for line in draft["lines"]}
        days = {key: _next_day(row["arrival_date"]) for key, row in rows.items()}
        assert days == eve
        assert sum(amount(row["total"]) for row in rows.values()) == amount(draft["total"])
    again = await stage.call(TOOL, **asked)
    assert again["orders"] == []
    assert "2 are covered by drafts" in again["message"]


def _next_day(moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone(ZoneInfo("Europe/Tallinn")).date().isoformat()


@pytest.mark.parametrize("trouble", [Drop("after"), Drop("before")], ids=["after", "before"])
async def test_a_lost_answer_makes_no_order_twice_and_the_same_call_goes_on(
    stage: Stage, tenant: Tenant, clock: ManualClock, trouble: Drop
) -> None:
    asked = two_short(tenant, clock)
    planned = await paced(clock, stage.call(TOOL, **asked))
    before, tokens = tenant.count("purchase_orders"), tokens_of(planned)
    stage.own.sandbox.faults.add(Fault("POST /purchase_orders", action=trouble))
    first = await paced(clock, stage.call("apply_plan", plan_tokens=tokens))
    clock.advance(61)
    later = await paced(clock, stage.call("apply_plan", plan_tokens=tokens))
    made = list(tenant.all("purchase_orders"))[before:]
    sent = stage.own.sandbox.requests("POST", "/v1/purchase_orders")
    if trouble.when == "after":
        assert len(made) == len({record["supplier_id"] for record in made}) == 2
        assert later["not_tried"] == 0
    else:
        # The first is unknown and never sent again: that it stops the second is told each time.
        assert (len(made), first["not_tried"], later["not_tried"]) == (0, 1, 1)
    assert len(sent) == (2 if trouble.when == "after" else 1)


async def test_what_has_no_supplier_or_price_is_named_with_the_reason(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    pad, seal = (
        next(variant for variant in live(tenant, "variants") if variant["sku"] == sku) for sku in ("PAD", "FSKT-35M")
    )
    tenant.edit("materials", pad["material_id"], default_supplier_id=None)
    tenant.edit("variants", seal["id"], purchase_price=0)
    asked = {**two_short(tenant, clock), "skus_or_variant_ids": ["PAD", "FSKT-35M", "NONE-SUCH"]}
    answer = await paced(clock, stage.call(TOOL, **asked))
    pad_message, seal_message = sorted(answer["cannot_order"], key=lambda message: "PAD" not in message)
    assert re.fullmatch(r"\d+ PAD \(.+\) at North warehouse: it has no default supplier; .+ in stock.*", pad_message)
    assert re.fullmatch(r"\d+ FSKT-35M .+ at North warehouse: it has no purchase price; .+ in stock.*", seal_message)
    assert (answer["orders"], answer["next_actions"]) == ([], [])
    assert [warning["message"] for warning in answer["warnings"] if "NONE-SUCH" in warning["message"]]
    assert "2 short items cannot be ordered" in answer["message"]


@pytest.mark.usefixtures("making")
async def test_what_has_to_be_made_counts_its_ingredients_all_the_way_down(stage: Stage, tenant: Tenant) -> None:
    top, below, part = _nested(tenant)
    for variant in (top, below, part):
        tenant.set_stock(variant, NORTH, 0)
    tenant.create("inventory_safety_stock_levels", {"variant_id": top, "location_id": NORTH, "value": 3})
    answer = await stage.call(TOOL, skus_or_variant_ids=[top], location_id=NORTH, from_elsewhere=False)
    quantities = {text.split()[1]: int(text.split()[0]) for text in answer["to_make"]}
    made = {key: quantities[tenant.get("variants", key)["sku"]] for key in (top, below)}
    lacks = {key: -amount(tenant.get("inventory", (key, NORTH))["quantity_missing_or_excess"]) for key in (top, below)}
    assert made[top] == lacks[top] >= 3
    assert made[below] == lacks[below] + 2 * made[top]
    line = lines_of(answer)[part, NORTH]
    level = -amount(tenant.get("inventory", (part, NORTH))["quantity_missing_or_excess"])
    assert amount(line["short"]) == level + 5 * made[below]
    assert f"to make {tenant.get('variants', below)['sku']}" in line["reason"]


def _nested(tenant: Tenant) -> tuple[int, int, int]:
    """Return a product, one that it now takes two of, and a part that now alone is in that one, five times."""
    products = [product for product in live(tenant, "products") if product["is_producible"]]
    top, below = (record["variants"][0]["id"] for record in (products[0], products[1]))
    part = part_of(tenant)["id"]
    for row in list(tenant.all("bom_rows")):
        if row["product_variant_id"] in {top, below}:
            tenant.delete("bom_rows", row["id"], hard=True)
    for product, item, ingredient, quantity in (
        (top, products[0]["id"], below, 2),
        (below, products[1]["id"], part, 5),
    ):
        body = {"product_variant_id": product, "product_item_id": item, "ingredient_variant_id": ingredient}
        tenant.create("bom_rows", {**body, "quantity": quantity})
    return top, below, part


@pytest.mark.usefixtures("making")
@pytest.mark.parametrize("beyond", ["1e999999", "-1e999999", "1e400"])
async def test_an_amount_beyond_any_sense_counts_as_unknown(
    stage: Stage, tenant: Tenant, clock: ManualClock, beyond: str
) -> None:
    top, below, _ = _nested(tenant)
    for row in list(tenant.all("bom_rows")):
        if row["product_variant_id"] in {top, below}:
            tenant.edit("bom_rows", row["id"], quantity=beyond)
    tenant.set_stock(top, NORTH, 0)
    tenant.create("inventory_safety_stock_levels", {"variant_id": top, "location_id": NORTH, "value": 3})
    clock.advance(3_600)
    answer = await paced(clock, stage.call(TOOL, skus_or_variant_ids=[top], location_id=NORTH, from_elsewhere=False))
    assert [text.split()[1] for text in answer["to_make"]] == [tenant.get("variants", top)["sku"]]


async def test_a_horizon_leaves_out_what_orders_need_later(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    pad, customer = part_of(tenant), live(tenant, "customers")[0]
    row = {"variant_id": pad["id"], "quantity": 500, "price_per_unit": 1}
    due = "2099-01-01T00:00:00.000Z"
    order = {"order_no": "SO-FAR", "customer_id": customer["id"], "location_id": NORTH, "delivery_date": due}
    tenant.create("sales_orders", {**order, "status": "NOT_SHIPPED", "sales_order_rows": [row]})
    arguments: dict[str, Any] = {"skus_or_variant_ids": [pad["id"]], "location_id": NORTH}
    every = lines_of(await stage.call(TOOL, **arguments))[pad["id"], NORTH]
    near = lines_of(await stage.call(TOOL, **arguments, horizon_days=365))[pad["id"], NORTH]
    assert amount(every["short"]) - amount(near["short"]) == 500
    assert "SO-FAR 500 by 2099-01-01" in every["reason"]
    assert "SO-FAR" not in near["reason"]


async def test_what_is_shipped_already_is_not_needed_again(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    part = part_of(tenant)["id"]
    row, order = next(
        (row, order)
        for order in live(tenant, "sales_orders")
        for row in order["sales_order_rows"]
        if row["variant_id"] == part and order["status"] == "PARTIALLY_PACKED"
    )
    tenant.create(
        "sales_order_fulfillments",
        {
            "sales_order_id": order["id"],
            "status": "DELIVERED",
            "sales_order_fulfillment_rows": [{"sales_order_row_id": row["id"], "quantity": 1}],
        },
    )
    clock.advance(3_600)
    answer = await paced(clock, stage.call(TOOL, skus_or_variant_ids=["PAD"]))
    reason = lines_of(answer)[part, order["location_id"]]["reason"]
    assert f"{order['order_no']} {row['quantity'] - 1} by" in reason


async def test_goods_come_after_the_lead_time_of_the_item_or_of_the_factory(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    pad = part_of(tenant)
    days: list[int] = []
    for own, usual in ((9, "30"), (0, "30"), (None, "30"), (None, None), (99_999_999, "30")):
        tenant.edit("variants", pad["id"], lead_time=own)
        tenant.edit("factory", 1, default_po_lead_time=usual)
        clock.advance(86_400)
        answer = await paced(clock, stage.call(TOOL, skus_or_variant_ids=[pad["id"]], location_id=NORTH))
        arrival = lines_of(answer)[pad["id"], NORTH]["arrival_date"]
        days.append((_day(arrival) - _day(_next_day(clock.now().isoformat()))).days)
    assert days == [9, 0, 30, 14, 30]


def _day(text: str) -> date:
    return date.fromisoformat(text)


@pytest.mark.usefixtures("making")
async def test_what_is_left_out_is_told_and_the_answer_stays_small(
    stage: Stage, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = await stage.call(TOOL, from_elsewhere=False)
    assert len(json.dumps(every)) < 40_000
    clock.advance(61)
    monkeypatch.setattr(replenish_fitting, "_MOST_ORDERS", 2)
    monkeypatch.setattr(replenish_fitting, "_MOST_LINES", 3)
    monkeypatch.setattr(replenish_fitting, "_MOST_BESIDE", 1)
    less = await paced(clock, stage.call(TOOL, from_elsewhere=False))
    assert sum(len(order["lines"]) for order in less["orders"]) == 3
    assert len(less["to_make"]) == len(less["cannot_order"]) == 1
    messages = [warning["message"] for warning in less["warnings"] if warning["code"] == "truncated_result"]
    assert [message.split(" of ")[0] for message in messages[1:]] == ["to_make names 1", "cannot_order names 1"]


@pytest.mark.usefixtures("making")
async def test_orders_that_are_left_out_are_named_with_what_they_come_to_and_the_call_that_gets_one(
    stage: Stage, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replenish_fitting, "_MOST_ORDERS", 100)
    every = (await paced(clock, stage.call(TOOL)))["orders"]
    monkeypatch.setattr(replenish_fitting, "_MOST_ORDERS", 3)
    monkeypatch.setattr(replenish_fitting, "_MOST_LINES", sum(len(order["lines"]) for order in every[:2]) + 1)
    clock.advance(61)
    less = await paced(clock, stage.call(TOOL))
    (message,) = [warning["message"] for warning in less["warnings"] if warning["message"].find("left out") > 0]
    begun, *others = every[2:]
    assert len(others) > 5
    assert len(begun["lines"]) > 1
    begun_rest = {**begun, "lines": begun["lines"][1:]}
    phrases = [_phrase_of(begun_rest, "more "), *(_phrase_of(order, "") for order in others)]
    count = sum(len(order["lines"]) for order in (begun_rest, *others))
    head, _, rest = message.partition(": ")
    named, _, how = rest.rpartition("; ")
    assert head == f"{count} lines of {len(others) + 1} orders left out"
    assert sorted(f"{part.removesuffix(')')})" for part in named.split("), ")) == sorted(phrases)
    assert how == "apply these and call this again, or get one by supplier_id and location_id"
    call = less["next_actions"][-1]
    assert call.startswith("replenish(..., supplier_id=")
    assert call.endswith(f"): the first of {len(others)} orders left out")
    key = {name: int(value) for name, value in re.findall(r"(\w+_id)=(\d+)", call)}
    clock.advance(61)
    got = await paced(clock, stage.call(TOOL, **key))
    (order,) = [order for order in others if key.items() <= order.items()]
    assert [line["sku"] for line in got["orders"][0]["lines"]] == [line["sku"] for line in order["lines"]]
    assert not [warning for warning in got["warnings"] if "left out" in warning["message"]]


def _phrase_of(order: Payload, more: str) -> str:
    value = sum((amount(line["line_value"]) for line in order["lines"]), Decimal(0))
    count = f"{len(order['lines'])} {more}line{'' if len(order['lines']) == 1 else 's'}"
    return f"{order['supplier']} for {order['location']} ({count}, {plain_number(value)} {order['currency']})"


async def test_a_preview_takes_few_requests_and_nothing_short_takes_none(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    asked: dict[str, object] = {"skus_or_variant_ids": ["PAD"], "location_id": NORTH}
    await stage.call(TOOL, **asked)
    before = stage.requests()
    answer = await stage.call(TOOL, **asked)
    assert len(answer["orders"]) == 1
    assert stage.requests() - before <= 3
    tenant.set_stock(part_of(tenant)["id"], NORTH, 10_000)
    clock.advance(3_600)
    assert (await paced(clock, stage.call(TOOL, **asked)))["orders"] == []
    await paced(clock, clock.sleep(20))  # the audits after it are nobody's who asks
    before = stage.requests()
    enough = await stage.call(TOOL, **asked)
    assert (stage.requests() - before, enough["next_actions"]) == (0, [])
    assert enough["message"] == "nothing is to be ordered; nothing is written before apply_plan"


async def test_what_is_made_is_neither_made_nor_bought_for_where_manufacturing_is_not_allowed(
    stage: Stage, tenant: Tenant
) -> None:
    top, below, part = _nested(tenant)
    for variant in (top, below, part):
        tenant.set_stock(variant, NORTH, 0)
    tenant.create("inventory_safety_stock_levels", {"variant_id": top, "location_id": NORTH, "value": 3})
    assert tenant.get("locations", NORTH)["manufacturing_allowed"] is False
    answer = await stage.call(TOOL, skus_or_variant_ids=[top], location_id=NORTH, from_elsewhere=False)
    (refusal,) = answer["cannot_order"]
    assert f" {tenant.get('variants', top)['sku']} " in refusal
    assert "at North warehouse: Katana allows no manufacturing there: make it elsewhere and move it; " in refusal
    assert (answer["orders"], answer["to_make"]) == ([], [])
