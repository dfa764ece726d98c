"""Units with serial numbers move between bins as the units that they are, or the plan says why not."""

from typing import Any

import pytest
from journal_plans import hasty
from test_bin_transfers import TOOL, against
from test_manufacturing_order_writes import applied, live
from tracked_goods import Tracked, units_in_bin

from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Drop, Fault, ManualClock, Tenant

type Row = dict[str, Any]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.fixture
def units(tenant: Tenant) -> Tracked:
    return units_in_bin(tenant)


async def planned(stage: Stage, units: Tracked, *rows: Row) -> Payload:
    return payload_of(await stage.result(TOOL, {"location_id": units.place, "rows": list(rows)}))


def move(units: Tracked, ids: list[int], **other: object) -> Row:
    row = {"sku_or_variant_id": units.sku, "quantity": len(ids), "from_bin": "A-1", "to_bin": "B-2"}
    return {**row, "serial_number_ids": ids, **other}


async def lying(stage: Stage, units: Tracked) -> dict[str, str | None]:
    """Return the bin of each unit, by its number."""
    found = await stage.call("list_traceability", kind="serial_number", skus_or_variant_ids=[units.sku])
    return {row["serial_number"]: row.get("bin") for row in found["rows"]}


async def test_units_that_are_named_move_and_come_back(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    assert await lying(stage, units) == {"U-1": "A-1", "U-2": "A-1", "U-3": "A-1"}
    outcome = await applied(stage, clock, await planned(stage, units, move(units, units.ids[:2])))
    (row,) = next(tenant.all("bin_transfers"))["bin_transfer_rows"]
    assert [(one["serial_number_id"], float(one["quantity"])) for one in row["traceability"]] == [
        (key, 1) for key in units.ids[:2]
    ]
    clock.advance(61)
    assert await lying(stage, units) == {"U-1": "B-2", "U-2": "B-2", "U-3": "A-1"}
    back = outcome["revert"]
    assert back["arguments"]["rows"][0]["serial_number_ids"] == units.ids[:2]
    await applied(stage, clock, payload_of(await stage.result(back["tool"], back["arguments"])))
    clock.advance(61)
    assert await lying(stage, units) == {"U-1": "A-1", "U-2": "A-1", "U-3": "A-1"}


async def test_units_that_cannot_be_meant_are_refused_where_they_stand(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    tenant.create("bin_locations", {"bin_name": "C-3", "location_id": units.place})
    plain = next(variant["sku"] for variant in live(tenant, "variants") if variant["sku"] not in (None, units.sku))
    path = "rows[0].serial_number_ids"
    cases: list[tuple[Row, list[tuple[str, str]]]] = [
        (move(units, units.ids[:2], quantity=3), [("serial_count_mismatch", path)]),
        (move(units, units.ids[:2], quantity=1), [("serial_count_mismatch", path)]),
        (move(units, [units.ids[0], 99_999_999]), [("not_found", path)]),
        (move(units, units.ids[:1], from_bin="C-3"), [("not_found", path)]),
        (move(units, units.ids[:1], from_bin=None), [("not_found", path)]),
        (move(units, [units.ids[0], units.ids[0]]), [("duplicate_row_overrides", path)]),
        (move(units, units.ids[:1], sku_or_variant_id=plain), [("not_found", path)]),
    ]
    for row, expected in cases:
        clock.advance(61)
        assert against(await planned(stage, units, row)) == expected, row
    clock.advance(61)
    twice = await planned(stage, units, move(units, units.ids[:2]), move(units, units.ids[1:], to_bin="C-3"))
    assert against(twice) == [("duplicate_row_overrides", "rows[1].serial_number_ids")]
    clock.advance(61)
    both = await planned(stage, units, move(units, units.ids[:1], batch="L-1"))
    assert ("invalid_argument", path) in against(both)


async def test_units_that_nobody_names_move_unnamed_and_that_is_said(stage: Stage, units: Tracked) -> None:
    row = {"sku_or_variant_id": units.sku, "quantity": 1, "from_bin": "A-1", "to_bin": "B-2"}
    preview = await planned(stage, units, row)
    (warning,) = [one for one in preview["warnings"] if one["code"] == "serial_numbers_required"]
    assert (warning["severity"], warning["field_path"]) == ("advisory", "rows[0]")
    assert "serial_number_ids" in warning["message"]
    assert "plan_token" in preview


async def test_a_plan_is_stale_once_a_unit_lies_elsewhere(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    other = tenant.create("bin_locations", {"bin_name": "C-3", "location_id": units.place})["id"]
    preview = await planned(stage, units, move(units, units.ids[:1]))
    row = next(row for row in tenant.all("purchase_order_rows") if len(row.get("traceability") or ()) == len(units.ids))
    first, *rest = row["traceability"]
    tenant.edit("purchase_order_rows", row["id"], traceability=[{**first, "bin_location_id": other}, *rest])
    clock.advance(61)
    answer = payload_of(await stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]}))
    assert answer["error"] == "stale_plan", answer
    assert f"{units.ids[0]} lies in C-3, not in A-1" in str(answer), answer


async def test_a_lost_answer_is_looked_up_and_no_unit_moves_twice(
    stage: Stage, clock: ManualClock, tenant: Tenant, units: Tracked
) -> None:
    preview = await planned(stage, units, move(units, units.ids[:1]))
    stage.own.sandbox.faults.add(Fault("POST /bin_transfers", action=Drop("after")))
    outcome = await applied(stage, clock, preview)
    assert [transfer["bin_transfer_number"] for transfer in tenant.all("bin_transfers")] == [outcome["number"]]
    clock.advance(61)
    assert (await lying(stage, units))["U-1"] == "B-2"
