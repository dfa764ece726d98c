"""`list_blocking_ingredients` against plain Python over open orders, their recipe rows, and what is on its way."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from server_wire import Wire, amount, live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, paced, payload_of, staged, text_of
from katana_mcp.tools.days import days_in
from katana_sandbox import Fault, ManualClock, Status, Tenant
from katana_sandbox.store.keys import FIRST_ID

BLOCKING = "list_blocking_ingredients"
NOW = "2026-03-02T09:00:00.000Z"
DAY = days_in("Europe/Tallinn").day
STATES = ("NOT_AVAILABLE", "EXPECTED")
type Pair = tuple[int, int]


def waiting(tenant: Tenant, states: tuple[str, ...] = STATES) -> dict[Pair, list[tuple[Wire, Wire]]]:
    """Return the recipe rows that wait, with their orders, by ingredient and location."""
    orders = {
        manufacturing_order["id"]: manufacturing_order
        for manufacturing_order in live(tenant, "manufacturing_orders")
        if manufacturing_order["status"] != "DONE"
    }
    found: dict[Pair, list[tuple[Wire, Wire]]] = {}
    for row in live(tenant, "manufacturing_order_recipe_rows"):
        order = orders.get(row["manufacturing_order_id"])
        if order is not None and row["ingredient_availability"] in states:
            found.setdefault((row["variant_id"], order["location_id"]), []).append((row, order))
    return found


def pairs(answer: Payload) -> list[Pair]:
    return [(row["variant_id"], row["location_id"]) for row in answer["rows"]]


async def test_every_ingredient_that_orders_wait_for_is_listed_with_them(stage: Stage, tenant: Tenant) -> None:
    answer = await stage.call(BLOCKING, limit=250)
    expected = waiting(tenant)
    assert set(pairs(answer)) == set(expected)
    assert answer["total"] == len(expected) > 5
    assert answer["orders_held_up"] == len({order["id"] for rows in expected.values() for _, order in rows})
    for row in answer["rows"]:
        mine = expected[row["variant_id"], row["location_id"]]
        assert amount(row["needed"]) == sum(amount(ingredient["total_remaining_quantity"]) for ingredient, _ in mine)
        assert row["order_count"] == len({order["id"] for _, order in mine})
        assert {
            (
                order["manufacturing_order_id"],
                order["order_no"],
                order.get("production_deadline_date"),
                order["ingredient_availability"],
            )
            for order in row["orders"]
        } == {
            (
                order["id"],
                order["order_no"],
                DAY(order["production_deadline_date"]),
                ingredient["ingredient_availability"],
            )
            for ingredient, order in mine
        }
        deadlines = [order.get("production_deadline_date", "9") for order in row["orders"]]
        assert deadlines == sorted(deadlines)
        assert [order.get("overdue", False) for order in row["orders"]] == [
            deadline < DAY(NOW) for deadline in deadlines
        ]
        worst = {ingredient["ingredient_availability"] for ingredient, _ in mine}
        assert row["ingredient_availability"] == ("NOT_AVAILABLE" if "NOT_AVAILABLE" in worst else "EXPECTED")
        assert row["sku"] == tenant.get("variants", row["variant_id"])["sku"]
        assert row["location"] == tenant.get("locations", row["location_id"])["name"]


async def test_what_is_missing_is_what_stock_does_not_cover(stage: Stage, tenant: Tenant) -> None:
    rows = (await stage.call(BLOCKING, limit=250))["rows"]
    for row in rows:
        level = tenant.get("inventory", (row["variant_id"], row["location_id"]))
        assert amount(row["in_stock"]) == amount(level["quantity_in_stock"])
        assert amount(row["committed"]) == amount(level["quantity_committed"])
        lacking = amount(level["quantity_committed"]) - amount(level["quantity_in_stock"])
        assert amount(row["missing"]) == min(amount(row["needed"]), max(Decimal(0), lacking)) > 0


async def test_stock_on_hand_is_taken_off_what_is_missing(stage: Stage, tenant: Tenant) -> None:
    (variant, place), mine = next(
        (pair, rows)
        for pair, rows in waiting(tenant).items()
        if sum(amount(r["total_remaining_quantity"]) for r, _ in rows) > 1
    )
    needed = sum(amount(ingredient["total_remaining_quantity"]) for ingredient, _ in mine)
    level = tenant.get("inventory", (variant, place))
    tenant.set_stock(variant, place, float(amount(level["quantity_committed"]) - 1))
    (row,) = [entry for entry in (await stage.call(BLOCKING, limit=250))["rows"] if entry["variant_id"] == variant]
    assert amount(row["missing"]) == 1 <= needed


def bought(tenant: Tenant, pair: Pair) -> set[tuple[int, Decimal, str]]:
    return {
        (
            order["id"],
            amount(row["quantity"]) * amount(row["purchase_uom_conversion_rate"] or 1),
            DAY(row["arrival_date"] or order["expected_arrival_date"]),
        )
        for order in live(tenant, "purchase_orders")
        if order["status"] != "DRAFT"
        for row in order["purchase_order_rows"]
        if (row["variant_id"], row["location_id"] or order["location_id"]) == pair and not row["received_date"]
    }


async def test_what_is_on_its_way_is_named_with_its_date(stage: Stage, tenant: Tenant) -> None:
    answer = await stage.call(BLOCKING, limit=250)
    seen = 0
    for pair, row in zip(pairs(answer), answer["rows"], strict=True):
        coming = [arrival for arrival in row["incoming"] if "purchase_order_id" in arrival]
        assert {(row["purchase_order_id"], amount(row["quantity"]), row["expected_date"]) for row in coming} == bought(
            tenant, pair
        )
        for arrival in coming:
            order = tenant.get("purchase_orders", arrival["purchase_order_id"])
            assert arrival["order_no"] == order["order_no"]
            assert arrival["supplier"] == tenant.get("suppliers", order["supplier_id"])["name"]
            assert arrival.get("overdue", False) is (arrival["expected_date"] < DAY(NOW))
        dates = [entry.get("expected_date", "9") for entry in row["incoming"]]
        assert dates == sorted(dates)
        assert row["incoming_count"] == len(row["incoming"])
        seen += len(coming)
    assert seen > 0


async def test_an_order_of_a_status_that_katana_has_added_is_still_on_its_way(stage: Stage, tenant: Tenant) -> None:
    pair = next(key for key in waiting(tenant) if bought(tenant, key))
    order_id = next(iter(bought(tenant, pair)))[0]
    tenant.edit("purchase_orders", order_id, status="ON_ICE")
    answer = await stage.call(BLOCKING, limit=250)
    (shown,) = [row for row in answer["rows"] if (row["variant_id"], row["location_id"]) == pair]
    assert order_id in [row.get("purchase_order_id") for row in shown["incoming"]]


async def test_a_row_that_comes_on_another_day_than_its_order_is_named_with_its_own(
    stage: Stage, tenant: Tenant
) -> None:
    pair = next(key for key in waiting(tenant) if bought(tenant, key))
    order_id = next(iter(bought(tenant, pair)))[0]
    order = tenant.get("purchase_orders", order_id)
    row = next(
        purchase_order_row
        for purchase_order_row in order["purchase_order_rows"]
        if purchase_order_row["variant_id"] == pair[0]
    )
    tenant.edit("purchase_order_rows", row["id"], arrival_date="2031-05-06T00:00:00.000Z")
    tenant.edit("purchase_orders", order_id, expected_arrival_date="2031-01-02T00:00:00.000Z")
    answer = await stage.call(BLOCKING, limit=250)
    (shown,) = [entry for entry in answer["rows"] if (entry["variant_id"], entry["location_id"]) == pair]
    dates = [arrival["expected_date"] for arrival in shown["incoming"] if arrival.get("purchase_order_id") == order_id]
    assert "2031-05-06" in dates


async def test_an_order_that_makes_it_and_a_transfer_that_brings_it_are_named_too(stage: Stage, tenant: Tenant) -> None:
    made = next(order for order in live(tenant, "manufacturing_orders") if order["status"] == "NOT_STARTED")
    assembly = tenant.create(
        "manufacturing_orders", {"variant_id": made["variant_id"], "planned_quantity": 3, "location_id": FIRST_ID}
    )
    user = next(
        order
        for order in live(tenant, "manufacturing_orders")
        if order["status"] == "NOT_STARTED" and order["id"] != made["id"]
    )
    body = {"manufacturing_order_id": user["id"], "variant_id": made["variant_id"], "planned_quantity_per_unit": 10_000}
    tenant.create("manufacturing_order_recipe_rows", body)
    sent = {"variant_id": made["variant_id"], "quantity": "4"}
    head = {
        "stock_transfer_number": "ST-way",
        "source_location_id": FIRST_ID + 1,
        "target_location_id": user["location_id"],
    }
    transfer = tenant.create("stock_transfers", {**head, "stock_transfer_rows": [sent]})
    tenant.edit("stock_transfers", transfer["id"], status="inTransit")
    rows = (await stage.call(BLOCKING, limit=250))["rows"]
    (row,) = [entry for entry in rows if entry["variant_id"] == made["variant_id"]]
    coming = {
        (arrival.get("manufacturing_order_id"), arrival.get("stock_transfer_id")): arrival
        for arrival in row["incoming"]
    }
    assert amount(coming[assembly["id"], None]["quantity"]) == 3
    assert (coming[None, transfer["id"]]["order_no"], coming[None, transfer["id"]]["quantity"]) == ("ST-way", 4)


async def test_what_holds_up_most_comes_first(stage: Stage) -> None:
    rows = (await stage.call(BLOCKING, limit=250))["rows"]
    standing = [
        (
            row["ingredient_availability"] != "NOT_AVAILABLE",
            -row["order_count"],
            min(order.get("production_deadline_date", "9999") for order in row["orders"]),
        )
        for row in rows
    ]
    assert standing == sorted(standing)


MIDDLE = "2026-03-10T00:00:00.000Z"
type Keeps = Callable[[Wire, Wire], bool]
FILTERS: list[tuple[dict[str, Any], Keeps]] = [
    ({"deadline_from": MIDDLE}, lambda _, order: (order["production_deadline_date"] or "") >= MIDDLE),
    ({"deadline_to": MIDDLE}, lambda _, order: (order["production_deadline_date"] or "9") <= MIDDLE),
    ({"include_expected": False}, lambda row, _: row["ingredient_availability"] == "NOT_AVAILABLE"),
    ({"location_id": "Main workshop"}, lambda _, order: order["location_id"] == FIRST_ID),
    ({"location_id": "Returns depot"}, lambda _, order: order["location_id"] == FIRST_ID + 2),
]


@pytest.mark.parametrize(("filters", "keeps"), FILTERS, ids=[str(filters) for filters, _ in FILTERS])
async def test_each_filter_keeps_exactly_the_orders_that_it_names(
    stage: Stage, tenant: Tenant, filters: dict[str, Any], keeps: Keeps
) -> None:
    answer = await stage.call(BLOCKING, limit=250, **filters)
    kept = {(pair, row["id"]) for pair, rows in waiting(tenant).items() for row, order in rows if keeps(row, order)}
    assert set(pairs(answer)) == {pair for pair, _ in kept}
    assert sum(len(row["orders"]) for row in answer["rows"]) == len(kept)


@pytest.mark.cold
async def test_stock_that_cannot_be_read_leaves_what_is_missing_unknown(own: OwnSandbox, clock: ManualClock) -> None:
    own.sandbox.faults.add(Fault("GET /inventory", action=Status(503), times=None))
    async with staged(own) as stage:
        answer = await paced(clock, stage.call(BLOCKING))
    assert [warning["code"] for warning in answer["warnings"]] == ["stock_unknown", "archived_item"]
    assert answer["rows"]
    assert [row for row in answer["rows"] if {"missing", "in_stock"} & set(row)] == []
    assert all(amount(row["needed"]) > 0 for row in answer["rows"])


async def test_an_order_that_is_done_or_deleted_waits_for_nothing(stage: Stage, tenant: Tenant) -> None:
    for order in live(tenant, "manufacturing_orders"):
        if order["status"] != "DONE":
            tenant.delete("manufacturing_orders", order["id"])
    answer = await stage.call(BLOCKING)
    assert (answer["rows"], answer["total"], answer["orders_held_up"]) == ([], 0, 0)


async def test_many_orders_are_counted_and_the_first_of_them_named(stage: Stage, tenant: Tenant) -> None:
    order = next(record for pair in waiting(tenant).values() for _, record in pair if record["variant_id"])
    body = {"variant_id": order["variant_id"], "planned_quantity": 50_000, "location_id": order["location_id"]}
    for _ in range(60):
        tenant.create("manufacturing_orders", body)
    result = await stage.result(BLOCKING, {"limit": 250})
    assert len(text_of(result).encode()) <= 40_000
    answer = payload_of(result)
    top = answer["rows"][0]
    assert (len(top["orders"]), top["order_count"] >= 60) == (20, True)
    assert answer["has_more"] is (len(answer["rows"]) < answer["total"])


async def test_one_order_has_what_it_waits_for_alone(stage: Stage, tenant: Tenant) -> None:
    expected = waiting(tenant)
    order = next(order for rows in expected.values() for _, order in rows)
    answer = await stage.call(BLOCKING, manufacturing_order_id=order["order_no"].lower(), limit=250)
    mine = {pair for pair, rows in expected.items() if any(held["id"] == order["id"] for _, held in rows)}
    assert set(pairs(answer)) == mine
    assert answer["orders_held_up"] == 1
    assert {held["order_no"] for row in answer["rows"] for held in row["orders"]} == {order["order_no"]}


async def test_who_holds_an_ingredient_and_is_due_later_could_give_way(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    place = live(tenant, "locations")[0]["id"]
    lack = tenant.create("materials", {"name": "Lack", "uom": "kg", "variants": [{"sku": "LACK"}]})["variants"][0]["id"]
    stock = {"variant_id": lack, "quantity": 6, "cost_per_unit": 1}
    tenant.create("stock_adjustments", {"location_id": place, "stock_adjustment_rows": [stock]})
    product = tenant.create("products", {"name": "Late", "variants": [{"sku": "LATE"}]})["variants"][0]["id"]
    made: list[Wire] = []
    for nr, due in enumerate(("2027-05-01", "2027-04-01", "2019-01-01", "2020-01-01", "2028-01-01")):
        body = {"variant_id": product, "planned_quantity": 1, "location_id": place, "order_no": f"RANK-{nr}"}
        made.append(tenant.create("manufacturing_orders", body | {"production_deadline_date": f"{due}T08:00:00.000Z"}))
        line = {"manufacturing_order_id": made[-1]["id"], "variant_id": lack, "planned_quantity_per_unit": 2}
        tenant.create("manufacturing_order_recipe_rows", line)
    clock.advance(120)
    answer = await stage.call(BLOCKING, manufacturing_order_id=made[3]["id"])
    (row,) = answer["rows"]
    assert [order["order_no"] for order in row["orders"]] == ["RANK-3"], "RANK-4 lacks it too, and holds nothing"
    assert row["could_give_way"] == [
        {
            "type": "manufacturing_order",
            "order_no": order["order_no"],
            "due_date": DAY(order["production_deadline_date"]),
            "quantity": 2,
        }
        for order in made[:2]
    ]
