"""`promise_date`: dates hang on stock, orders, arrivals and lead times that are there, and on nothing else."""

from datetime import date, timedelta

import pytest
from server_wire import Wire, amount, live

from katana_mcp.testing import Payload, Stage, paced
from katana_mcp.tools.days import days_in
from katana_sandbox import ManualClock, Tenant

TOOL = "promise_date"
TODAY = date(2026, 3, 2)
DAY = days_in("Europe/Tallinn").day


def variant_of(tenant: Tenant, sku: str) -> Wire:
    return next(variant for variant in live(tenant, "variants") if variant["sku"] == sku)


def bought(tenant: Tenant, lead_time: int | None = 9) -> Wire:
    """Return a variant of a new material that nobody holds, needs or brings."""
    sent = {"name": "Felt", "uom": "pcs", "variants": [{"sku": "FELT-1", "lead_time": lead_time}]}
    material = tenant.create("materials", sent)
    return tenant.get("variants", material["variants"][0]["id"])


async def promise(stage: Stage, clock: ManualClock, *lines: tuple[str | int, float], **more: object) -> Payload:
    asked = [{"sku_or_variant_id": key, "quantity": quantity} for key, quantity in lines]
    return await paced(clock, stage.call(TOOL, **({"rows": asked} if asked else {}), **more))


def free_at(tenant: Tenant, variant: Wire) -> dict[int, float]:
    """Return what no order has committed, by location."""
    levels = [level for level in tenant.all("inventory") if level["variant_id"] == variant["id"]]
    return {
        level["location_id"]: float(amount(level["quantity_in_stock"]) - amount(level["quantity_committed"]))
        for level in levels
    }


def settled(tenant: Tenant) -> tuple[Wire, int, float]:
    """Return a variant with free stock at a location, of which nothing is on its way anywhere, and how much."""
    coming = {level["variant_id"] for level in tenant.all("inventory") if amount(level["quantity_expected"])}
    for variant in live(tenant, "variants"):
        if variant["id"] not in coming and not variant.get("service_id"):
            place, free = max(free_at(tenant, variant).items(), key=lambda pair: pair[1], default=(0, 0.0))
            if free > 2:
                return variant, place, free
    raise AssertionError


async def test_free_stock_is_there_today_and_not_a_piece_more(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    variant, place, free = settled(tenant)
    for quantity, source in ((free, ["stock"]), (free + 1, ["stock", "buy"])):
        answer = await promise(stage, clock, (variant["id"], quantity), location_id=place)
        (line,) = answer["rows"]
        kinds = [source["source"] for source in line["sources"]]
        assert kinds[:1] == source[:1]
        assert len(kinds) == len(source)
        assert amount(line["free_now"]) == amount(free)
        if quantity == free:
            assert answer["date"] == line["date"] == TODAY.isoformat()


@pytest.mark.parametrize("lead_time", [9, 0])
async def test_what_nobody_has_comes_after_its_lead_time(
    stage: Stage, tenant: Tenant, clock: ManualClock, lead_time: int
) -> None:
    variant = bought(tenant, lead_time)
    clock.advance(3_600)
    answer = await promise(stage, clock, (variant["sku"], 5), location_id="Main workshop")
    comes = (TODAY + timedelta(days=lead_time)).isoformat()
    assert answer["date"] == comes
    assert answer["rows"][0]["sources"] == [{"source": "buy", "quantity": 5, "date": comes, "lead_time": lead_time}]


async def test_without_a_lead_time_no_date_is_made_up(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    variant = bought(tenant, None)
    clock.advance(3_600)
    answer = await promise(stage, clock, (variant["sku"], 5), location_id="Main workshop")
    (line,) = answer["rows"]
    assert "date" not in answer
    assert "date" not in line
    assert line["note"] == "no lead time is set for it"


async def test_a_purchase_order_on_its_way_is_named_with_its_day(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant = bought(tenant, 90)
    await _order(stage, clock, variant, "2026-03-20")
    answer = await promise(stage, clock, (variant["id"], 5), location_id="Main workshop")
    (source,) = answer["rows"][0]["sources"]
    assert (source["source"], source["date"], source["quantity"]) == ("incoming", "2026-03-20", 5)
    assert source["order_no"] == live(tenant, "purchase_orders")[-1]["order_no"]
    more = await promise(stage, clock, (variant["id"], 13), location_id="Main workshop")
    assert [(entry["source"], entry["quantity"]) for entry in more["rows"][0]["sources"]] == [
        ("incoming", 12),
        ("buy", 1),
    ]
    assert more["date"] == (TODAY + timedelta(days=90)).isoformat()


async def test_an_overdue_order_counts_as_today_and_says_so(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    variant = bought(tenant)
    await _order(stage, clock, variant, "2026-02-20")
    answer = await promise(stage, clock, (variant["id"], 5), location_id="Main workshop")
    (line,) = answer["rows"]
    assert line["date"] == TODAY.isoformat()
    assert line["sources"][0]["overdue"] is True
    order = live(tenant, "purchase_orders")[-1]
    number = order["order_no"]
    assert line["note"] == f"it counts on {number}, which is overdue"
    assert answer["warnings"] == [overdue(number)]
    action = f"get_purchase_order(purchase_order_id={order['id']}): it is overdue; ask when it comes"
    assert answer["next_actions"] == [action]


def overdue(number: str) -> Wire:
    """Return the warning of an order that was due on the twentieth of February."""
    message = f"the dates may be too early, as they count on what is overdue coming today: {number} (due 2026-02-20)"
    return {"severity": "advisory", "code": "past_arrival_date", "message": message, "field_path": None}


async def test_an_overdue_order_that_brings_an_ingredient_is_named_too(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant = bought(tenant)
    await _order(stage, clock, variant, "2026-02-20")
    made = await bench_of(clock, tenant, variant, lead_time=3)
    answer = await promise(stage, clock, (made["id"], 5), (made["id"], 1), location_id="Main workshop")
    (line, _), day = answer["rows"], (TODAY + timedelta(days=3)).isoformat()
    assert (line["date"], [source["source"] for source in line["sources"]]) == (day, ["make"])
    assert answer["warnings"] == [overdue(live(tenant, "purchase_orders")[-1]["order_no"])]
    assert len(answer["next_actions"]) == 1


async def test_an_order_that_lacks_ingredients_which_nothing_brings_is_named(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    made = await bench_of(clock, tenant, bought(tenant), lead_time=3)
    place = next(place["id"] for place in live(tenant, "locations") if place["name"] == "Main workshop")
    due = {"production_deadline_date": "2026-03-05T08:00:00.000Z"}
    body = {"variant_id": made["id"], "planned_quantity": 2, "location_id": place, "order_no": "MO-SHORT"}
    order = tenant.create("manufacturing_orders", body | due)
    clock.advance(120)
    answer = await promise(stage, clock, (made["id"], 2), location_id=place)
    assert answer["date"] == "2026-03-05"
    message = "they count on MO-SHORT, for which ingredients are missing that nothing brings"
    warned = {"severity": "advisory", "code": "ingredients_missing", "field_path": None}
    assert answer["warnings"] == [{**warned, "message": f"the dates may be too early: {message}"}]
    assert answer["next_actions"] == [f"list_blocking_ingredients(manufacturing_order_id={order['id']})"]
    shown = await paced(clock, stage.call("list_blocking_ingredients", manufacturing_order_id=order["id"]))
    assert [row["sku"] for row in shown["rows"]] == ["FELT-1"]


async def test_nothing_is_made_where_katana_allows_no_manufacturing(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    made = await bench_of(clock, tenant, bought(tenant), lead_time=3)
    main, idle = live(tenant, "locations")[:2]
    tenant.edit("locations", main["id"], manufacturing_allowed=True)
    tenant.edit("locations", idle["id"], manufacturing_allowed=False)
    clock.advance(3_600)
    there = await promise(stage, clock, (made["id"], 2), location_id=main["id"])
    here = await promise(stage, clock, (made["id"], 2), location_id=idle["id"])
    anywhere = await promise(stage, clock, (made["id"], 2))
    assert there["date"] == anywhere["date"] == (TODAY + timedelta(days=9 + 3)).isoformat()
    (row,) = here["rows"]
    assert (here.get("date"), row["note"]) == (None, "this location allows no manufacturing")


async def bench_of(clock: ManualClock, tenant: Tenant, part: Wire, lead_time: int) -> Wire:
    """Return a variant of a new product that is made of one part each."""
    sent = {"name": "Bench", "uom": "pcs", "is_producible": True, "variants": [{"sku": "BENCH-1"}]}
    product = tenant.create("products", sent)
    made = tenant.edit("variants", product["variants"][0]["id"], lead_time=lead_time)
    ids = {"product_item_id": product["id"], "product_variant_id": made["id"], "ingredient_variant_id": part["id"]}
    tenant.create("bom_rows", {**ids, "quantity": 1})
    clock.advance(3_600)
    return made


async def _order(stage: Stage, clock: ManualClock, variant: Wire, day: str) -> None:
    """Order twelve."""
    clock.advance(3_600)
    supplier = live(stage.own.sandbox.tenant(), "suppliers")[0]
    rows = [{"sku_or_variant_id": variant["id"], "quantity": 12, "price_per_unit": 1, "arrival_date": day}]
    made = {"supplier_id": supplier["id"], "location_id": "Main workshop", "expected_arrival_date": day, "rows": rows}
    plan = await paced(clock, stage.call("create_purchase_order", **made))
    await paced(clock, stage.call("apply_plan", plan_tokens=[plan["plan_token"]]))


async def test_an_order_that_there_is_holds_what_katana_has_booked_for_it_and_waits_behind_others_for_the_rest(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    whole = await paced(clock, stage.call("order_readiness", limit=250))
    seen: set[str] = set()
    for row in whole["rows"]:
        answer = await promise(stage, clock, sales_order_id=row["order_no"])
        assert answer["order_no"] == row["order_no"]
        assert len(answer["rows"]) == row["open_rows"]
        booked = [line for line in answer["rows"] if [source["source"] for source in line["sources"]] == ["booked"]]
        assert len(booked) == row["ready_rows"]
        dates = [line.get("date") for line in answer["rows"]]
        assert answer.get("date") == (max(dates) if None not in dates else None)
        if "date" in answer:
            assert answer["in_time"] == (answer["date"] <= row["delivery_date"])
        if row["state"] == "ready":
            assert answer["date"] == TODAY.isoformat()
        seen.add(row["state"])
    assert seen == {"ready", "part", "waiting"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give rows, or a sales_order_id, or both"),
        ({"location_id": "Main workshop"}, "give rows, or a sales_order_id, or both"),
        ({"rows": [{"sku_or_variant_id": "KITC", "quantity": 0}]}, "must be more than 0"),
        ({"rows": [{"sku_or_variant_id": "KITC", "quantity": -2}]}, "quantity is -2: must be more than 0"),
        ({"rows": [{"sku_or_variant_id": "PAD", "quantity": 1}]}, "2 variants have the SKU 'PAD'; name one by id"),
        ({"sales_order_id": "SO-nine"}, "no sales order has the order number"),
    ],
)
async def test_what_cannot_be_asked_is_refused_with_what_can(
    stage: Stage, clock: ManualClock, arguments: dict[str, object], message: str
) -> None:
    refused = await paced(clock, stage.refusal(TOOL, **arguments))
    assert message in refused["warnings"][0]["message"]


async def test_of_an_order_that_has_left_nothing_is_left(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    order = next(record for record in live(tenant, "sales_orders") if record["status"] == "DELIVERED")
    answer = await promise(stage, clock, sales_order_id=order["id"])
    assert answer["rows"] == []
    assert [warning["message"] for warning in answer["warnings"]] == [
        f"sales order {order['order_no']} is DELIVERED: nothing of it is left to ship"
    ]


async def test_what_is_to_be_added_to_an_order_comes_after_what_it_has(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant, place, free = settled(tenant)
    whole = await paced(clock, stage.call("order_readiness", limit=250))
    order = next(row for row in whole["rows"] if row["state"] == "ready")
    answer = await promise(stage, clock, (variant["id"], free), sales_order_id=order["order_no"], location_id=place)
    assert [row.get("sales_order_row_id") is None for row in answer["rows"]] == [False] * order["open_rows"] + [True]
    assert answer["rows"][-1]["date"] == TODAY.isoformat()


async def test_an_unknown_sku_is_named_and_leaves_the_whole_without_a_date(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant, place, _ = settled(tenant)
    answer = await promise(stage, clock, (variant["id"], 1), ("PADX", 1), location_id=place)
    assert [row["asked"] for row in answer["not_found"]] == ["PADX"]
    assert "date" not in answer
    assert answer["rows"][0]["date"] == TODAY.isoformat()


async def test_what_is_booked_for_one_row_of_an_order_is_not_free_for_another(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant, place = bought(tenant), live(tenant, "locations")[0]["id"]
    tenant.set_stock(variant["id"], place, 5, 1)
    rows = [{"variant_id": variant["id"], "quantity": 5, "price_per_unit": 1}] * 2
    head = {"order_no": "SO-TWO", "customer_id": live(tenant, "customers")[0]["id"], "location_id": place}
    tenant.create("sales_orders", {**head, "sales_order_rows": rows})
    answer = await promise(stage, clock, sales_order_id="SO-TWO")
    (first, second), day = answer["rows"], (TODAY + timedelta(days=9)).isoformat()
    assert [[source["source"] for source in row["sources"]] for row in (first, second)] == [["booked"], ["buy"]]
    assert (first["date"], second["date"], answer["date"]) == (TODAY.isoformat(), day, day)
    assert amount(second["free_now"]) == 0


async def lent(stage: Stage, tenant: Tenant, clock: ManualClock, day: str | None) -> tuple[Payload, Wire]:
    """Return what is promised of seven where ten of twelve are for a later order, and the order that replaces them."""
    variant, place = bought(tenant), live(tenant, "locations")[0]["id"]
    tenant.set_stock(variant["id"], place, 12, 1)
    rows = [{"variant_id": variant["id"], "quantity": 10, "price_per_unit": 1}]
    head = {"order_no": "SO-LATER", "customer_id": live(tenant, "customers")[0]["id"], "location_id": place}
    tenant.create("sales_orders", {**head, "delivery_date": "2026-04-10T00:00:00.000Z", "sales_order_rows": rows})
    await _order(stage, clock, variant, day or "2026-03-20")
    order = live(tenant, "purchase_orders")[-1]
    if day is None:
        (row,) = (row for row in tenant.all("purchase_order_rows") if row["purchase_order_id"] == order["id"])
        tenant.edit("purchase_order_rows", row["id"], arrival_date=None)
        tenant.edit("purchase_orders", order["id"], expected_arrival_date=None)
    clock.advance(3_600)
    return await promise(stage, clock, (variant["id"], 7), location_id=place), order


async def test_stock_that_an_order_needs_is_promised_for_the_day_on_which_it_is_replaced(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    answer, order = await lent(stage, tenant, clock, "2026-03-20")
    (line,) = answer["rows"]
    assert [(source["source"], source["quantity"], source["date"]) for source in line["sources"]] == [
        ("stock", 2, TODAY.isoformat()),
        ("incoming", 5, "2026-03-20"),
    ]
    assert line["sources"][1]["order_no"] == order["order_no"]
    assert (amount(line["free_now"]), line["date"], answer["date"]) == (2, "2026-03-20", "2026-03-20")
    assert "note" not in line


async def test_stock_that_an_order_needs_and_an_overdue_order_replaces_is_there_today_with_a_warning(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    answer, order = await lent(stage, tenant, clock, "2026-02-20")
    (line,) = answer["rows"]
    assert (amount(line["free_now"]), line["date"], answer["date"]) == (2, TODAY.isoformat(), TODAY.isoformat())
    assert answer["warnings"] == [overdue(order["order_no"])]


async def test_stock_that_an_order_needs_and_an_order_without_a_day_replaces_has_no_day(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    answer, order = await lent(stage, tenant, clock, None)
    (line,) = answer["rows"]
    assert ("date" in answer, "date" in line, line["note"]) == (False, False, f"{order['order_no']} has no date")
    assert amount(line["free_now"]) == 2


async def test_a_variant_that_is_named_by_its_sku_and_by_its_id_has_a_row_for_each(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    variant, place, free = settled(tenant)
    answer = await promise(stage, clock, (variant["sku"], free), (variant["id"], 1), location_id=place)
    assert [row["sources"][0]["source"] for row in answer["rows"]] == ["stock", "buy"]


@pytest.mark.parametrize("is_first_named", [False, True])
async def test_of_variants_that_share_an_sku_each_is_named_to_choose_from(
    stage: Stage, tenant: Tenant, clock: ManualClock, is_first_named: bool
) -> None:
    twins = [variant for variant in live(tenant, "variants") if variant.get("material_id") and variant["sku"]][:2]
    for variant in twins:
        tenant.edit("variants", variant["id"], sku="TWIN")
    clock.advance(3_600)
    named = [(twins[0]["id"], 1)] if is_first_named else []
    asked = [{"sku_or_variant_id": key, "quantity": quantity} for key, quantity in [*named, ("TWIN", 1)]]
    refused = await paced(clock, stage.refusal(TOOL, rows=asked))
    (warning,) = refused["warnings"]
    assert (warning["code"], warning["field_path"]) == ("ambiguous_name", f"rows[{len(named)}].sku_or_variant_id")
    for variant in twins:
        name = tenant.get("materials", variant["material_id"])["name"]
        assert f"{variant['id']} (TWIN, {name}" in warning["message"]


@pytest.mark.parametrize("lead_time", [36_501, 99_999_999])
async def test_a_lead_time_of_more_than_a_hundred_years_is_no_day(
    stage: Stage, tenant: Tenant, clock: ManualClock, lead_time: int
) -> None:
    variant = bought(tenant)
    tenant.edit("variants", variant["id"], lead_time=lead_time)  # Katana takes 999 at most
    (row,) = (await promise(stage, clock, (variant["id"], 2)))["rows"]
    assert ("date" in row, row["note"]) == (False, f"its lead time of {lead_time} days says nothing")


@pytest.mark.parametrize("where", [{}, {"location_id": "Main workshop"}])
async def test_a_service_is_there_at_once_and_holds_nothing_up(
    stage: Stage, tenant: Tenant, clock: ManualClock, where: dict[str, str]
) -> None:
    service = live(tenant, "services")[0]["variants"][0]
    variant, _, _ = settled(tenant)
    answer = await promise(stage, clock, (service["id"], 3), (variant["id"], 1), (service["id"], 3), **where)
    for line in (answer["rows"][0], answer["rows"][2]):
        assert line["sources"] == [{"source": "booked", "quantity": 3, "date": TODAY.isoformat()}]
        assert (line["date"], line["note"]) == (TODAY.isoformat(), "a service is never in stock")
        assert ("backlog" in line, "location" in line) == (False, bool(where))
    assert answer["date"] == answer["rows"][1]["date"]
