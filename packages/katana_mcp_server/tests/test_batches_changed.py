"""Batches made and changed through a server: what Katana then has, what is refused, what is lost."""

from typing import Any

import pytest
from journal_plans import hasty
from test_manufacturing_order_writes import applied, live

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_sandbox import Drop, Fault, ManualClock, Tenant

TOOL = "modify_traceability"
type Batch = dict[str, Any]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _item(tenant: Tenant, sku: str, *, tracked: bool = True) -> int:
    body = {"name": f"Resin {sku}", "uom": "kg", "batch_tracked": tracked, "variants": [{"sku": sku}]}
    return tenant.create("materials", body)["variants"][0]["id"]


def _batch(tenant: Tenant, variant: int, number: str, places: int = 2) -> Batch:
    """Return a new batch that has stock at so many locations."""
    made = tenant.create("batches", {"batch_number": number, "variant_id": variant})
    for place in live(tenant, "locations")[:places]:
        entry = {"batch_id": made["id"], "quantity": 5}
        row = {"variant_id": variant, "quantity": 5, "cost_per_unit": 1, "batch_transactions": [entry]}
        tenant.create("stock_adjustments", {"location_id": place["id"], "stock_adjustment_rows": [row]})
    return made


@pytest.fixture
def resin(tenant: Tenant) -> int:
    return _item(tenant, "RESIN")


@pytest.fixture
def lot(tenant: Tenant, resin: int) -> Batch:
    return _batch(tenant, resin, "L-1")


async def _planned(stage: Stage, **arguments: object) -> Payload:
    return payload_of(await stage.result(TOOL, {"sku_or_variant_id": "RESIN", **arguments}))


def _against(preview: Payload) -> list[tuple[str, str | None]]:
    """Return codes and paths of what speaks against a plan."""
    assert "plan_token" not in preview
    return [
        (warning["code"], warning["field_path"]) for warning in preview["warnings"] if warning["severity"] == "blocking"
    ]


@pytest.mark.parametrize("named", ["l-1", "id"])
async def test_a_batch_that_lies_in_two_places_is_changed_once_and_comes_back(
    stage: Stage, clock: ManualClock, tenant: Tenant, lot: Batch, named: str
) -> None:
    tenant.edit("batches", lot["id"], expiration_date="2026-09-01T00:00:00.000Z")
    batch = lot["id"] if named == "id" else named
    asked = {"batch": batch, "batch_number": "L-1b", "expiration_date": "2027-01-31", "batch_barcode": "abc-1"}
    preview = await _planned(stage, **asked)
    fields = [change["field"] for change in preview["changes"]]
    assert fields == ["batch_number", "batch_barcode", "expiration_date"]
    (request,) = preview["requests"]
    assert request["path"] == f"/batch_stocks/{lot['id']}"
    outcome = await applied(stage, clock, preview)
    assert outcome["applied"] == 1
    held = tenant.get("batches", lot["id"])
    assert (held["batch_number"], held["batch_barcode"]) == ("L-1b", "abc-1")
    clock.advance(61)
    back = payload_of(await stage.result(outcome["revert"]["tool"], outcome["revert"]["arguments"]))
    await applied(stage, clock, back)
    held = tenant.get("batches", lot["id"])
    assert (held["batch_number"], held["batch_barcode"]) == ("L-1", None)
    assert held["expiration_date"].startswith("2026-09-01")


async def test_a_new_batch_is_made_and_there_is_no_way_back(
    stage: Stage, clock: ManualClock, tenant: Tenant, resin: int
) -> None:
    preview = await _planned(stage, batch_number="L-9", expiration_date="2027-05-01")
    assert preview["message"].startswith("new batch L-9 of RESIN")
    assert [warning["message"] for warning in preview["warnings"] if warning["code"] == "no_way_back"]
    assert (await applied(stage, clock, preview))["applied"] == 1
    (made,) = [batch for batch in tenant.all("batches") if batch["batch_number"] == "L-9"]
    assert made["variant_id"] == resin


@pytest.mark.parametrize("lost", [Drop("before"), Drop("after")], ids=["before", "after"])
async def test_a_lost_answer_to_a_new_batch_stays_unknown_and_is_not_said_to_be_safe(
    stage: Stage, clock: ManualClock, resin: int, lost: Drop
) -> None:
    del resin
    preview = await _planned(stage, batch_number="L-9")
    stage.own.sandbox.faults.add(Fault("POST /batches", action=lost))
    outcome = await applied(stage, clock, preview)
    assert outcome["unknown"] == 1
    assert "same call again is safe" not in outcome["message"]


@pytest.mark.parametrize("lost", [Drop("before"), Drop("after")], ids=["before", "after"])
async def test_a_lost_answer_to_a_change_is_looked_up_wherever_the_batch_lies(
    stage: Stage, clock: ManualClock, tenant: Tenant, lot: Batch, lost: Drop
) -> None:
    preview = await _planned(stage, batch="L-1", expiration_date="2027-01-31")
    stage.own.sandbox.faults.add(Fault("PATCH /batch_stocks/*", action=lost))
    outcome = await applied(stage, clock, preview)
    (action,) = outcome["actions"]
    assert action["state"] == ("applied" if lost == Drop("after") else "unknown")
    assert ("same call again is safe" in outcome["message"]) is (action["state"] == "unknown")
    assert (tenant.get("batches", lot["id"])["expiration_date"] is not None) is (action["state"] == "applied")


async def test_what_is_meant_is_certain_or_refused_where_it_stands(
    stage: Stage, clock: ManualClock, tenant: Tenant, resin: int, lot: Batch
) -> None:
    twin = _batch(tenant, resin, "L-2", 1)
    tenant.edit("batches", twin["id"], batch_number="l-1 ")
    third = _batch(tenant, resin, "L-3", 1)
    cases: list[tuple[dict[str, object], list[tuple[str, str | None]]]] = [
        ({}, [("invalid_argument", "batch_number")]),
        ({"batch": "NOBODY", "batch_number": "X"}, [("not_found", "batch")]),
        ({"batch": "L-3", "batch_number": "L-1"}, [("duplicate_name", "batch_number")]),
        ({"batch_number": "l-3"}, [("duplicate_name", "batch_number")]),
        ({"batch": "L-3", "batch_number": "L-3"}, [("no_effective_change", None)]),
        ({"batch": third["id"], "batch_barcode": None}, [("no_effective_change", None)]),
        ({"batch": "l-1", "batch_barcode": "abc"}, [("ambiguous_name", "batch")]),
        ({"sku_or_variant_id": "NOBODY", "batch_number": "X"}, [("not_found", "sku_or_variant_id")]),
    ]
    for asked, expected in cases:
        clock.advance(61)
        assert _against(await _planned(stage, **asked)) == expected, asked
    clock.advance(61)
    assert "plan_token" in await _planned(stage, batch="L-1", batch_barcode="abc"), "to the letter it is one"
    assert lot["id"] != twin["id"]


async def test_an_item_that_is_not_kept_in_batches_is_said_to_be_so(stage: Stage, tenant: Tenant) -> None:
    _item(tenant, "SAND", tracked=False)
    preview = await _planned(stage, sku_or_variant_id="SAND", batch_number="L-1")
    assert _against(preview) == [("invalid_argument", "sku_or_variant_id")]
    assert "batch_tracked=true" in preview["warnings"][0]["message"]


async def test_a_batch_that_would_expire_before_it_was_made_is_told(stage: Stage, lot: Batch) -> None:
    preview = await _planned(stage, batch=lot["id"], batch_created_date="2026-03-01", expiration_date="2026-02-01")
    assert [warning["field_path"] for warning in preview["warnings"] if warning["severity"] == "advisory"] == [
        "expiration_date"
    ]


async def test_a_plan_is_stale_once_somebody_else_changes_the_batch(
    stage: Stage, clock: ManualClock, tenant: Tenant, lot: Batch
) -> None:
    preview = await _planned(stage, batch="L-1", expiration_date="2027-01-31")
    tenant.edit("batches", lot["id"], True, expiration_date="2026-12-24T00:00:00.000Z")
    answer = payload_of(await within(clock, 300, stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})))
    assert answer["error"] == "stale_plan"
    assert "expiration_date" in answer["warnings"][0]["message"]
