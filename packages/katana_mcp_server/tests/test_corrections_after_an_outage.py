"""A correction whose first step was written though nobody could see it: it is neither forgotten nor called done."""

import pytest
from correcting_steps import CASES, WRITES, brought_to_its_end, planned, tried
from journal_plans import hasty
from tests.nights import rest_in_turn

from cache_core.protocol import OWN_WRITE_STANDS
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


@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
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


@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
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


LAG = 400
"""Seconds by which Katana's listings lag: longer than the time between two tries."""


def lags(stage: Stage, step: int, *, is_lost: bool) -> None:
    """Let all that is read lag from the sending of a step on, whose answer may be lost."""
    faults = stage.own.sandbox.faults
    lagging = Mutate(change=lambda _: faults.add(Fault("GET *", action=ReplicaLag(LAG), times=None)))
    faults.add(Fault(WRITES, nth=step, action=lagging))
    if is_lost:
        faults.add(Fault(WRITES, nth=step, action=Drop("after")))


async def aged(stage: Stage, tenant: Tenant, clock: ManualClock, size: str) -> tuple[Payload, Payload, Payload]:
    """Return an order that is on every replica, the preview of its correction, and how such an order is in the end."""
    case = CASES[size]
    order, preview = await planned(stage, tenant, case, "X-1")
    await brought_to_its_end(stage, clock, preview["plan_token"])
    end = case.shape(tenant, order["id"])
    order = case.make(tenant, "X-2")
    clock.advance(1_000)  # what lags is how the order is now, not that it is there
    return order, await stage.call(f"correct_{case.kind}", id=order["id"], **case.edit(order)), end


def writes(stage: Stage, sent: int) -> list[tuple[str, str]]:
    """Return what was written since so many requests."""
    return [(entry.method, entry.path) for entry in stage.own.sandbox.journal[sent:] if entry.method != "GET"]


@pytest.mark.parametrize("from_the_end", [1, 2])
@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
async def test_a_step_whose_answer_is_lost_is_not_sent_again_while_listings_may_lag_behind_it(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str, from_the_end: int
) -> None:
    order, preview, end = await aged(stage, tenant, clock, size)
    steps, sent = len(preview["requests"]), len(stage.own.sandbox.journal)
    lags(stage, steps + 1 - from_the_end, is_lost=True)
    outcome = await tried(stage, clock, preview["plan_token"])
    again = await tried(stage, clock, preview["plan_token"])
    for one in (outcome, again):
        assert (one["applied"], one["unknown"], one["failed"]) == (steps - from_the_end, 1, 0)
        assert one["message"].startswith(f"stopped after {steps - from_the_end} of {steps} steps")
    await brought_to_its_end(stage, clock, preview["plan_token"])
    assert (CASES[size].shape(tenant, order["id"]), len(writes(stage, sent))) == (end, steps)


@pytest.mark.parametrize("is_refused", [False, True])
@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
async def test_a_step_that_a_later_look_finds_done_is_counted(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str, *, is_refused: bool
) -> None:
    order, preview, end = await aged(stage, tenant, clock, size)
    steps, sent = len(preview["requests"]), len(stage.own.sandbox.journal)
    if is_refused:
        stage.own.sandbox.faults.add(Fault(WRITES, nth=steps, action=Status(422, commit=True)))
    else:
        lags(stage, steps, is_lost=True)
    stopped = await tried(stage, clock, preview["plan_token"])
    stage.own.sandbox.faults.clear()
    assert (stopped["applied"], stopped["failed"], stopped["unknown"]) == (steps - 1, is_refused, not is_refused)
    outcome = await tried(stage, clock, preview["plan_token"])
    assert (outcome["applied"], len(outcome["actions"]), len(writes(stage, sent))) == (steps, steps, steps)
    assert outcome["actions"][-1]["look_up"] == {"found": "the record shows it", "confirmed": True}
    assert (await tried(stage, clock, preview["plan_token"]))["applied"] == steps
    assert CASES[size].shape(tenant, order["id"]) == end


@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
async def test_a_step_that_was_answered_is_not_sent_again_by_a_later_call_while_listings_lag(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str
) -> None:
    order, preview, end = await aged(stage, tenant, clock, size)
    steps, sent = len(preview["requests"]), len(stage.own.sandbox.journal)
    lags(stage, 1, is_lost=False)
    for _ in range(2):
        outcome = await tried(stage, clock, preview["plan_token"])
        assert (outcome["applied"], len(writes(stage, sent))) == (1, 1)
        assert "does not show yet" in outcome["warnings"][0]["message"]
    stage.own.sandbox.faults.clear()
    await brought_to_its_end(stage, clock, preview["plan_token"])
    assert (CASES[size].shape(tenant, order["id"]), len(writes(stage, sent))) == (end, steps)


@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
async def test_what_was_answered_to_its_last_step_is_applied_and_not_stopped_though_listings_lag(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str
) -> None:
    order, preview, end = await aged(stage, tenant, clock, size)
    lags(stage, len(preview["requests"]), is_lost=False)
    outcome = await tried(stage, clock, preview["plan_token"])
    assert outcome["message"].startswith("applied: ")
    assert CASES[size].shape(tenant, order["id"]) == end
    told = [warning["message"] for warning in outcome["warnings"]]
    assert not [message for message in told if "stopped" in message or "same token" in message]


@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
async def test_a_way_back_is_not_done_because_of_a_listing_from_before_the_way_there(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str
) -> None:
    case = CASES[size]
    order, preview, _ = await aged(stage, tenant, clock, size)
    before, held = case.shape(tenant, order["id"]), case.stock(tenant, order)
    lags(stage, 1, is_lost=False)
    await tried(stage, clock, preview["plan_token"])
    stopped = await tried(stage, clock, preview["plan_token"], roll_back=True)
    assert stopped["message"].startswith("stopped after 1 of ")
    assert "to go on, or with roll_back=true" in stopped["message"]  # nothing went back yet: the token alone goes on
    stage.own.sandbox.faults.clear()
    last = await brought_to_its_end(stage, clock, preview["plan_token"], roll_back=True)
    assert last["message"].startswith("done: roll back: ")
    assert (case.shape(tenant, order["id"]), case.stock(tenant, order)) == (before, held)


@pytest.mark.parametrize("roll_back", [False, True])
@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
async def test_a_listing_that_shows_all_but_the_last_step_is_no_basis_for_going_on_or_back(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str, *, roll_back: bool
) -> None:
    order, preview, end = await aged(stage, tenant, clock, size)
    steps, sent = len(preview["requests"]), len(stage.own.sandbox.journal)
    stage.own.sandbox.faults.add(Fault(WRITES, nth=steps, action=Status(422)))
    assert (await tried(stage, clock, preview["plan_token"]))["failed"] == 1
    clock.advance(LAG)  # by now every listing shows the steps before the last
    lags(stage, 1, is_lost=True)
    await tried(stage, clock, preview["plan_token"])
    stopped = await tried(stage, clock, preview["plan_token"], roll_back=roll_back)
    assert (stopped["applied"], stopped["unknown"]) == (steps - 1, 1)
    assert "does not show yet" in stopped["warnings"][0]["message"]
    assert (len(writes(stage, sent)), CASES[size].shape(tenant, order["id"])) == (steps + 1, end)


@pytest.mark.parametrize("size", rest_in_turn(*SMALL))
async def test_a_way_back_is_not_done_where_the_only_step_of_the_way_there_got_no_answer(
    stage: Stage, tenant: Tenant, clock: ManualClock, size: str
) -> None:
    _, preview, _ = await aged(stage, tenant, clock, size)
    sent = len(stage.own.sandbox.journal)
    lags(stage, 1, is_lost=True)
    await tried(stage, clock, preview["plan_token"])
    stopped = await tried(stage, clock, preview["plan_token"], roll_back=True)
    assert stopped["message"].startswith("stopped after 0 of ")
    assert (stopped["unknown"], len(writes(stage, sent))) == (1, 1)


async def test_a_step_that_never_came_is_sent_again_once_every_listing_would_show_it(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order, preview, end = await aged(stage, tenant, clock, "small make")
    stage.own.sandbox.faults.add(Fault("POST *", action=Drop("before")))
    sent = len(stage.own.sandbox.journal)
    await tried(stage, clock, preview["plan_token"])
    clock.advance(OWN_WRITE_STANDS - 200)
    assert (await tried(stage, clock, preview["plan_token"]))["unknown"] == 1
    assert len(writes(stage, sent)) == len(preview["requests"])
    clock.advance(200)
    assert (await tried(stage, clock, preview["plan_token"]))["message"].startswith("applied: ")
    assert CASES["small make"].shape(tenant, order["id"]) == end


async def test_a_step_that_listings_do_not_show_yet_and_that_is_refused_when_sent_again_is_not_forgotten(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    case, faults = CASES["small sale"], stage.own.sandbox.faults
    order, preview, end = await aged(stage, tenant, clock, "small sale")
    lags(stage, 1, is_lost=True)
    assert (await tried(stage, clock, preview["plan_token"]))["unknown"] == 1
    again = await tried(stage, clock, preview["plan_token"])
    assert (again["applied"], again["failed"]) == (0, 1)
    faults.clear()
    await brought_to_its_end(stage, clock, preview["plan_token"])
    assert case.shape(tenant, order["id"]) == end
