"""Goods moved between bins through a server: what then lies where, what is refused, what is lost."""

from typing import Any

import pytest
from journal_plans import hasty
from test_manufacturing_order_writes import applied, live

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_sandbox import Drop, Fault, ManualClock, Tenant

TOOL = "plan_bin_transfer"
type Transfer = dict[str, Any]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.fixture
def place(tenant: Tenant) -> int:
    return int(live(tenant, "locations")[0]["id"])


def _bin(tenant: Tenant, place: int, name: str) -> int:
    return int(tenant.create("bin_locations", {"bin_name": name, "location_id": place})["id"])


@pytest.fixture
def shelf(tenant: Tenant, place: int) -> int:
    return _bin(tenant, place, "A-1")


def _goods(tenant: Tenant, place: int, shelf: int | None, sku: str = "RESIN", **item: object) -> int:
    """Return the variant of a new material of which 5 lie in a bin."""
    body = {"name": f"Resin {sku}", "uom": "kg", "variants": [{"sku": sku}], **item}
    key = int(tenant.create("materials", body)["variants"][0]["id"])
    trace = {} if shelf is None else {"traceability": [{"bin_location_id": shelf, "quantity": 5}]}
    row = {"variant_id": key, "quantity": 5, "cost_per_unit": 1, **trace}
    tenant.create("stock_adjustments", {"location_id": place, "stock_adjustment_rows": [row]})
    return key


@pytest.fixture
def resin(tenant: Tenant, place: int, shelf: int) -> int:
    return _goods(tenant, place, shelf)


async def _planned(stage: Stage, **arguments: object) -> Payload:
    return payload_of(await stage.result(TOOL, arguments))


def _row(**other: object) -> dict[str, object]:
    return {"sku_or_variant_id": "RESIN", "quantity": 3, "from_bin": "A-1", "to_bin": "B-2", **other}


def against(preview: Payload) -> list[tuple[str, str | None]]:
    """Return codes and paths of what speaks against a plan."""
    assert "plan_token" not in preview, preview
    return [
        (warning["code"], warning["field_path"]) for warning in preview["warnings"] if warning["severity"] == "blocking"
    ]


async def _lying(stage: Stage, sku: str = "RESIN") -> dict[str | None, float]:
    found = await stage.call("list_traceability", kind="bin", skus_or_variant_ids=[sku])
    return {row.get("bin"): row["quantity_in_stock"] for row in found["rows"]}


async def test_goods_move_to_a_bin_that_is_made_and_back(
    stage: Stage, clock: ManualClock, tenant: Tenant, place: int, resin: int
) -> None:
    preview = await _planned(stage, location_id=place, rows=[_row()])
    assert preview["stock"] == ["RESIN in A-1: 5 → 2", "RESIN in B-2: 0 → 3"]
    assert [warning["message"] for warning in preview["warnings"] if "is made first" in warning["message"]]
    calls = [(request["method"], request["path"].split("/")[1]) for request in preview["requests"]]
    assert calls == [("POST", "bin_locations"), ("POST", "bin_transfers"), ("PATCH", "bin_transfers")]
    assert (preview["lines"][0]["location"], preview["status"]) == ("A-1 → B-2", "DONE")
    before = tenant.get("inventory", (resin, place))["quantity_in_stock"]
    outcome = await applied(stage, clock, preview)
    assert outcome["applied"] == 3
    assert await _lying(stage) == {"A-1": 2, "B-2": 3}
    assert tenant.get("inventory", (resin, place))["quantity_in_stock"] == before, "the location's stock stays"
    clock.advance(61)
    back = payload_of(await stage.result(outcome["revert"]["tool"], outcome["revert"]["arguments"]))
    assert len(back["requests"]) == 2
    await applied(stage, clock, back)
    assert await _lying(stage) == {"A-1": 5}


@pytest.mark.usefixtures("resin")
async def test_a_transfer_is_begun_sent_and_finished_one_plan_after_the_other(
    stage: Stage, clock: ManualClock, tenant: Tenant, place: int
) -> None:
    _bin(tenant, place, "B-2")
    outcome = await applied(stage, clock, await _planned(stage, location_id=place, rows=[_row()], status="created"))
    number = str(next(tenant.all("bin_transfers"))["bin_transfer_number"])
    assert await _lying(stage) == {"A-1": 5}
    seen: list[dict[str | None, float]] = []
    stock_changes: list[list[str]] = []
    for status in ("in transit", None):
        clock.advance(61)
        preview = await _planned(stage, bin_transfer=number.lower(), **({"status": status} if status else {}))
        stock_changes.append(preview["stock"])
        await applied(stage, clock, preview)
        seen.append(await _lying(stage))
    assert seen == [{"A-1": 2}, {"A-1": 2, "B-2": 3}]
    assert stock_changes == [["RESIN in A-1: 5 → 2"], ["RESIN in B-2: 0 → 3"]]
    clock.advance(61)
    assert against(await _planned(stage, bin_transfer=number)) == [("no_effective_change", "status")]
    (row,) = (await stage.call("list_reference", kind="bin transfer", query="done"))["rows"]
    assert (row["name"], row["description"]) == (number, "DONE, 1 row")
    clock.advance(61)
    gone = payload_of(await stage.result(outcome["revert"]["tool"], outcome["revert"]["arguments"]))
    assert "not documented" in gone["warnings"][0]["message"]
    await applied(stage, clock, gone)
    assert not live(tenant, "bin_transfers")


async def test_a_batch_moves_as_the_batch_that_it_is(
    stage: Stage, clock: ManualClock, tenant: Tenant, place: int, shelf: int
) -> None:
    key = _goods(tenant, place, None, "PAINT", batch_tracked=True)
    made = tenant.create("batches", {"batch_number": "L-1", "variant_id": key})
    trace = [{"batch_id": made["id"], "bin_location_id": shelf, "quantity": 4}]
    row = {"variant_id": key, "quantity": 4, "cost_per_unit": 1, "traceability": trace}
    tenant.create("stock_adjustments", {"location_id": place, "stock_adjustment_rows": [row]})
    asked = _row(sku_or_variant_id="PAINT", batch="l-1")
    await applied(stage, clock, await _planned(stage, location_id=place, rows=[asked]))
    (moved,) = next(tenant.all("bin_transfers"))["bin_transfer_rows"]
    assert [(entry["batch_id"], float(entry["quantity"])) for entry in moved["traceability"]] == [(made["id"], 3)]
    clock.advance(61)
    asked = _row(sku_or_variant_id="PAINT", batch="L-2")
    assert against(await _planned(stage, location_id=place, rows=[asked])) == [("not_found", "rows[0].batch")]


@pytest.mark.usefixtures("resin")
async def test_what_is_meant_is_certain_or_refused_where_it_stands(
    stage: Stage, clock: ManualClock, tenant: Tenant, place: int
) -> None:
    _bin(tenant, place, "TWIN")
    _bin(tenant, place, "twin ")
    cases: list[tuple[dict[str, object], list[tuple[str, str | None]]]] = [
        ({}, [("invalid_argument", "location_id"), ("invalid_argument", "rows")]),
        ({"location_id": place}, [("invalid_argument", "rows")]),
        ({"location_id": "Nowhere", "rows": [_row()]}, [("not_found", "location_id")]),
        (
            {"location_id": place, "rows": [_row(sku_or_variant_id="NOBODY")]},
            [("not_found", "rows[0].sku_or_variant_id")],
        ),
        ({"location_id": place, "rows": [_row(from_bin="Z-9")]}, [("not_found", "rows[0].from_bin")]),
        ({"location_id": place, "rows": [_row(to_bin=7)]}, [("not_found", "rows[0].to_bin")]),
        ({"location_id": place, "rows": [_row(to_bin="Twin")]}, [("ambiguous_name", "rows[0].to_bin")]),
        ({"location_id": place, "rows": [_row(to_bin="a-1")]}, [("no_effective_change", "rows[0]")]),
        (
            {"location_id": place, "rows": [_row(from_bin=None, to_bin=None)]},
            [("no_effective_change", "rows[0]")],
        ),
        ({"bin_transfer": "BT-99"}, [("not_found", "bin_transfer")]),
        ({"bin_transfer": "BT-99", "rows": [_row()]}, [("invalid_argument", "rows"), ("not_found", "bin_transfer")]),
        ({"delete": True, "location_id": place, "rows": [_row()]}, [("invalid_argument", "bin_transfer")]),
    ]
    for asked, expected in cases:
        clock.advance(61)
        assert against(await _planned(stage, **asked)) == expected, asked


@pytest.mark.usefixtures("resin")
async def test_more_than_lies_in_a_bin_is_told_and_still_possible(stage: Stage, place: int) -> None:
    preview = await _planned(stage, location_id=place, rows=[_row(quantity=4), _row(quantity=4, to_bin="C-3")])
    assert "plan_token" in preview
    messages = [warning["message"] for warning in preview["warnings"] if warning["code"] == "insufficient_stock"]
    assert messages == ["rows[0]: RESIN in A-1: 5 → -3"]


LOST = [
    Fault(request, action=lost)
    for lost in (Drop("before"), Drop("after"))
    for request in ("POST /bin_locations", "POST /bin_transfers", "PATCH /bin_transfers/*/status")
]


@pytest.mark.parametrize("fault", LOST, ids=str)
@pytest.mark.usefixtures("resin")
async def test_a_lost_answer_is_looked_up_and_nothing_is_sent_twice(
    stage: Stage, clock: ManualClock, tenant: Tenant, place: int, fault: Fault
) -> None:
    preview = await _planned(stage, location_id=place, rows=[_row()])
    stage.own.sandbox.faults.add(fault)
    outcome = await applied(stage, clock, preview)
    states = [action["state"] for action in outcome["actions"]]
    if fault.action == Drop("after"):
        assert states == ["applied"] * 3
    else:
        assert states.count("unknown") == 1
    bins = [location["bin_name"] for location in live(tenant, "bin_locations")]
    assert bins.count("B-2") <= 1
    assert len(live(tenant, "bin_transfers")) <= 1


async def test_a_plan_is_stale_once_the_bin_or_the_number_is_another(
    stage: Stage, clock: ManualClock, tenant: Tenant, place: int, resin: int
) -> None:
    target = _bin(tenant, place, "B-2")
    preview = await _planned(stage, location_id=place, rows=[_row()])
    row = {"variant_id": resin, "quantity": "1", "target_bin_location_id": target}
    tenant.create("bin_transfers", {"location_id": place, "bin_transfer_rows": [row]})
    clock.advance(61)
    asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
    assert payload_of(await within(clock, 300, asked))["error"] == "stale_plan"
    preview = await _planned(stage, location_id=place, rows=[_row()])
    tenant.edit("bin_locations", target, bin_name="B-3")
    clock.advance(61)
    asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
    assert payload_of(await within(clock, 300, asked))["error"] == "stale_plan"


async def test_an_empty_bin_is_deleted_and_one_that_is_cleared_out_along_with_what_moves(
    stage: Stage, clock: ManualClock, tenant: Tenant, place: int, resin: int
) -> None:
    empty = _bin(tenant, place, "E-1")
    refused = await _planned(stage, location_id=place, delete_bins=["a-1"])
    assert against(refused) == [("in_use", "delete_bins[0]")]
    assert "in bin A-1 there would still be 5 of RESIN" in refused["warnings"][0]["message"]
    clock.advance(61)
    preview = await _planned(stage, location_id=place, rows=[_row(quantity=5)], delete_bins=["A-1", empty])
    assert [(request["method"], request["path"].split("/")[1]) for request in preview["requests"]] == [
        ("POST", "bin_locations"),
        ("POST", "bin_transfers"),
        ("PATCH", "bin_transfers"),
        ("DELETE", "bin_locations"),
        ("DELETE", "bin_locations"),
    ]
    assert [warning["code"] for warning in preview["warnings"]] == ["new_bin", "no_way_back"]
    outcome = await applied(stage, clock, preview)
    assert outcome["applied"] == 5
    assert [location["bin_name"] for location in live(tenant, "bin_locations") if location["location_id"] == place] == [
        "B-2"
    ]
    assert await _lying(stage) == {"B-2": 5}
    assert float(tenant.get("inventory", (resin, place))["quantity_in_stock"]) == 5


@pytest.mark.usefixtures("resin")
async def test_a_bin_to_delete_that_is_not_there_twice_or_not_emptied_is_refused(
    stage: Stage, clock: ManualClock, tenant: Tenant, place: int
) -> None:
    _bin(tenant, place, "E-1")
    old = {"location_id": place, "rows": [_row(to_bin="E-1")], "status": "CREATED"}
    await applied(stage, clock, await _planned(stage, **old))
    cases: list[tuple[dict[str, Any], list[tuple[str, str | None]]]] = [
        ({"location_id": place, "delete_bins": ["Z-9"]}, [("not_found", "delete_bins[0]")]),
        ({"location_id": place, "delete_bins": ["E-1", "e-1"]}, [("duplicate_row_overrides", "delete_bins[1]")]),
        ({**old, "rows": [_row(quantity=5)], "delete_bins": ["A-1"]}, [("in_use", "delete_bins[0]")]),
        ({"location_id": place, "rows": [_row(to_bin="E-1")], "delete_bins": ["E-1"]}, [("in_use", "delete_bins[0]")]),
        ({"bin_transfer": "BT-1", "status": "DONE", "delete_bins": ["E-1"]}, [("invalid_argument", "delete_bins")]),
    ]
    for asked, expected in cases:
        clock.advance(61)
        assert against(await _planned(stage, **asked)) == expected, asked


@pytest.mark.parametrize("lost", [Drop("before"), Drop("after")], ids=["before", "after"])
async def test_a_lost_answer_to_the_deletion_of_a_bin_is_looked_up(
    stage: Stage, clock: ManualClock, tenant: Tenant, place: int, lost: Drop
) -> None:
    key = _bin(tenant, place, "E-1")
    preview = await _planned(stage, location_id=place, delete_bins=[key])
    stage.own.sandbox.faults.add(Fault("DELETE /bin_locations/*", action=lost))
    outcome = await applied(stage, clock, preview)
    assert [action["state"] for action in outcome["actions"]] == ["applied" if lost == Drop("after") else "unknown"]
