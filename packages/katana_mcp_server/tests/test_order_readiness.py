"""`order_readiness` against plain Python over open sales orders, their rows and what was shipped of them."""

from decimal import Decimal

import pytest
from server_wire import Wire, amount, live

from katana_mcp.testing import Payload, Stage, paced
from katana_mcp.tools.days import days_in
from katana_mcp.workflows import needs
from katana_sandbox import ManualClock, Tenant

TOOL = "order_readiness"
NOW = "2026-03-02T09:00:00.000Z"
DAY = days_in("Europe/Tallinn").day
THERE = {"IN_STOCK", "NOT_APPLICABLE"}


def open_rows(tenant: Tenant) -> dict[int, list[tuple[Wire, Decimal]]]:
    """Return what is left to ship, by order."""
    shipped: dict[int, Decimal] = {}
    for shipment in live(tenant, "sales_order_fulfillments"):
        for row in shipment["sales_order_fulfillment_rows"]:
            key = row["sales_order_row_id"]
            shipped[key] = shipped.get(key, Decimal(0)) + amount(row["quantity"])
    found: dict[int, list[tuple[Wire, Decimal]]] = {}
    for order in live(tenant, "sales_orders"):
        if order["status"] in {"DELIVERED", "PACKED", "PENDING"}:
            continue
        for row in order["sales_order_rows"]:
            left = amount(row["quantity"]) - shipped.get(row["id"], Decimal(0))
            if left > 0 and row["product_availability"] != "PICKED":
                found.setdefault(order["id"], []).append((row, left))
    return found


def state_of(rows: list[tuple[Wire, Decimal]]) -> str:
    states = {row["product_availability"] for row, _ in rows}
    return "ready" if states <= THERE else "part" if "IN_STOCK" in states else "waiting"


async def every(stage: Stage, clock: ManualClock, **arguments: object) -> Payload:
    return await paced(clock, stage.call(TOOL, limit=250, **arguments))


async def test_every_open_order_is_judged_by_its_rows_and_the_most_urgent_comes_first(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    answer, expected = await every(stage, clock), open_rows(tenant)
    assert {row["sales_order_id"] for row in answer["rows"]} == set(expected)
    assert answer["total"] == len(expected) > 10
    for row in answer["rows"]:
        mine = expected[row["sales_order_id"]]
        assert row["state"] == state_of(mine)
        assert (row["open_rows"], row["ready_rows"]) == (
            len(mine),
            sum(line["product_availability"] in THERE for line, _ in mine),
        )
        lacking = {line["id"]: left for line, left in mine if line["product_availability"] not in THERE}
        assert {entry["sales_order_row_id"]: amount(entry["open"]) for entry in row["waiting"]} == lacking
    counts = [sum(row["state"] == state for row in answer["rows"]) for state in ("ready", "part", "waiting")]
    assert [answer["ready"], answer["part"], answer["waiting"]] == counts
    assert min(counts) > 0
    due = [row.get("delivery_date", "9") for row in answer["rows"]]
    assert due == sorted(due)


async def test_an_order_is_late_once_its_day_has_passed_or_comes_before_its_goods(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    answer, expected = await every(stage, clock), open_rows(tenant)
    seen: set[str | None] = set()
    for row in answer["rows"]:
        lacking = [line for line, _ in expected[row["sales_order_id"]] if line["product_availability"] not in THERE]
        dates = [record["product_expected_date"] for record in lacking]
        passed = [date for date in dates if date is not None and DAY(date) < DAY(NOW)]
        due, late = row["delivery_date"], row.get("late")
        if due < DAY(NOW):
            assert late == "overdue"
        elif lacking and None in dates:
            assert late == "no_date"
        elif dates and DAY(max(dates)) > due:
            assert late == "after_delivery_date"
        else:
            assert late == ("goods_overdue" if passed else None)
        assert row.get("expected_date") == (DAY(max(dates)) if dates and None not in dates and not passed else None)
        seen.add(late)
    assert answer["late"] == sum("late" in row for row in answer["rows"])
    assert {"overdue", "goods_overdue", None} < seen


async def test_goods_whose_day_has_passed_are_overdue_and_have_no_date_any_more(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    answer, expected = await every(stage, clock), open_rows(tenant)
    passed = {
        line["id"]
        for rows in expected.values()
        for line, _ in rows
        if line["product_availability"] not in THERE and DAY(line["product_expected_date"] or NOW) < DAY(NOW)
    }
    waiting = [(row, entry) for row in answer["rows"] for entry in row["waiting"]]
    assert {entry["sales_order_row_id"] for _, entry in waiting if entry.get("overdue")} == passed
    assert len(passed) > 2
    assert [row["order_no"] for row, entry in waiting if entry.get("overdue") and "expected_date" in row] == []
    assert all(row["late"] != "after_delivery_date" or "expected_date" in row for row, _ in waiting if "late" in row)


async def test_goods_that_are_due_today_are_not_overdue_and_are_so_tomorrow(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, made = next(
        (tenant.get("sales_orders", row["sales_order_id"]), entry["incoming"])
        for row in (await every(stage, clock))["rows"]
        for entry in row["waiting"]
        if len(row["waiting"]) == 1
        and entry["incoming"]
        and all("manufacturing_order_id" in brings for brings in entry["incoming"])
    )
    for document in made:
        key = document["manufacturing_order_id"]
        tenant.edit("manufacturing_orders", key, production_deadline_date="2026-03-02T10:00:00.000Z")
    tenant.edit("sales_orders", order["id"], delivery_date="2026-03-20T10:00:00.000Z")
    seen: list[tuple[str | None, str | None]] = []
    for hours in (1, 24):
        clock.advance(hours * 3_600)
        answer = await every(stage, clock)
        (row,) = [row for row in answer["rows"] if row["sales_order_id"] == order["id"]]
        seen.append((row.get("late"), row.get("expected_date")))
    assert seen == [(None, "2026-03-02"), ("goods_overdue", None)]


async def test_a_row_that_waits_says_what_is_missing_and_what_brings_it(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    answer, orders = await every(stage, clock), open_rows(tenant)
    waiting = {entry["sales_order_row_id"]: entry for row in answer["rows"] for entry in row["waiting"]}
    brought = 0
    for row, left in (row for rows in orders.values() for row in rows if row[0]["id"] in waiting):
        waits = waiting[row["id"]]
        order = tenant.get("sales_orders", row["sales_order_id"])
        level = tenant.get("inventory", (row["variant_id"], row["location_id"] or order["location_id"]))
        lacks = amount(level["quantity_committed"]) - amount(level["quantity_in_stock"])
        assert amount(waits["missing"]) == min(left, max(Decimal(0), lacks))
        assert waits["sku"] == tenant.get("variants", row["variant_id"])["sku"]
        for document in waits["incoming"]:
            kind = "purchase_orders" if "purchase_order_id" in document else "manufacturing_orders"
            if "stock_transfer_id" not in document:
                found = tenant.get(kind, document[f"{kind[:-1]}_id"])
                assert found["order_no"] == document["order_no"]
                brought += 1
    assert brought


@pytest.mark.parametrize("state", ["ready", "part", "waiting"])
async def test_a_state_and_lateness_are_filters_and_the_counts_tell_of_all(
    stage: Stage, clock: ManualClock, state: str
) -> None:
    whole = await every(stage, clock)
    mine, late = await every(stage, clock, state=[state]), await every(stage, clock, late=True)
    ids = [[row["sales_order_id"] for row in answer["rows"]] for answer in (mine, late)]
    assert ids == [
        [row["sales_order_id"] for row in whole["rows"] if row["state"] == state],
        [row["sales_order_id"] for row in whole["rows"] if "late" in row],
    ]
    for answer in (mine, late):
        assert [answer[name] for name in ("ready", "part", "waiting", "late")] == [
            whole[name] for name in ("ready", "part", "waiting", "late")
        ]


async def test_what_was_shipped_is_open_no_more(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    whole = await every(stage, clock, state=["ready"])
    order = next(
        row for row in whole["rows"] if tenant.get("sales_orders", row["sales_order_id"])["status"] == "NOT_SHIPPED"
    )
    plan = await paced(clock, stage.call("fulfill_order", sales_order_id=order["sales_order_id"]))
    await paced(clock, stage.call("apply_plan", plan_tokens=[plan["plan_token"]]))
    again = await every(stage, clock)
    assert order["sales_order_id"] not in {row["sales_order_id"] for row in again["rows"]}


async def test_goods_that_come_after_the_delivery_date_make_an_order_late(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    waits = [row for row in (await every(stage, clock))["rows"] if row.get("expected_date", "") > "2026-03-04"]
    tenant.edit("sales_orders", waits[0]["sales_order_id"], delivery_date="2026-03-03T10:00:00.000Z")
    clock.advance(3_600)
    (order,) = [
        row for row in (await every(stage, clock))["rows"] if row["sales_order_id"] == waits[0]["sales_order_id"]
    ]
    assert (order["late"], order["expected_date"]) == ("after_delivery_date", waits[0]["expected_date"])


def test_what_is_open_of_a_row_is_what_was_not_shipped() -> None:
    row: Wire = {"id": 1, "variant_id": 7, "quantity": 5, "location_id": None, "product_availability": "EXPECTED"}
    shipped = row | {"id": 2, "quantity": 2}
    picked = row | {"id": 3, "product_availability": "PICKED"}
    order: Wire = {"location_id": 9, "sales_order_rows": [row, shipped, picked]}
    (found,) = needs.open_rows(order, {1: Decimal(2), 2: Decimal(2)})
    assert (found.left, found.variant_id, found.location_id) == (3, 7, 9)


async def test_after_a_day_without_calls_the_first_answer_is_current(stage: Stage, clock: ManualClock) -> None:
    await paced(clock, stage.call(TOOL))
    clock.advance(25 * 3_600)
    for _ in range(3):
        answer = await paced(clock, stage.call(TOOL))
        assert "stale" not in answer, answer["stale"]
        clock.advance(4)


async def test_an_order_of_which_only_a_service_is_there_waits(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    service = live(tenant, "services")[0]["variants"][0]["id"]
    made = tenant.create("materials", {"name": "Felt", "uom": "pcs", "variants": [{"sku": "FELT-1"}]})
    felt, place = made["variants"][0]["id"], live(tenant, "locations")[0]["id"]
    head = {"customer_id": live(tenant, "customers")[0]["id"], "location_id": place}
    rows = [{"variant_id": variant, "quantity": 2, "price_per_unit": 9} for variant in (service, felt, felt)]
    keys = [
        tenant.create("sales_orders", {**head, "order_no": f"SO-90{number}", "sales_order_rows": rows[:number]})["id"]
        for number in (1, 2, 3)
    ]
    for there, expected in ((0, ["ready", "waiting", "waiting"]), (4, ["ready", "ready", "part"])):
        tenant.set_stock(felt, place, there)
        clock.advance(600)
        states = {row["sales_order_id"]: row["state"] for row in (await every(stage, clock))["rows"]}
        assert [states[key] for key in keys] == expected
