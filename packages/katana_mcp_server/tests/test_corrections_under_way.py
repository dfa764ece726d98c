"""Who asks again while a correction is under way hears that, and how to see its end: by a plan and by a comparison."""

from collections.abc import Mapping

import pytest
from correcting_orders import FIRST, small_edit
from correcting_steps import CASES, MAKE, SALE, TOOL, WRITES, brought_to_its_end, planned, tried
from journal_plans import hasty
from server_wire import Wire

from katana_mcp.journal.journal import Journal
from katana_mcp.journal.lanes import Lanes
from katana_mcp.testing import Payload, Stage, payload_of
from katana_sandbox import Delay, Fault, ManualClock, Status, Tenant

NUMBER = "PO-900"
VERIFY = "verify_order_document"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _blocking(answer: Payload) -> list[str]:
    return [warning["code"] for warning in answer["warnings"] if warning["severity"] == "blocking"]


def _plans_running(answer: Payload) -> list[Payload]:
    return [warning for warning in answer["warnings"] if warning["code"] == "plan_running"]


async def _running(stage: Stage, tenant: Tenant, seconds: float = 25) -> tuple[Wire, str]:
    """Return an order whose correction takes longer than a call, so many seconds a step, and its token."""
    order, preview = await planned(stage, tenant, CASES["small"], NUMBER)
    stage.own.sandbox.faults.add(Fault(WRITES, action=Delay(seconds), times=None))
    answer = payload_of(await stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]}))
    assert answer["error"] == "plan_running"
    assert tenant.get("purchase_orders", order["id"])["status"] != "RECEIVED" or seconds < 25
    return order, preview["plan_token"]


async def _halfway(stage: Stage, tenant: Tenant, clock: ManualClock, size: str = "small") -> tuple[Wire, str]:
    """Return an order whose correction stopped after its first step, and its token."""
    order, preview = await planned(stage, tenant, CASES[size], NUMBER)
    stage.own.sandbox.faults.add(Fault(WRITES, nth=2, action=Status(503)))
    assert (await tried(stage, clock, preview["plan_token"]))["applied"] == 1
    stage.own.sandbox.faults.clear()
    return order, preview["plan_token"]


def _asked(order: Wire) -> Mapping[str, Wire]:
    row = order["purchase_order_rows"][0]
    return {
        TOOL: {"update_rows": [{"row_id": row["id"], "quantity": 2}]},
        "modify_purchase_order": {"additional_info": "other"},
        "receive_purchase_order": {"rows": [{"row_id": row["id"], "quantity": 1}], "received_date": FIRST},
        "delete_purchase_order": {},
    }


@pytest.mark.parametrize("tool", [TOOL, "modify_purchase_order", "receive_purchase_order", "delete_purchase_order"])
async def test_a_plan_for_an_order_whose_correction_runs_is_told_that_and_not_of_the_state_between(
    stage: Stage, tenant: Tenant, clock: ManualClock, tool: str
) -> None:
    order, token = await _running(stage, tenant)
    again = await stage.call(tool, purchase_order_id=NUMBER, **_asked(order)[tool])
    assert _blocking(again) == ["plan_running"]
    assert ("plan_token" in again, again["requests"]) == (False, [])
    (message,) = [warning["message"] for warning in again["warnings"] if warning["severity"] == "blocking"]
    assert message.startswith(f"another plan changes this: correct purchase order {NUMBER}")
    end = "it is being applied (journal entry 1, 1 of 3 steps are done): apply its token again to see its end"
    assert message.endswith(f"; {end}")
    assert "NOT_RECEIVED" not in again["message"]
    await brought_to_its_end(stage, clock, token)
    assert "plan_running" not in _blocking(await stage.call(tool, id=order["id"], **_asked(order)[tool]))


async def test_a_correction_that_ends_while_another_plan_reads_the_order_is_told_too(
    stage: Stage, tenant: Tenant
) -> None:
    order, _ = await _running(stage, tenant, 13.5)
    stage.own.sandbox.faults.add(Fault("GET /outsourced_purchase_order_recipe_rows", action=Delay(10), times=None))
    asked = {"purchase_order_id": NUMBER, **small_edit(order), "order_no": "PO-950"}
    again = await stage.call(TOOL, **asked)
    assert _blocking(again) == ["plan_running"]
    assert again["message"].endswith("; it was applied just now (journal entry 1): ask again")
    assert "plan_token" in await stage.call(TOOL, **asked)


async def test_a_correction_that_begins_while_another_plan_reads_the_order_is_told_too(
    stage: Stage, tenant: Tenant, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, _ = await _halfway(stage, tenant, clock)
    look, looks = Journal.kept_lanes, list[str]()

    async def late(self: Journal) -> dict[str, int]:
        looks.append("")
        return {} if len(looks) == 1 else await look(self)

    monkeypatch.setattr(Journal, "kept_lanes", late)
    again = await stage.call(TOOL, purchase_order_id=NUMBER, **small_edit(order))
    assert _blocking(again) == ["plan_running"]


@pytest.mark.parametrize("size", ["small", "small sale", "small make"])
async def test_a_plan_for_a_document_whose_correction_stopped_says_how_to_go_on_or_back(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str
) -> None:
    order, token = await _halfway(stage, tenant, clock, size)
    case = CASES[size]
    again = await stage.call(f"correct_{case.kind}", id=order["id"], **case.edit(order))
    assert _blocking(again) == ["plan_running"]
    end = "apply its token again to continue, or with roll_back to put the record back"
    assert again["message"].endswith(f"; it stopped halfway (journal entry 1): {end}")
    await brought_to_its_end(stage, clock, token)
    assert "plan_running" not in _blocking(await stage.call(f"correct_{case.kind}", id=order["id"], **case.edit(order)))
    assert {SALE[0], MAKE[0]} == {"sales_order", "manufacturing_order"}


async def test_a_correction_that_was_left_for_a_day_keeps_nobody_from_planning(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, _ = await _halfway(stage, tenant, clock)
    clock.advance(86_401)
    other = await stage.call("modify_purchase_order", purchase_order_id=order["id"], additional_info="other")
    assert "plan_token" in other


async def test_plans_for_other_orders_are_made_meanwhile(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    await _halfway(stage, tenant, clock)
    other = CASES["small"].make(tenant, "PO-901")
    assert "plan_token" in await stage.call(TOOL, purchase_order_id="PO-901", **small_edit(other))


@pytest.mark.parametrize("size", ["small", "small sale", "small make"])
async def test_whoever_reads_a_document_whose_correction_stopped_is_told_that_it_is_in_a_state_between(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str
) -> None:
    order, token = await _halfway(stage, tenant, clock, size)
    kind = CASES[size].kind
    reads: list[tuple[str, Wire]] = [
        (f"get_{kind}", {"id": order["id"]}),
        (f"list_{kind}s", {"limit": 3}),
        (f"list_{kind}s", {"ids": [order["id"]]}),
        (f"search_{kind}s", {"query": NUMBER}),
    ]
    if size == "small make":
        reads.append(("get_manufacturing_order_recipe", {"manufacturing_order_id": order["id"]}))
    else:
        reads.append((f"list_{kind}s", {"rows_only": True, "ids": [order["id"]]}))
    for tool, asked in reads:
        await stage.call(tool, **asked)
        before = stage.requests()
        (warning,) = _plans_running(await stage.call(tool, **asked))
        assert stage.requests() == before
        assert warning["severity"] == "advisory"
        assert warning["message"].startswith(f"another plan changes this: correct {kind.replace('_', ' ')} {NUMBER}")
        end = "apply its token again to continue, or with roll_back to put the record back"
        assert warning["message"].endswith(f"; it stopped halfway (journal entry 1): {end}")
    assert _plans_running(await stage.call(f"list_{kind}s", limit=1, page=30)) == []
    await brought_to_its_end(stage, clock, token)
    for tool, asked in reads:
        assert _plans_running(await stage.call(tool, **asked)) == []


async def test_a_document_that_is_read_while_its_correction_runs_says_how_far_it_is(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, token = await _running(stage, tenant)
    (warning,) = _plans_running(await stage.call("get_purchase_order", purchase_order_id=order["id"]))
    assert "; it is being applied (journal entry 1, 1 of 3 steps are done): " in warning["message"]
    other = CASES["small"].make(tenant, "PO-901")
    assert _plans_running(await stage.call("get_purchase_order", purchase_order_id=other["id"])) == []
    await brought_to_its_end(stage, clock, token)


async def test_where_nothing_was_ever_planned_no_read_asks_the_journal(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = CASES["small"].make(tenant, NUMBER)

    def asked(_: object) -> dict[str, int]:
        raise AssertionError("a thread was asked")

    monkeypatch.setattr(Lanes, "kept", asked)
    shown = await stage.call("get_purchase_order", purchase_order_id=order["id"])
    assert shown["order"]["status"] == "RECEIVED"
    assert (await stage.call("list_purchase_orders", ids=[order["id"]]))["rows"]


@pytest.mark.parametrize("kind", ["delivery_note", "invoice"])
async def test_a_document_held_against_an_order_whose_correction_is_under_way_proposes_nothing(
    stage: Stage, tenant: Tenant, clock: ManualClock, kind: str
) -> None:
    order, token = await _halfway(stage, tenant, clock)
    row = order["purchase_order_rows"][0]
    line = {"sku": tenant.get("variants", row["variant_id"])["sku"], "quantity": 3, "unit": "box", "price": 9}
    clock.advance(3_600)
    asked = {"purchase_order_id": NUMBER, "lines": [line], "kind": kind}
    answer = await stage.call(VERIFY, **asked)
    assert answer["status"] == "NOT_RECEIVED"
    (warning,) = [warning for warning in answer["warnings"] if warning["code"] == "plan_running"]
    assert warning["severity"] == "advisory"
    assert f"correct purchase order {NUMBER}" in warning["message"]
    assert "; it stopped halfway (journal entry 1): apply its token again to continue" in warning["message"]
    assert "receive" not in answer
    assert not any("settle" in difference for difference in answer["differences"])
    why = {difference["no_call"] for difference in answer["differences"] if difference["kind"] == "price"}
    assert why == {"a correction of the order is under way: see `warnings`"}
    await brought_to_its_end(stage, clock, token)
    clock.advance(3_600)
    after = await stage.call(VERIFY, **asked)
    assert after["status"] == "RECEIVED"
    assert "plan_running" not in {warning["code"] for warning in after["warnings"]}
    assert any("settle" in difference for difference in after["differences"])
