"""A correction whose first step was written though nobody could see it: it is neither forgotten nor called done."""

import pytest
from correcting_steps import CASES, WRITES, brought_to_its_end, planned, tried
from journal_plans import hasty

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Drop, Fault, ManualClock, Mutate, ReplicaLag, Status, Tenant

SMALL = ("small", "small sale", "small make")
"""A correction of an order of each kind."""


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def begun_blind(stage: Stage, clock: ManualClock, token: str) -> Payload:
    """Return the outcome where the answer to the first step is lost, and Katana cannot be read from then on."""
    faults = stage.own.sandbox.faults
    blind = Mutate(change=lambda _: faults.add(Fault("GET *", action=Status(503), times=None)))
    faults.add(Fault(WRITES, action=blind), Fault(WRITES, action=Drop("after")))
    outcome = await tried(stage, clock, token)
    faults.clear()
    return outcome


async def refused(stage: Stage, clock: ManualClock, token: str, **asked: object) -> Payload:
    """Return the outcome where Katana can be read again, and refuses what is written."""
    stage.own.sandbox.faults.add(Fault(WRITES, action=Status(422), times=None))
    outcome = await tried(stage, clock, token, **asked)
    stage.own.sandbox.faults.clear()
    return outcome


@pytest.mark.parametrize("size", SMALL)
async def test_it_goes_on_after_a_refusal_though_the_first_step_is_no_longer_among_those_to_do(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str
) -> None:
    case = CASES[size]
    order, preview = await planned(stage, tenant, case, "X-1")
    await brought_to_its_end(stage, clock, preview["plan_token"])
    end = case.shape(tenant, order["id"])
    order, preview = await planned(stage, tenant, case, "X-2")
    assert (await begun_blind(stage, clock, preview["plan_token"]))["unknown"] == 1
    assert (await refused(stage, clock, preview["plan_token"]))["failed"] == 1
    await brought_to_its_end(stage, clock, preview["plan_token"])
    assert case.shape(tenant, order["id"]) == end


@pytest.mark.parametrize("size", SMALL)
async def test_a_way_back_that_is_refused_is_not_done_and_can_be_taken_again(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str
) -> None:
    case = CASES[size]
    order, preview = await planned(stage, tenant, case, "X-1")
    before, held = case.shape(tenant, order["id"]), case.stock(tenant, order)
    await begun_blind(stage, clock, preview["plan_token"])
    stopped = await refused(stage, clock, preview["plan_token"], roll_back=True)
    assert (stopped["applied"], stopped["failed"]) == (0, 1)
    assert stopped["message"].startswith("stopped after 0 of ")
    assert "; apply the same token again to go on" in stopped["message"]
    last = await brought_to_its_end(stage, clock, preview["plan_token"])
    assert last["message"].startswith("done: roll back: ")
    assert (case.shape(tenant, order["id"]), case.stock(tenant, order)) == (before, held)


async def test_a_step_that_listings_do_not_show_yet_and_that_is_refused_when_sent_again_is_not_forgotten(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    case, faults = CASES["small sale"], stage.own.sandbox.faults
    order, preview = await planned(stage, tenant, case, "X-1")
    await brought_to_its_end(stage, clock, preview["plan_token"])
    end = case.shape(tenant, order["id"])
    order = case.make(tenant, "X-2")
    clock.advance(1_000)  # what lags is how the order is now, not that it is there
    preview = await stage.call("correct_sales_order", id=order["id"], **case.edit(order))
    lagging = Mutate(change=lambda _: faults.add(Fault("GET *", action=ReplicaLag(400), times=None)))
    faults.add(Fault("DELETE *", action=lagging), Fault("DELETE *", action=Drop("after")))
    assert (await tried(stage, clock, preview["plan_token"]))["unknown"] == 1
    again = await tried(stage, clock, preview["plan_token"])
    assert (again["applied"], again["failed"]) == (0, 1)
    faults.clear()
    await brought_to_its_end(stage, clock, preview["plan_token"])
    assert case.shape(tenant, order["id"]) == end
