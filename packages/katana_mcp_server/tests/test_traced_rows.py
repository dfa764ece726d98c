"""Rows of transfers, adjustments and sales orders name batches and serial numbers: they move, stay told, come back."""

from typing import Any

import pytest
from journal_plans import hasty
from test_manufacturing_order_writes import applied, live
from tracked_goods import Tracked, two_batches, units_in_bin

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Drop, Fault, ManualClock, Tenant

TRANSFER, ADJUSTMENT, SALES = "create_stock_transfer", "create_stock_adjustment", "modify_sales_order"
PATH = "rows[0].traceability"
type Row = dict[str, Any]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.fixture
def units(tenant: Tenant) -> Tracked:
    return units_in_bin(tenant)


@pytest.fixture
def batches(tenant: Tenant) -> Tracked:
    return two_batches(tenant)


def row_of(goods: Tracked, quantity: float, *trace: Row) -> Row:
    return {"sku_or_variant_id": goods.sku, "quantity": quantity, "traceability": list(trace)}


def unit(key: int) -> Row:
    return {"serial_number_id": key}


def batch(key: int, quantity: float) -> Row:
    return {"batch_id": key, "quantity": quantity}


def elsewhere(tenant: Tenant, goods: Tracked) -> int:
    return next(place["id"] for place in live(tenant, "locations") if place["id"] != goods.place)


async def transferred(stage: Stage, tenant: Tenant, goods: Tracked, *rows: Row) -> Payload:
    places = {"source_location_id": goods.place, "destination_location_id": elsewhere(tenant, goods)}
    return payload_of(await stage.result(TRANSFER, {**places, "rows": list(rows)}))


async def adjusted(stage: Stage, goods: Tracked, *rows: Row) -> Payload:
    return payload_of(await stage.result(ADJUSTMENT, {"location_id": goods.place, "rows": list(rows)}))


def states(outcome: Payload) -> list[str]:
    return [action["state"] for action in outcome["actions"]]


def against(preview: Payload) -> list[tuple[str, str | None]]:
    return [(w["code"], w.get("field_path")) for w in preview["warnings"] if w["severity"] == "blocking"]


async def lying(stage: Stage, goods: Tracked, kind: str = "serial_number") -> dict[str, dict[int, float]]:
    """Return how much of each unit, or batch, lies at which location, by its number."""
    found = await stage.call("list_traceability", kind=kind, skus_or_variant_ids=[goods.sku])
    lies: dict[str, dict[int, float]] = {}
    for row in found["rows"]:
        number = row["serial_number" if kind == "serial_number" else "batch_number"]
        lies.setdefault(number, {})[row.get("location_id")] = float(row["quantity_in_stock"] if kind == "batch" else 1)
    return lies


async def test_the_units_that_a_transfer_names_arrive(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    target = elsewhere(tenant, units)
    preview = await transferred(stage, tenant, units, row_of(units, 2, unit(units.ids[0]), unit(units.ids[2])))
    assert {"field": "rows[0].traceability", "new": f"serial_number_id {units.ids[0]}, {units.ids[2]}"} in preview[
        "changes"
    ]
    outcome = await applied(stage, clock, preview)
    assert states(outcome) == ["applied"]
    made = {"stock_transfer_id": outcome["id"], "status": "received"}
    await applied(stage, clock, payload_of(await stage.result("modify_stock_transfer", made)))
    clock.advance(61)
    lies = await lying(stage, units)
    assert {number: [*places] for number, places in lies.items()} == {
        "U-1": [target],
        "U-2": [units.place],
        "U-3": [target],
    }


async def test_a_deleted_transfer_is_made_again_with_its_batches(
    stage: Stage, clock: ManualClock, tenant: Tenant, batches: Tracked
) -> None:
    named = [batch(batches.ids[0], 2), batch(batches.ids[1], 1)]
    made = await applied(stage, clock, await transferred(stage, tenant, batches, row_of(batches, 3, *named)))
    gone = {"stock_transfer_id": made["id"]}
    deleted = await applied(stage, clock, payload_of(await stage.result("delete_stock_transfer", gone)))
    back = deleted["revert"]
    assert back["tool"] == TRANSFER
    again = await applied(stage, clock, payload_of(await stage.result(back["tool"], back["arguments"])))
    (row,) = tenant.get("stock_transfers", again["id"])["stock_transfer_rows"]
    found = [(entry["batch_id"], float(entry["quantity"])) for entry in row["traceability"]]
    assert found == [(batches.ids[0], 2), (batches.ids[1], 1)]


async def test_a_lost_answer_to_a_traced_transfer_is_looked_up_and_made_once(
    stage: Stage, clock: ManualClock, tenant: Tenant, batches: Tracked
) -> None:
    preview = await transferred(stage, tenant, batches, row_of(batches, 2, batch(batches.ids[0], 2)))
    stage.own.sandbox.faults.add(Fault("POST /stock_transfers", action=Drop("after")))
    outcome = await applied(stage, clock, preview)
    assert states(outcome) == ["applied"]
    numbers = [transfer["stock_transfer_number"] for transfer in tenant.all("stock_transfers")]
    assert numbers.count(outcome["number"]) == 1


async def test_an_adjustment_adds_to_a_batch_and_takes_from_another(
    stage: Stage, clock: ManualClock, tenant: Tenant, batches: Tracked
) -> None:
    first, second = batches.ids
    rows = row_of(batches, 3, batch(first, 3)), row_of(batches, -2, batch(second, 2))
    preview = await adjusted(stage, batches, *rows)
    shown = {change["field"]: change["new"] for change in preview["changes"] if "traceability" in change["field"]}
    assert shown == {
        "rows[0].traceability": f"3 of batch_id {first}",
        "rows[1].traceability": f"2 of batch_id {second}",
    }
    outcome = await applied(stage, clock, preview)
    assert states(outcome) == ["applied"]
    clock.advance(61)
    lies = await lying(stage, batches, "batch")
    assert (lies["L-1"][batches.place], lies["L-2"][batches.place]) == (8, 2)
    gone = {"stock_adjustment_id": outcome["id"]}
    deleted = await applied(stage, clock, payload_of(await stage.result("delete_stock_adjustment", gone)))
    again = deleted["revert"]["arguments"]["rows"]
    assert [(row["quantity"], row["traceability"]) for row in again] == [
        (3, [batch(first, 3)]),
        (-2, [batch(second, 2)]),
    ]


@pytest.mark.parametrize("tool", [TRANSFER, ADJUSTMENT])
async def test_units_that_cannot_be_meant_are_refused(
    tool: str, stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    sign = 1 if tool == TRANSFER else -1
    one, two, _ = map(unit, units.ids)
    plain = next(variant["sku"] for variant in live(tenant, "variants") if variant["sku"] not in (None, "", units.sku))
    cases: list[tuple[Row, tuple[str, str]]] = [
        (row_of(units, 3 * sign, one, two), ("serial_count_mismatch", PATH)),
        (row_of(units, 1 * sign, one, two), ("serial_count_mismatch", PATH)),
        (row_of(units, 2 * sign, one, unit(99_999_999)), ("not_found", PATH)),
        (row_of(units, 2 * sign, one, one), ("duplicate_row_overrides", PATH)),
        ({**row_of(units, 1 * sign, one), "sku_or_variant_id": plain}, ("not_found", PATH)),
    ]
    for row, expected in cases:
        clock.advance(61)
        asked = transferred(stage, tenant, units, row) if tool == TRANSFER else adjusted(stage, units, row)
        assert expected in against(await asked), row
    clock.advance(61)
    rows = row_of(units, 1 * sign, one), row_of(units, 1 * sign, one)
    asked = transferred(stage, tenant, units, *rows) if tool == TRANSFER else adjusted(stage, units, *rows)
    assert against(await asked) == [("duplicate_row_overrides", "rows[1].traceability")]


async def test_batches_that_cannot_be_meant_are_refused_and_what_does_not_lie_there_is_said(
    stage: Stage, clock: ManualClock, tenant: Tenant, batches: Tracked
) -> None:
    first, second = batches.ids
    cases: list[tuple[Row, list[tuple[str, str]]]] = [
        (row_of(batches, 2, batch(first, 3)), [("batch_sum_mismatch", PATH)]),
        (row_of(batches, 4, batch(first, 3)), [("batch_sum_mismatch", PATH)]),
        (row_of(batches, 4, batch(first, 3), batch(second, 1)), []),
        (row_of(batches, 1, batch(99_999_999, 1)), [("not_found", PATH)]),
    ]
    for row, expected in cases:
        clock.advance(61)
        assert against(await transferred(stage, tenant, batches, row)) == expected, row
    clock.advance(61)
    preview = await transferred(stage, tenant, batches, row_of(batches, 6, batch(first, 6)))
    said = [warning["message"] for warning in preview["warnings"] if warning["code"] == "insufficient_stock"]
    assert f"{PATH}: 6 of batch L-1, of which 5 lie there" in said
    assert "plan_token" in preview
    clock.advance(61)
    unknown = await transferred(stage, tenant, batches, row_of(batches, 1, batch(99_999_999, 1)))
    assert f"L-1 ({first})" in str(unknown["warnings"])


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({}, "needs batch_id with quantity, or serial_number_id"),
        ({"batch_id": 7, "serial_number_id": 8}, "needs batch_id with quantity, or serial_number_id"),
        ({"batch_id": 7}, "needs quantity"),
        ({"serial_number_id": 7, "quantity": 2}, "quantity of a serial number is 1"),
        ({"batch_id": 7, "quantity": 0}, "quantity"),
        ({"batch": 7, "quantity": 1}, "batch"),
    ],
)
async def test_an_entry_is_a_batch_with_its_quantity_or_a_unit(
    entry: Row, why: str, stage: Stage, tenant: Tenant, units: Tracked
) -> None:
    assert why in str(await transferred(stage, tenant, units, row_of(units, 1, entry)))


def sold(tenant: Tenant, goods: Tracked, quantity: int) -> Row:
    body = {
        "order_no": "SO-TRACED",
        "customer_id": live(tenant, "customers")[0]["id"],
        "location_id": goods.place,
        "sales_order_rows": [{"variant_id": goods.variant, "quantity": quantity, "price_per_unit": 90}],
    }
    return tenant.create("sales_orders", body)


async def reserved(stage: Stage, order: Row, *trace: Row) -> Payload:
    rows = [{"row_id": order["sales_order_rows"][0]["id"], "traceability": list(trace)}]
    return payload_of(await stage.result(SALES, {"sales_order_id": order["id"], "update_rows": rows}))


def held(tenant: Tenant, order: Row) -> list[int]:
    row = tenant.get("sales_order_rows", order["sales_order_rows"][0]["id"])
    return [entry["serial_number_id"] for entry in row["traceability"] if entry.get("serial_number_id")]


async def test_units_are_reserved_for_a_row_of_a_sales_order_and_set_free_again(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    order = sold(tenant, units, 3)
    preview = await reserved(stage, order, *map(unit, units.ids[:2]))
    assert f"serial_number_id {units.ids[0]}, {units.ids[1]}" in str(preview["changes"])
    outcome = await applied(stage, clock, preview)
    assert (states(outcome), held(tenant, order)) == (["applied"], units.ids[:2])
    clock.advance(61)
    same = await reserved(stage, order, *map(unit, reversed(units.ids[:2])))
    assert against(same) == [("no_effective_change", None)]
    back = outcome["revert"]
    assert back["arguments"]["update_rows"][0]["traceability"] == []
    await applied(stage, clock, payload_of(await stage.result(back["tool"], back["arguments"])))
    assert held(tenant, order) == []


async def test_a_row_of_a_sales_order_reserves_no_more_than_it_sells(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    order, path = sold(tenant, units, 1), "update_rows[0].traceability"
    assert against(await reserved(stage, order, *map(unit, units.ids[:2]))) == [("serial_count_mismatch", path)]
    clock.advance(61)
    assert against(await reserved(stage, order, unit(99_999_999))) == [("not_found", path)]


async def test_batches_are_reserved_in_part_and_an_empty_list_sets_them_free(
    stage: Stage, clock: ManualClock, tenant: Tenant, batches: Tracked
) -> None:
    order = sold(tenant, batches, 4)
    outcome = await applied(stage, clock, await reserved(stage, order, batch(batches.ids[0], 3)))
    assert states(outcome) == ["applied"]
    clock.advance(61)
    preview = await reserved(stage, order)
    assert f"3 of batch_id {batches.ids[0]}" in str(preview["changes"])
    freed = await applied(stage, clock, preview)
    assert freed["revert"]["arguments"]["update_rows"][0]["traceability"] == [batch(batches.ids[0], 3)]


async def test_units_are_reserved_on_an_order_of_which_a_part_is_shipped(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked, batches: Tracked
) -> None:
    first, second = ({"variant_id": goods.variant, "quantity": 2, "price_per_unit": 9} for goods in (units, batches))
    customer = live(tenant, "customers")[0]["id"]
    body = {"order_no": "SO-HALF", "customer_id": customer, "location_id": units.place}
    order = tenant.create("sales_orders", {**body, "sales_order_rows": [first, second]})
    shipped = {"sales_order_id": order["id"], "rows": [{"row_id": order["sales_order_rows"][1]["id"]}]}
    await applied(stage, clock, payload_of(await stage.result("fulfill_order", shipped)))
    clock.advance(61)
    outcome = await applied(stage, clock, await reserved(stage, order, unit(units.ids[0])))
    assert (states(outcome), held(tenant, order)) == (["applied"], units.ids[:1])


async def test_a_unit_is_promised_once(stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked) -> None:
    order = sold(tenant, units, 2)
    await applied(stage, clock, await reserved(stage, order, unit(units.ids[0])))
    row = {"variant_id": units.variant, "quantity": 1, "price_per_unit": 9}
    body = {"order_no": "SO-OTHER", "customer_id": live(tenant, "customers")[0]["id"], "location_id": units.place}
    other = tenant.create("sales_orders", {**body, "sales_order_rows": [row]})
    clock.advance(61)
    refused = await reserved(stage, other, unit(units.ids[0]))
    assert against(refused) == [("in_use", "update_rows[0].traceability")]
    mine = order["sales_order_rows"][0]["id"]
    assert f"U-1 ({units.ids[0]}) is reserved for row {mine} of a sales order" in str(refused["warnings"])
    clock.advance(61)
    preview = await transferred(stage, tenant, units, row_of(units, 1, unit(units.ids[0])))
    assert [w["severity"] for w in preview["warnings"] if w["code"] == "in_use"] == ["advisory"]


async def test_fewer_goods_than_are_reserved_and_other_goods_are_told(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked, batches: Tracked
) -> None:
    order = sold(tenant, units, 3)
    await applied(stage, clock, await reserved(stage, order, *map(unit, units.ids)))
    clock.advance(61)
    row: Row = {"row_id": order["sales_order_rows"][0]["id"]}
    fewer = {"sales_order_id": order["id"], "update_rows": [{**row, "quantity": 1}]}
    refused = payload_of(await stage.result(SALES, fewer))
    assert against(refused) == [("serial_count_mismatch", "update_rows[0].quantity")]
    clock.advance(61)
    both = {**fewer, "update_rows": [{**row, "quantity": 1, "traceability": [unit(units.ids[1])]}]}
    await applied(stage, clock, payload_of(await stage.result(SALES, both)))
    assert held(tenant, order) == [units.ids[1]]
    clock.advance(61)
    other = {"sales_order_id": order["id"], "update_rows": [{**row, "sku_or_variant_id": batches.sku}]}
    preview = payload_of(await stage.result(SALES, other))
    assert ("no_way_back", "update_rows[0]") in [(w["code"], w.get("field_path")) for w in preview["warnings"]]


async def test_what_comes_may_be_of_a_new_batch_but_no_unit_comes_twice(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked, batches: Tracked
) -> None:
    made = tenant.create("batches", {"batch_number": "L-9", "variant_id": batches.variant})["id"]
    outcome = await applied(stage, clock, await adjusted(stage, batches, row_of(batches, 3, batch(made, 3))))
    assert states(outcome) == ["applied"]
    clock.advance(61)
    twice = await adjusted(stage, units, row_of(units, 1, unit(units.ids[0])))
    assert against(twice) == [("invalid_argument", PATH)]
    assert f"U-1 ({units.ids[0]}) is in stock already" in str(twice["warnings"])
    clock.advance(61)
    assert against(await adjusted(stage, units, row_of(units, 1, unit(99_999_999)))) == [("not_found", PATH)]


async def test_a_unit_that_has_left_is_not_there_for_another_transfer(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    drafts = [
        await applied(stage, clock, await transferred(stage, tenant, units, row_of(units, 1, unit(units.ids[0]))))
        for _ in "12"
    ]
    first, second = ({"stock_transfer_id": draft["id"], "status": "received"} for draft in drafts)
    await applied(stage, clock, payload_of(await stage.result("modify_stock_transfer", first)))
    clock.advance(61)
    preview = payload_of(await stage.result("modify_stock_transfer", second))
    said = [(w["severity"], w["field_path"]) for w in preview["warnings"] if w["code"] == "not_found"]
    assert said == [("advisory", "status")]


async def test_a_delivered_unit_is_gone_whatever_bin_it_lay_in(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    order = sold(tenant, units, 1)
    await applied(stage, clock, await reserved(stage, order, unit(units.ids[0])))
    shipped = payload_of(await stage.result("fulfill_order", {"sales_order_id": order["id"]}))
    await applied(stage, clock, shipped)
    clock.advance(61)
    refused = await transferred(stage, tenant, units, row_of(units, 1, unit(units.ids[0])))
    assert against(refused) == [("not_found", PATH)]


async def test_rows_that_together_take_more_of_a_batch_than_there_is_say_so(stage: Stage, batches: Tracked) -> None:
    rows = [row_of(batches, -4, batch(batches.ids[0], 4))] * 2
    preview = await adjusted(stage, batches, *rows)
    said = [(w["field_path"], w["message"]) for w in preview["warnings"] if "batch L-1" in w["message"]]
    less = "4 of batch L-1, of which 1 are left there by the rows before it"
    assert said == [("rows[1].traceability", f"rows[1].traceability: {less}")]


async def test_an_adjustment_by_nothing_is_refused_in_a_sentence(stage: Stage, batches: Tracked) -> None:
    refused = await adjusted(stage, batches, {"sku_or_variant_id": batches.sku, "quantity": 0})
    assert against(refused) == [("invalid_quantity", "rows[0].quantity")]
