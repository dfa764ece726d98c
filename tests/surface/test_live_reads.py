"""What is not cached is asked of Katana at each call: with a deadline, one refusal, and an end to what is read."""

from typing import Any

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Stage, staged, within
from katana_sandbox import Drop, Fault, Hang, ManualClock, Sandbox, SandboxConfig, Status, Tenant

from .usual import live_records

LIVE: dict[str, tuple[str, dict[str, Any], str]] = {
    "batches": ("list_traceability", {}, "/batch_stocks"),
    "serial numbers": ("list_traceability", {"kind": "serial number"}, "/serial_numbers_stock"),
    "bins and what lies in them": ("list_traceability", {"kind": "bin"}, "/bin_inventory"),
    "signals": ("list_inventory_signals", {}, "/inventory_signals"),
    "a forecast": ("get_demand_forecast", {"skus_or_variant_ids": [1], "location_id": 1}, "/demand_forecasts"),
    "bins": ("list_reference", {"kind": "bins"}, "/bin_locations"),
    "price lists": ("list_reference", {"kind": "price list"}, "/price_lists"),
    "price list rows": ("list_reference", {"kind": "price list rows"}, "/price_list_rows"),
    "reasons": ("list_reference", {"kind": "return reason"}, "/sales_returns/return_reasons"),
}
"""What is asked live: by which tool, and where Katana is asked for it."""
REQUESTS = {"serial numbers": 3, "bins and what lies in them": 3, "price list rows": 2}
"""Where it is more than one: of stock by bin there are two pages."""
READS = 45
"""Requests that a stage has left of its minute."""


def _call(name: str, tenant: Tenant) -> tuple[str, dict[str, Any], str]:
    """Return the call of a name with ids that there are."""
    tool, arguments, path = LIVE[name]
    if "location_id" in arguments:
        ids = {"variants": "skus_or_variant_ids", "locations": "location_id"}
        first = {collection: live_records(tenant, collection)[0]["id"] for collection in ids}
        arguments = {"skus_or_variant_ids": [first["variants"]], "location_id": first["locations"]}
    return tool, arguments, path


@pytest.mark.parametrize("name", LIVE)
async def test_each_call_asks_katana_and_what_it_takes_is_known(
    stage: Stage, tenant: Tenant, clock: ManualClock, name: str
) -> None:
    tool, arguments, path = _call(name, tenant)
    first = await stage.call(tool, **arguments)
    assert first.get("rows", first.get("forecasts")), name
    for _ in range(2):
        clock.advance(1)
        before = stage.requests()
        answer = await stage.call(tool, **arguments)
        assert stage.requests() - before == REQUESTS.get(name, 1)
        assert stage.own.sandbox.journal[-1].path.startswith("/v1")
        assert any(path in request.path for request in list(stage.own.sandbox.journal)[before:])
        assert answer["as_of"] > first["as_of"]
        assert "stale" not in answer


@pytest.mark.parametrize("name", LIVE)
async def test_without_an_answer_it_is_refused_nine_seconds_after_the_call(
    stage: Stage, tenant: Tenant, clock: ManualClock, name: str
) -> None:
    tool, arguments, path = _call(name, tenant)
    await stage.call(tool, **arguments)
    for where in (f"GET {path}", "*"):
        clock.advance(3_000 if where == "*" else 1)
        stage.own.sandbox.faults.add(Fault(where, action=Hang(), times=None))
        began = clock.monotonic()
        refusal = await within(clock, 9, stage.refusal(tool, **arguments))
        assert (refusal["error"], clock.monotonic() - began) == ("katana_unavailable", 9)
        (warning,) = refusal["warnings"]
        assert "which are not cached: there was no answer within" in warning["message"]
        stage.own.sandbox.faults.clear()


async def test_a_call_that_waited_for_its_place_says_so(stage: Stage, clock: ManualClock) -> None:
    while stage.requests() < READS:
        await stage.call("list_reference", kind="bins")
    refusal = await within(clock, 9, stage.refusal("list_reference", kind="bins"))
    (warning,) = refusal["warnings"]
    said = "which are not cached: its 60 requests of the minute are used up; ask again in "
    assert said in warning["message"]
    assert 50 <= int(warning["message"].partition(said)[2].removesuffix(" s")) <= 60


@pytest.mark.parametrize("name", LIVE)
async def test_what_katana_says_instead_of_an_answer_is_in_the_refusal(
    stage: Stage, tenant: Tenant, clock: ManualClock, name: str
) -> None:
    tool, arguments, path = _call(name, tenant)
    await stage.call(tool, **arguments)
    for action, said in ((Status(401), "401"), (Status(422), "422"), (Drop(), "")):
        stage.own.sandbox.faults.add(Fault(f"GET {path}", action=action, times=None))
        refusal = await within(clock, 9, stage.refusal(tool, **arguments))
        assert refusal["error"] == "katana_unavailable", action
        (warning,) = refusal["warnings"]
        assert warning["message"].startswith("Katana could not be asked for ")
        assert said in warning["message"]
        stage.own.sandbox.faults.clear()
        clock.advance(61)
    assert await stage.call(tool, **arguments)


async def test_an_account_without_anything_is_answered_with_nothing(clock: ManualClock) -> None:
    async with staged(OwnSandbox(Sandbox(SandboxConfig(empty=True), clock=clock))) as stage:
        place = next(stage.own.sandbox.tenant().all("locations"))["id"]
        for name, (tool, arguments, _) in LIVE.items():
            asked = {**arguments, "location_id": place} if tool == "get_demand_forecast" else arguments
            clock.advance(61)
            answer = await stage.call(tool, **asked)
            if name == "reasons":
                assert answer["total"] > 0
                continue
            assert answer.get("rows", answer.get("forecasts")) == [], name
            assert answer["warnings"] == [], name
            if tool == "list_reference":
                assert answer["empty"]["records"] == 0
                assert answer["next_actions"][0].startswith("Katana holds no "), name


@pytest.mark.parametrize(("rows", "cut"), [(5_000, False), (5_001, True)])
async def test_of_more_than_five_thousand_rows_the_rest_is_told(
    stage: Stage, tenant: Tenant, clock: ManualClock, rows: int, cut: bool
) -> None:
    place, now = live_records(tenant, "locations")[0]["id"], "2026-01-01T00:00:00.000Z"
    stamps = {"location_id": place, "created_at": now, "updated_at": now, "deleted_at": None}
    for number in range(rows - tenant.count("bin_locations")):
        tenant.insert_raw("bin_locations", {"id": 900_000 + number, "bin_name": f"N-{number}", **stamps})
    answer = await stage.call("list_reference", kind="storage_bin", limit=250, page=20)
    assert (answer["total"], answer["has_more"], len(answer["rows"])) == (5_000, False, 250)
    assert [warning["code"] for warning in answer["warnings"]] == ["truncated_result"] * cut
    assert [warning["message"].partition(":")[0] for warning in answer["warnings"]] == [
        "the first 5,000 that Katana lists were read, and there may be more"
    ] * cut
    clock.advance(61)
    found = await stage.call("list_reference", kind="storage_bin", query="n 4900")
    assert [row["name"] for row in found["rows"]] == ["N-4900"]
    assert len(found["warnings"]) == cut
