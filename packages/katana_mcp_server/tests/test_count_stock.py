"""`count_stock`: a stocktake from its first row to the adjustment that it ends in, and back."""

from collections.abc import Mapping
from typing import Any, Literal

import pytest
from counted_goods import NORTH, applied, goods, held, stocktakes, table_of
from journal_plans import hasty
from server_wire import live

from cache_core.protocol import OWN_WRITE_STANDS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, staged
from katana_sandbox import Drop, Fault, ManualClock, Tenant

TOOL = "count_stock"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def test_a_pasted_table_is_shown_beside_the_stock_in_pieces_and_money(stage: Stage, tenant: Tenant) -> None:
    short, even, over = goods(tenant, 3)
    before = {row["id"]: held(tenant, row["id"]) for row in (short, even, over)}
    counted = {short["id"]: before[short["id"]] - 2, even["id"]: before[even["id"]], over["id"]: before[over["id"]] + 1}
    preview = await stage.call(
        TOOL, location_id="Main workshop", table=table_of(tenant, counted), reason="Spring", complete=True
    )
    lines = {line["variant_id"]: line for line in preview["lines"]}
    assert {key: line["difference"] for key, line in lines.items()} == {short["id"]: -2, even["id"]: 0, over["id"]: 1}
    cost = {key: float(tenant.get("inventory", (key, NORTH))["average_cost"]) for key in counted}
    assert lines[short["id"]]["value"] == pytest.approx(-2 * cost[short["id"]])
    assert preview["value_difference"] == pytest.approx(cost[over["id"]] - 2 * cost[short["id"]])
    assert (preview["currency"], preview["status"], preview["number"]) == ("EUR", "COMPLETED", "STK-9")
    assert preview["uncounted"]["variants"] > 100
    assert {row["id"]: held(tenant, row["id"]) for row in (short, even, over)} == before


async def test_what_is_completed_is_booked_once_read_at_once_and_taken_back(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    short, over = goods(tenant, 2)
    before = {row["id"]: held(tenant, row["id"]) for row in (short, over)}
    counted = {short["id"]: before[short["id"]] - 2, over["id"]: before[over["id"]] + 1}
    preview = await stage.call(TOOL, location_id=NORTH, table=table_of(tenant, counted), complete=True)
    outcome = await applied(stage, clock, preview)
    assert (outcome["applied"], outcome["failed"], outcome["unknown"], outcome["not_tried"]) == (4, 0, 0, 0)
    assert {key: held(tenant, key) for key in counted} == counted
    made = next(stocktake for stocktake in stocktakes(tenant) if stocktake["stocktake_number"] == "STK-9")
    adjustment = tenant.get("stock_adjustments", made["stock_adjustment_id"])
    assert {row["variant_id"]: row["quantity"] for row in adjustment["stock_adjustment_rows"]} == {
        short["id"]: -2,
        over["id"]: 1,
    }
    (message,) = [warning["message"] for warning in outcome["warnings"] if warning["code"] == "stock_booked"]
    assert f"{adjustment['stock_adjustment_number']} (id {adjustment['id']}, 2 rows)" in message

    seen = await stage.call("list_stocktakes", stocktake_number="STK-9", include_rows=True)
    assert seen["rows"][0]["status"] == "COMPLETED"
    assert {row["variant_id"]: row["counted_quantity"] for row in seen["rows"][0]["rows"]} == counted
    inventory = await stage.call("check_inventory", skus_or_variant_ids=[short["id"]])
    at = next(level for level in inventory["stock"][0]["locations"] if level["location_id"] == NORTH)
    assert at["in_stock"] == counted[short["id"]]

    back = await stage.call(outcome["revert"]["tool"], **outcome["revert"]["arguments"])
    assert "stock_was_moved" in [warning["code"] for warning in back["warnings"]]
    assert (await applied(stage, clock, back))["applied"] == 2
    assert {key: held(tenant, key) for key in counted} == before
    assert made["id"] not in [stocktake["id"] for stocktake in stocktakes(tenant)]
    assert (await stage.call("list_stocktakes", stocktake_number="STK-9"))["rows"] == []


@pytest.mark.parametrize("complete", [True, False])
async def test_a_plan_whose_goods_moved_since_it_was_shown_is_stale(
    stage: Stage, clock: ManualClock, tenant: Tenant, complete: bool
) -> None:
    (one,) = goods(tenant, 1)
    before = held(tenant, one["id"])
    table = table_of(tenant, {one["id"]: before - 1})
    preview = await stage.call(TOOL, location_id=NORTH, table=table, complete=complete)
    rows = [{"variant_id": one["id"], "quantity": -2}]
    moved = {"stock_adjustment_number": "SA-900", "location_id": NORTH, "stock_adjustment_rows": rows}
    tenant.create("stock_adjustments", moved)
    clock.advance(61)
    refusal = await stage.refusal("apply_plan", plan_tokens=[preview["plan_token"]])
    assert refusal["error"] == "stale_plan"
    assert held(tenant, one["id"]) == before - 2


@pytest.mark.parametrize(
    ("asked", "path"),
    [({"table": ""}, "table"), ({"table": "SKU;Qty"}, "table"), ({"complete": True}, "complete")],
)
async def test_nothing_is_completed_where_nothing_is_counted(stage: Stage, asked: dict[str, object], path: str) -> None:
    preview = await stage.call(TOOL, location_id=NORTH, **asked)
    against = [warning["field_path"] for warning in preview["warnings"] if warning["severity"] == "blocking"]
    assert (path in against, "plan_token" in preview) == (True, False)


async def test_all_that_is_in_stock_is_put_on_the_list_and_counted_later(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    skus = [row["sku"] for row in goods(tenant, 3)]
    first, second, third = goods(tenant, 3)
    preview = await stage.call(TOOL, location_id=NORTH, skus_or_variant_ids=skus)
    assert (preview["status"], [line.get("quantity") for line in preview["lines"]]) == ("IN_PROGRESS", [None] * 3)
    await applied(stage, clock, preview)
    (made,) = [stocktake for stocktake in stocktakes(tenant) if stocktake["stocktake_number"] == "STK-9"]
    assert (made["status"], made["started_date"] is None) == ("IN_PROGRESS", False)

    noted = held(tenant, first["id"])
    clock.advance(3600)
    tenant.set_stock(first["id"], NORTH, noted - 3)
    counts = [
        {"sku_or_variant_id": first["sku"], "quantity": noted - 3},
        {"sku_or_variant_id": second["id"], "quantity": 4},
    ]
    going_on = await stage.call(TOOL, stocktake_id="STK-9", counts=counts)
    line = next(entry for entry in going_on["lines"] if entry["variant_id"] == first["id"])
    assert (line["in_stock"], line["difference"], line["moved"]) == (noted, -3, -3)
    (moved,) = [warning for warning in going_on["warnings"] if warning["code"] == "moved_since_count"]
    assert f"{first['sku']} -3" in moved["message"]
    assert going_on["status"] == "IN_PROGRESS", "one is not counted yet"
    assert {change["field"]: change["new"] for change in going_on["changes"]} == {
        f"{first['sku']}.counted_quantity": f"{noted - 3:g}",
        f"{second['sku']}.counted_quantity": "4",
    }
    await applied(stage, clock, going_on)

    rest = await stage.call(TOOL, stocktake_id=made["id"], table=f"{third['sku']};7")
    assert rest["status"] == "COUNTED"
    await applied(stage, clock, rest)
    nothing = await stage.call(TOOL, stocktake_id=made["id"], table=f"{third['sku']};7")
    assert nothing["warnings"][-1]["code"] == "no_effective_change"
    assert "plan_token" not in nothing
    await applied(stage, clock, await stage.call(TOOL, stocktake_id=made["id"], complete=True))
    assert held(tenant, second["id"]) == 4
    assert held(tenant, third["id"]) == 7
    closed = await stage.call(TOOL, stocktake_id=made["id"], table=f"{third['sku']};8")
    assert closed["warnings"][0]["code"] == "locked"


async def test_without_saying_what_all_in_stock_is_to_be_counted_and_nothing_else(
    stage: Stage, tenant: Tenant, own: OwnSandbox
) -> None:
    there = {
        variant["id"]
        for variant in tenant.all("variants")
        if not variant["deleted_at"] and held(tenant, variant["id"]) != 0
    }
    async with staged(own, Setup(flags={"max_plan_lines": 90})) as few:
        preview = await few.call(TOOL, location_id=NORTH)
    assert len(preview["lines"]) == 84, "a plan of 90 lines has six for what is sent besides"
    assert {line["variant_id"] for line in preview["lines"]} <= there
    untraced = next(warning["message"] for warning in preview["warnings"] if warning["code"] == "uncounted_rows")
    assert "4 are tracked by batch" in untraced
    archived = {variant["id"] for variant in tenant.all("variants")} - {
        variant["id"] for variant in live(tenant, "variants")
    }
    assert preview["left"] + 84 + 4 == len(there - archived)
    category = next(material["category_name"] for material in tenant.all("materials") if material["category_name"])
    mine = {material["id"] for material in tenant.all("materials") if material["category_name"] == category}
    mine |= {product["id"] for product in tenant.all("products") if product["category_name"] == category}
    expected = {
        variant["id"]
        for variant in tenant.all("variants")
        if (variant["material_id"] or variant["product_id"]) in mine and variant["id"] in there
    }
    narrowed = await stage.call(TOOL, location_id=NORTH, category=category)
    assert {line["variant_id"] for line in narrowed["lines"]} <= expected
    assert narrowed["lines"]


@pytest.mark.parametrize("complete", [False, True])
async def test_lines_that_are_not_understood_are_named_and_never_guessed(
    stage: Stage, tenant: Tenant, complete: bool
) -> None:
    first, second = goods(tenant, 2)
    table = f"{first['sku']};3\n{second['sku']};a few\nNOWHERE-1;2\n{second['sku']};1.000\n{first['sku']};4;LOT-1\nx"
    preview = await stage.call(TOOL, location_id=NORTH, table=table, complete=complete)
    assert [message.split(":")[0] for message in preview["misread"]] == [
        "line 2",
        "line 3",
        "line 4",
        "line 5",
        "line 6",
    ]
    assert [(line["variant_id"], line["quantity"]) for line in preview["lines"]] == [(first["id"], 3)]
    (misread,) = [warning for warning in preview["warnings"] if warning["code"] == "misread_lines"]
    assert misread["severity"] == ("blocking" if complete else "advisory")
    assert ("plan_token" in preview) is not complete
    assert complete or preview["status"] == "IN_PROGRESS", "what was not read is not counted"


async def test_a_line_that_is_not_understood_is_why_nothing_would_change(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    (first,) = goods(tenant, 1)
    preview = await stage.call(TOOL, location_id=NORTH, table=f"{first['sku']};3")
    made = (await applied(stage, clock, preview))["id"]
    clock.advance(61)
    again = await stage.call(TOOL, stocktake_id=made, table=f"{first['sku']};-3")
    against = [warning for warning in again["warnings"] if warning["severity"] == "blocking"]
    assert [warning["code"] for warning in against] == ["misread_lines"]
    assert "line 1" in again["message"]
    assert "already has these counts" not in again["message"]
    clock.advance(61)
    same = await stage.call(TOOL, stocktake_id=made, table=f"{first['sku']};3")
    assert "already has these counts" in same["message"]


async def test_doubled_lines_are_summed_and_told(stage: Stage, tenant: Tenant) -> None:
    (first,) = goods(tenant, 1)
    preview = await stage.call(TOOL, location_id=NORTH, table=f"{first['sku']},3\n{first['id']},4.5")
    assert [line["quantity"] for line in preview["lines"]] == [7.5]
    (message,) = [warning["message"] for warning in preview["warnings"] if warning["code"] == "duplicate_row"]
    assert f"{first['sku']} in line 1, line 2: 3 + 4.5 = 7.5" in message


async def test_goods_with_batches_are_counted_batch_by_batch(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    glue = tenant.create("materials", {"name": "Glue", "batch_tracked": True, "variants": [{"sku": "GLUE"}]})
    key = glue["variants"][0]["id"]
    ids = [tenant.create("batches", {"batch_number": number, "variant_id": key})["id"] for number in ("LOT-1", "LOT-2")]
    for place, amount in ((0, 5), (1, 3), (1, -3)):
        batches = [{"batch_id": ids[place], "quantity": amount}]
        line = {"variant_id": key, "quantity": amount, "batch_transactions": batches}
        tenant.create("stock_adjustments", {"location_id": NORTH, "stock_adjustment_rows": [line]})
    wrong = await stage.call(TOOL, location_id=NORTH, table="GLUE;5\nGLUE;5;LOT-9")
    assert "it has LOT-1, LOT-2" in wrong["misread"][0]
    assert "no batch 'LOT-9'" in wrong["misread"][1]
    preview = await stage.call(TOOL, location_id=NORTH, table="GLUE;4;LOT-1\nGLUE;2;LOT-2", complete=True)
    assert [(line["batch"], line["in_stock"], line["difference"]) for line in preview["lines"]] == [
        ("LOT-1", 5, -1),
        ("LOT-2", 0, 2),
    ]
    await applied(stage, clock, preview)
    stock = {
        row["batch_id"]: row["quantity_in_stock"]
        for row in (await stage.own.sandbox.caller().get("/batch_stocks", {"variant_id": key})).rows
    }
    assert stock == {ids[0]: "4.00000", ids[1]: "2.00000"}
    begun = await stage.call(TOOL, location_id=NORTH, skus_or_variant_ids=["GLUE"])
    assert [line["batch"] for line in begun["lines"]] == ["LOT-1", "LOT-2"]


async def test_more_rows_than_a_plan_holds_go_on_and_the_stock_is_noted_once_all_are_there(
    own: OwnSandbox, clock: ManualClock, tenant: Tenant
) -> None:
    many = goods(tenant, 25)
    counted = {variant["id"]: held(tenant, variant["id"]) + nr % 3 - 1 for nr, variant in enumerate(many)}
    table, asked = table_of(tenant, counted), {"location_id": NORTH}
    seen: list[str] = []
    async with staged(own, Setup(flags={"max_plan_lines": 16})) as stage:
        for _ in range(5):
            preview = await stage.call(TOOL, table=table, complete=True, **asked)
            assert len(preview["lines"]) <= 10 or preview["status"] == "COMPLETED"
            await applied(stage, clock, preview)
            seen.append(
                next(
                    stocktake["status"] for stocktake in stocktakes(tenant) if stocktake["stocktake_number"] == "STK-9"
                )
            )
            if "left" not in preview:
                break
            message = next(
                warning["message"] for warning in preview["warnings"] if warning["code"] == "truncated_result"
            )
            assert "stocktake_id='STK-9'" in message
            asked = {"stocktake_id": "STK-9"}
    assert seen == ["NOT_STARTED", "NOT_STARTED", "COMPLETED"]
    assert {key: held(tenant, key) for key in counted} == counted


@pytest.mark.parametrize("route", ["POST /stocktakes", "PATCH /stocktakes/*"])
async def test_a_lost_answer_is_looked_up_and_nothing_is_made_twice(
    stage: Stage, clock: ManualClock, tenant: Tenant, route: str
) -> None:
    (first,) = goods(tenant, 1)
    before = held(tenant, first["id"])
    preview = await stage.call(TOOL, location_id=NORTH, table=f"{first['sku']};{before - 1:g}", complete=True)
    stage.own.sandbox.faults.add(Fault(route, action=Drop("after")))
    outcome = await applied(stage, clock, preview)
    assert (outcome["applied"], outcome["unknown"], outcome["not_tried"]) == (4, 0, 0)
    assert len([stocktake for stocktake in stocktakes(tenant) if stocktake["stocktake_number"] == "STK-9"]) == 1
    assert held(tenant, first["id"]) == before - 1
    assert outcome["message"].startswith("applied")


@pytest.mark.parametrize(("lost", "applied_rows"), [("after", 1), ("before", 0)])
async def test_rows_whose_answer_is_lost_are_looked_up_all_together(
    own: OwnSandbox, clock: ManualClock, tenant: Tenant, lost: Literal["after", "before"], applied_rows: int
) -> None:
    many = goods(tenant, 14)
    table = table_of(tenant, {row["id"]: 5 for row in many})
    async with staged(own, Setup(flags={"max_plan_lines": 16})) as stage:
        await applied(stage, clock, await stage.call(TOOL, location_id=NORTH, table=table))
        preview = await stage.call(TOOL, stocktake_id="STK-9", table=table)
        own.sandbox.faults.add(Fault("POST /stocktake_rows", action=Drop(lost)))
        outcome = await applied(stage, clock, preview)
        assert outcome["actions"][0]["state"] == ("applied" if applied_rows else "unknown")
        if not applied_rows:
            assert "apply the same token again" in outcome["message"]
            soon = await applied(stage, clock, preview)
            assert (soon["applied"], soon["unknown"]) == (0, 1)
            assert "sent again, it could be done twice; apply the same token" in soon["warnings"][0]["message"]
            clock.advance(OWN_WRITE_STANDS)
            outcome = await applied(stage, clock, preview)
        assert outcome["applied"] == len(outcome["actions"])
    (made,) = [stocktake for stocktake in stocktakes(tenant) if stocktake["stocktake_number"] == "STK-9"]
    mine = [row["variant_id"] for row in tenant.all("stocktake_rows") if row["stocktake_id"] == made["id"]]
    assert sorted(mine) == sorted(row["id"] for row in many)


@pytest.mark.parametrize("lost", [(), ("after",)])
async def test_a_stocktake_that_katana_does_not_list_for_minutes_is_made_once(
    own: OwnSandbox, stage: Stage, clock: ManualClock, tenant: Tenant, lost: tuple[Literal["after"], ...]
) -> None:
    (first,) = goods(tenant, 1)
    preview = await stage.call(TOOL, location_id=NORTH, table=table_of(tenant, {first["id"]: 3}))
    own.sandbox.switches.set("replica_lag", 130)
    for when in lost:
        own.sandbox.faults.add(Fault("POST /stocktakes", action=Drop(when)))
    for _ in range(4):
        await applied(stage, clock, preview)
        clock.advance(60)
    own.sandbox.switches.set("replica_lag", 0)
    end = await applied(stage, clock, preview)
    assert len([stocktake for stocktake in stocktakes(tenant) if stocktake["stocktake_number"] == "STK-9"]) == 1
    assert (end["message"].partition(":")[0], end["unknown"], end["not_tried"]) == ("applied", 0, 0)


@pytest.mark.parametrize("lost", [(), ("after",)])
async def test_a_stocktake_that_listings_lack_is_not_called_rolled_back(
    stage: Stage, clock: ManualClock, tenant: Tenant, lost: tuple[Literal["after"], ...]
) -> None:
    (first,) = goods(tenant, 1)
    clock.advance(OWN_WRITE_STANDS)
    stage.own.sandbox.switches.set("replica_lag", 600)
    preview = await stage.call(TOOL, location_id=NORTH, table=f"{first['sku']};1")
    for when in lost:
        stage.own.sandbox.faults.add(Fault("POST /stocktakes", action=Drop(when)))
    assert (await applied(stage, clock, preview))["unknown"] == len(lost)
    clock.advance(61)
    asked = {"plan_tokens": [preview["plan_token"]], "roll_back": True}
    (back,) = (await stage.call("apply_plan", **asked))["outcomes"]
    assert back["message"].startswith(f"stopped after {1 - len(lost)} of ")
    stage.own.sandbox.switches.set("replica_lag", 0)
    clock.advance(61)
    (back,) = (await stage.call("apply_plan", **asked))["outcomes"]
    assert back["message"].startswith("done: roll back")
    assert [stocktake for stocktake in stocktakes(tenant) if stocktake["stocktake_number"] == "STK-9"] == []


async def test_the_other_reading_of_a_status_works_as_well(stage: Stage, clock: ManualClock, tenant: Tenant) -> None:
    stage.own.sandbox.switches.set("stocktake_patch", 200)
    (first,) = goods(tenant, 1)
    preview = await stage.call(TOOL, location_id=NORTH, table=f"{first['sku']};1", complete=True)
    assert (await applied(stage, clock, preview))["applied"] == 4
    assert held(tenant, first["id"]) == 1


async def test_a_status_that_katana_works_on_is_waited_for_before_anything_is_planned(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    open_one = next(stocktake for stocktake in stocktakes(tenant) if stocktake["status"] == "NOT_STARTED")
    api = stage.own.sandbox.caller(stage.own.api_key)
    assert (await api.patch(f"/stocktakes/{open_one['id']}", {"status": "IN_PROGRESS"})).status == 204
    preview = await stage.call(TOOL, stocktake_id=open_one["id"], complete=True)
    assert preview["changes"] == [{"field": "status", "old": "IN_PROGRESS", "new": "COMPLETED"}]
    assert (await applied(stage, clock, preview))["applied"] == 2


async def test_nothing_is_planned_while_katana_works_on_a_status_for_long(stage: Stage, tenant: Tenant) -> None:
    open_one = next(stocktake for stocktake in stocktakes(tenant) if stocktake["status"] == "IN_PROGRESS")
    tenant.edit("stocktakes", open_one["id"], status_update_in_progress=True)
    preview = await stage.call(TOOL, stocktake_id=open_one["id"], complete=True)
    (blocked,) = [warning for warning in preview["warnings"] if warning["severity"] == "blocking"]
    assert (blocked["code"], "plan_token" in preview) == ("katana_unavailable", False)
    assert "still working on the status" in blocked["message"]


async def test_a_number_that_is_taken_meanwhile_is_not_the_one_that_is_counted(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    (first,) = goods(tenant, 1)
    preview = await stage.call(TOOL, location_id=NORTH, table=f"{first['sku']};1", complete=True)
    theirs = tenant.create("stocktakes", {"stocktake_number": "STK-9", "location_id": NORTH})
    outcome = await applied(stage, clock, preview)
    assert (outcome["number"], outcome["applied"]) == ("STK-10", 4)
    assert tenant.get("stocktakes", theirs["id"])["status"] == "NOT_STARTED"
    assert held(tenant, first["id"]) == 1


async def test_a_stocktake_that_stopped_halfway_is_rolled_back_by_its_deletion(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    (first,) = goods(tenant, 1)
    before = held(tenant, first["id"])
    preview = await stage.call(TOOL, location_id=NORTH, table=f"{first['sku']};1", complete=True)
    stage.own.sandbox.faults.add(Fault("PATCH /stocktakes/*", action=Drop("before"), nth=2, times=6))
    outcome = await applied(stage, clock, preview)
    assert outcome["applied"] < len(outcome["actions"])
    clock.advance(61)
    (back,) = (await stage.call("apply_plan", plan_tokens=[preview["plan_token"]], roll_back=True))["outcomes"]
    assert back["message"].startswith("done: roll back")
    assert [stocktake for stocktake in stocktakes(tenant) if stocktake["stocktake_number"] == "STK-9"] == []
    assert held(tenant, first["id"]) == before


async def test_a_count_that_somebody_else_enters_meanwhile_stops_the_plan(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    (first,) = goods(tenant, 1)
    await applied(stage, clock, await stage.call(TOOL, location_id=NORTH, skus_or_variant_ids=[first["sku"]]))
    preview = await stage.call(TOOL, stocktake_id="STK-9", table=f"{first['sku']};1")
    row = max(tenant.all("stocktake_rows"), key=lambda record: record["id"])
    tenant.edit("stocktake_rows", row["id"], counted_quantity=5)
    clock.advance(61)
    refusal = await stage.refusal("apply_plan", plan_tokens=[preview["plan_token"]])
    assert refusal["error"] == "stale_plan"


async def test_counts_of_a_stocktake_are_set_back_to_those_of_before(
    stage: Stage, clock: ManualClock, tenant: Tenant
) -> None:
    first, second = goods(tenant, 2)
    begun = await stage.call(TOOL, location_id=NORTH, skus_or_variant_ids=[first["sku"], second["sku"]])
    await applied(stage, clock, begun)
    await applied(stage, clock, await stage.call(TOOL, stocktake_id="STK-9", table=f"{first['sku']};1"))
    outcome = await applied(stage, clock, await stage.call(TOOL, stocktake_id="STK-9", table=f"{first['sku']};2"))
    await applied(stage, clock, await stage.call(outcome["revert"]["tool"], **outcome["revert"]["arguments"]))
    rows = {
        row["variant_id"]: row["counted_quantity"]
        for row in tenant.all("stocktake_rows")
        if row["variant_id"] in {first["id"], second["id"]}
    }
    assert rows[first["id"]] == 1


@pytest.mark.parametrize(
    ("asked", "code", "path"),
    [
        ({"table": "PAD;1"}, "invalid_argument", "location_id"),
        ({"location_id": "Nowhere", "table": "PAD;1"}, "not_found", "location_id"),
        ({"location_id": NORTH, "skus_or_variant_ids": ["NOWHERE"]}, "not_found", "skus_or_variant_ids[0]"),
        ({"stocktake_id": "STK-8", "table": "PAD;1"}, "locked", "stocktake_id"),
        ({"stocktake_id": "STK-1", "location_id": 10000102}, "invalid_argument", "location_id"),
        ({"stocktake_id": "STK-1", "stocktake_number": "X"}, "invalid_argument", "stocktake_number"),
        ({"delete": True}, "invalid_argument", "stocktake_id"),
        ({"stocktake_id": "STK-1", "delete": True, "complete": True}, "invalid_argument", "complete"),
        ({"location_id": NORTH, "category": "No such"}, "no_effective_change", None),
    ],
)
async def test_what_cannot_be_meant_is_blocked_by_its_place(
    stage: Stage, asked: Mapping[str, Any], code: str, path: str | None
) -> None:
    preview = await stage.call(TOOL, **asked)
    blocked = [
        (warning["code"], warning["field_path"]) for warning in preview["warnings"] if warning["severity"] == "blocking"
    ]
    assert (code, path) in blocked
    assert "plan_token" not in preview
